// Raw faults and sinks → FaultSpec and SinkSpec, with their windows on the run's clock.
import { didYouMean } from "../core/nearest.ts";
import type { FaultSpec, Load, SinkSpec } from "../core/scenario.ts";
import { FAULT_SHAPES, resourcesOf } from "./fault-shapes.ts";
import { onlyOne, phaseNamed, type Reading, scaledCount } from "./reading.ts";
import type { RawFault, RawSink } from "./schema.ts";
import { SINK_SHAPES, type SinkInput } from "./sink-shapes.ts";
import type { Path } from "./source.ts";

/** Every fault of the file that makes sense; the others have left a complaint. */
export function faultsOf(reading: Reading): FaultSpec[] {
  const faults = (reading.raw.faults ?? []).flatMap((raw, i) => faultOf(reading, raw, i) ?? []);
  checkApart(reading, faults);
  return faults;
}

function faultOf(reading: Reading, raw: RawFault, index: number): FaultSpec | null {
  const { source, scale } = reading;
  const at = ["faults", index];
  const kind = onlyOne(source, at, raw, Object.keys(FAULT_SHAPES), "kind of fault");
  const window = windowOf(reading, at, raw);
  if (kind === null || window === null) return null;
  const { scaled } = FAULT_SHAPES[kind]!;
  const given = (raw as { [kind: string]: unknown })[kind] as FaultSpec["input"];
  const input = Object.entries(given).map(([key, value]) =>
    scaled.includes(key) ? [key, scaledCount(Number(value), scale)] : [key, value],
  );
  return {
    kind,
    ...window,
    input: Object.fromEntries(input) as FaultSpec["input"],
    line: source.place(at).line ?? 1,
  };
}

type FaultWindow = Pick<FaultSpec, "name" | "during" | "startUs" | "endUs">;

function windowOf(reading: Reading, at: Path, raw: RawFault): FaultWindow | null {
  const { source } = reading;
  const explicit = raw.at !== undefined || raw.for !== undefined;
  if (raw.during !== undefined && !explicit) {
    const phase = phaseNamed(reading, [...at, "during"], raw.during);
    if (phase === null) return null;
    const { startUs, endUs } = phase;
    return { name: raw.name ?? raw.during, during: raw.during, startUs, endUs };
  }
  const whole = raw.name !== undefined && raw.at !== undefined && raw.for !== undefined;
  if (raw.during !== undefined || !whole) {
    source.fail(at, "a fault has `during: <phase>`, or `name:` with `at:` and `for:`");
    return null;
  }
  const startUs = raw.at!;
  return { name: raw.name!, during: null, startUs, endUs: startUs + raw.for! };
}

/** Two faults on one resource at once cannot both be undone to what they found. */
function checkApart({ source, phases }: Reading, faults: readonly FaultSpec[]): void {
  const endUs = phases.at(-1)?.endUs ?? Number.POSITIVE_INFINITY;
  for (const [i, fault] of faults.entries()) {
    if (fault.endUs > endUs)
      source.fail(["faults", i], `fault \`${fault.name}\` outlasts the last phase`);
    const clash = faults.slice(0, i).find((other) => overlaps(fault, other));
    if (clash === undefined) continue;
    if (clash.name === fault.name)
      source.fail(
        ["faults", i],
        `two faults are called \`${fault.name}\``,
        "give this one a `name:`",
      );
    if (sameResource(clash, fault))
      source.fail(
        ["faults", i],
        `\`${fault.name}\` and \`${clash.name}\` change one resource at once`,
      );
  }
}

const overlaps = (a: FaultSpec, b: FaultSpec): boolean =>
  a.startUs < b.endUs && b.startUs < a.endUs;

/** A function's reservation and its configuration are two things, each with its own undo. */
function sameResource(a: FaultSpec, b: FaultSpec): boolean {
  const others = resourcesOf(b);
  return resourcesOf(a).some(([resource, part]) =>
    others.some(([other, otherPart]) => resource === other && part === otherPart),
  );
}

/** Only a stream says where it stored an event. */
function checkShards(
  source: Reading["source"],
  at: Path,
  shard: SinkInput[string],
  of: readonly string[],
  loads: readonly Load[],
): void {
  if (shard === undefined) return;
  const other = loads.find(({ name, target }) => of.includes(name) && target.kind !== "kinesis");
  if (other !== undefined)
    source.fail([...at, "shard"], `load \`${other.name}\` is not sent to a stream`);
}

/** Every sink; `loads` are those whose ledgers fill it. */
export function sinksOf(reading: Reading, loads: readonly Load[]): SinkSpec[] {
  return Object.entries(reading.raw.sinks ?? {}).flatMap(
    ([name, raw]) => sinkOf(reading, name, raw, loads) ?? [],
  );
}

function sinkOf(
  { source }: Reading,
  name: string,
  raw: RawSink,
  loads: readonly Load[],
): SinkSpec | null {
  const at = ["sinks", name];
  const kind = onlyOne(source, at, raw, Object.keys(SINK_SHAPES), "kind of sink");
  for (const [i, of] of raw.of.entries()) {
    const load = loads.find((one) => one.name === of);
    const names = loads.map((one) => one.name);
    if (load === undefined)
      source.fail([...at, "of", i], `unknown load \`${of}\``, didYouMean(of, names));
    else if (load.ledger === null)
      source.fail(
        [...at, "of", i],
        `load \`${of}\` has no ledger`,
        "give it `ledger: { id }`, the field of its body that identifies an event",
      );
  }
  if (kind === null) return null;
  const shape = (raw as { [kind: string]: unknown })[kind] as SinkInput;
  const { id = null, cell, ...input } = shape;
  if (id === null && (cell === undefined || input.count === undefined))
    source.fail(
      [...at, kind],
      "a sink has `id:`, by which each event is found, or `cell:` and `count:`, its sums",
    );
  const bare = loads.find((one) => raw.of.includes(one.name) && one.ledger?.cell.length === 0);
  if (cell !== undefined && bare !== undefined)
    source.fail(
      [...at, kind, "cell"],
      `the ledger of load \`${bare.name}\` has no cell`,
      "name the field of its body: ledger: { id, cell }",
    );
  checkShards(source, [...at, kind], input.shard, raw.of, loads);
  const quietUs = raw.settle?.quiet ?? 10_000_000;
  const atMostUs = raw.settle?.["at-most"] ?? 300_000_000;
  if (atMostUs < quietUs)
    source.fail([...at, "settle"], "`at-most` is shorter than `quiet`: it could never settle");
  return {
    name,
    kind,
    of: raw.of,
    id,
    cell: cell ?? null,
    input: input as SinkSpec["input"],
    quietUs,
    atMostUs,
    line: source.place(at).line ?? 1,
  };
}
