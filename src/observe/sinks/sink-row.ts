// One row of a sink: which event, in which cell, counted how often; how a record becomes one.
import type { ControlPlane } from "../../core/change.ts";
import { GatecrashError } from "../../core/error.ts";
import type { SinkSpec } from "../../core/scenario.ts";
import type { Clock } from "../../core/time.ts";

export interface SinkRow {
  readonly id: string;
  /** null without a cell field, or in a row that has none. */
  readonly cell: string | null;
  readonly count: number;
}

/** What reading a sink may use; passed in by who runs. */
export interface SinkPorts {
  readonly clock: Clock;
  /** Folder of the scenario: paths are relative to it, commands start in it. */
  readonly dir: string;
  /** For sinks of AWS; null = there is no account and no local AWS. */
  readonly control: ControlPlane | null;
  /** `--allow-exec`: without it no command is ever started. */
  readonly allowExec: boolean;
  readonly env: { readonly [name: string]: string | undefined };
  /** Fills `{{env.X}}` and `{{secret.…}}` into a header at the moment it is sent. */
  readonly secretsIn: (text: string) => string;
  readonly fetch: typeof globalThis.fetch;
}

/** Records of a sink as plain objects, in batches; each kind of sink has one. */
export type ReadRecords = (
  spec: SinkSpec,
  ports: SinkPorts,
  signal: AbortSignal,
) => AsyncIterable<readonly unknown[]>;

export function unreadable(spec: SinkSpec, problem: string, hint?: string): GatecrashError {
  const more = hint === undefined ? {} : { hint };
  return new GatecrashError("input", `sink ${spec.name}: ${problem}`, more);
}

/** A key of the sink that is text; "" when it is not given. */
export function textInput(spec: SinkSpec, key: string): string {
  const value = spec.input[key];
  return typeof value === "string" ? value : "";
}

/** Counts are stored as INT32, and summed up by event. */
const COUNT_MAX = 1_000_000_000;

/** A record as a row; null when it has no id: a table may hold other things than events.
 * Without an id field a row is a cell, and is known by it. */
export function rowReader(spec: SinkSpec): (record: unknown) => SinkRow | null {
  const cellOf = cellReader(spec);
  const idOf = spec.id === null ? cellOf : fieldReader(spec.id);
  const countField = textInput(spec, "count");
  const countOf = countField === "" ? () => 1 : fieldReader(countField);
  return (record) => {
    const id = textOf(idOf(record));
    if (id === null || id === "") return null;
    const count = Number(countOf(record));
    if (!Number.isInteger(count) || count < 0 || count > COUNT_MAX)
      throw unreadable(spec, `the row of ${id} has no whole number in ${countField}`);
    return { id, cell: cellOf(record), count };
  };
}

/** Null when one of its fields is missing. */
function cellReader(spec: SinkSpec): (record: unknown) => string | null {
  const shard = textInput(spec, "shard");
  const names = [...(shard === "" ? [] : [shard]), ...(spec.cell ?? [])];
  const parts = names.map(fieldReader);
  return (record) => {
    const texts = parts.map((read) => textOf(read(record)));
    return texts.length === 0 || texts.includes(null) ? null : texts.join("/");
  };
}

/** Fields of a record that are needed at all. */
export function fieldsOf(spec: SinkSpec): string[] {
  const fields = [spec.id ?? "", ...(spec.cell ?? [])];
  const more = [textInput(spec, "count"), textInput(spec, "shard")];
  return [...new Set([...fields, ...more].filter((field) => field !== ""))];
}

/** A name as it stands, or else a path into nested fields: `order.id`. */
export function fieldReader(name: string): (record: unknown) => unknown {
  const path = name.split(".");
  return (record) => {
    const whole = member(record, name);
    if (whole !== undefined || path.length === 1) return whole;
    return path.reduce((at, key) => member(at, key), record);
  };
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as { readonly [key: string]: unknown })[key];
}

function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : null;
}
