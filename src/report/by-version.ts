// Every arrival by the version of the function that answered it last: rows add up to the whole.
import type { PlannedVersions } from "../core/facts.ts";
import { outcomeCode, refuserCode } from "../core/outcome.ts";
import { nameOfVersion } from "../core/version-name.ts";
import type { ArrivalTable } from "./arrival-table.ts";
import { ExactValues } from "./exact-values.ts";
import { COLD, FRONT_ALONE, type PlatformIndex } from "./platform-index.ts";
import { functionName } from "./selection.ts";
import type { Tables } from "./tables.ts";

const OK = outcomeCode("ok");
const THROTTLED = outcomeCode("throttled");
const ERRORED = outcomeCode("errored");
const UNKNOWN = outcomeCode("unknown");
const DROPPED = outcomeCode("dropped");
/** They refuse in the middle of the work, or are the application itself. */
const INSIDE = (["dependency", "application"] as const).map(refuserCode);

/** In place of a version's code: it ended before any version was asked. */
export const BEFORE = -1;
/** A version may have had it, and nothing says which. */
export const OPEN = -2;

/** Arrivals of one load whose last attempt one version had; rows of a load add up to its sent. */
export interface VersionRow {
  readonly load: string;
  readonly arm: string;
  /** Name of the function; "" = not known, or no version. */
  readonly function: string;
  /** `v42`, `vlatest`; "" = none. */
  readonly version: string;
  /** `before`: refused or failed before a version was asked; `open`: nobody knows which had it. */
  readonly kind: "version" | "before" | "open";
  readonly n: number;
  /** Of all that the load sent, 0–1. */
  readonly share: number;
  /** What the alias gave it when the run began; null = not known. */
  readonly weight: number | null;
  readonly ok: number;
  readonly throttled: number;
  readonly errored: number;
  readonly unknown: number;
  /** Answers with a REPORT line, and those of them that started cold. */
  readonly joined: number;
  readonly cold: number;
  /** µs, of ok and unknown ones; NaN without any, +∞ where unknown ones reach that far. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Code of the version that had the last attempt of an arrival that was sent, BEFORE or OPEN. */
export function ranIn(table: ArrivalTable, i: number, platform: PlatformIndex): number {
  const report = table.report[i]!;
  const code = platform.versionOf(report);
  if (code >= 0) return code;
  if (report === FRONT_ALONE) return BEFORE;
  const outcome = table.outcome[i]!;
  if (outcome === THROTTLED && !INSIDE.includes(table.refusedBy[i]!)) return BEFORE;
  // An error without a status is one of connecting: nothing was sent.
  return outcome === ERRORED && table.status[i] === 0 ? BEFORE : OPEN;
}

/** What is added up for one row. */
interface Group {
  readonly of: Pick<VersionRow, "function" | "version" | "kind">;
  readonly times: ExactValues;
  readonly counts: { ok: number; throttled: number; errored: number; unknown: number };
  joined: number;
  cold: number;
}

/**
 * Rows by load, arm, function and version, then what has none. Empty where there is one version
 * only and no criterion asks (`wanted`).
 */
export function versionsOf(tables: Tables, wanted: boolean): VersionRow[] {
  const rows = tables.arrivals
    .filter(({ load }) => tables.plan.loads[load]!.invokes !== false)
    .flatMap((table) => rowsOf(table, tables));
  const named = rows.filter(({ kind }) => kind === "version");
  const seen = new Set(named.map((row) => `${row.function} ${row.version}`));
  const functions = new Set(named.map((row) => row.function));
  return wanted || seen.size > functions.size ? rows : [];
}

function rowsOf(table: ArrivalTable, tables: Tables): VersionRow[] {
  const { plan, platform } = tables;
  const groups = new Map<string, Group>();
  const functions = functionsOf(table, platform);
  const only = functions.size === 1 ? [...functions][0]! : "";
  for (let i = 0; i < table.length; i++) {
    const outcome = table.outcome[i]!;
    if (outcome >= DROPPED) continue;
    const code = ranIn(table, i, platform);
    const report = table.report[i]!;
    const version = code < 0 ? "" : nameOfVersion(platform.versions.texts[code]!);
    // Where the answer alone named the version, the function is the one that all others are of.
    const name = code < 0 ? "" : report >= 0 ? functionAt(platform, report) : only;
    const kind = code >= 0 ? "version" : code === BEFORE ? "before" : "open";
    const group = groupOf(groups, { function: name, version, kind });
    add(group, table, i, platform);
  }
  const { name: load } = plan.loads[table.load]!;
  const sent = [...groups.values()].reduce((sum, group) => sum + totalOf(group), 0);
  const arm = plan.arms[table.arm] ?? "";
  return [...groups.values()].sort(inOrder).map((group) => ({
    ...{ load, arm, ...group.of, ...group.counts },
    n: totalOf(group),
    share: totalOf(group) / sent,
    weight: weightOf(plan.versions, group.of),
    joined: group.joined,
    cold: group.cold,
    p50: quantile(group.times, 0.5),
    p95: quantile(group.times, 0.95),
    p99: quantile(group.times, 0.99),
  }));
}

function functionsOf(table: ArrivalTable, platform: PlatformIndex): Set<string> {
  const names = new Set<string>();
  for (let i = 0; i < table.length; i++)
    if (table.report[i]! >= 0) names.add(functionAt(platform, table.report[i]!));
  return names;
}

const functionAt = ({ functions, functionCode }: PlatformIndex, report: number): string =>
  functionName(functions.texts[functionCode[report]!] ?? "");

function groupOf(groups: Map<string, Group>, of: Group["of"]): Group {
  const key = `${of.kind} ${of.function} ${of.version}`;
  const known = groups.get(key);
  if (known !== undefined) return known;
  const counts = { ok: 0, throttled: 0, errored: 0, unknown: 0 };
  const made: Group = { of, times: new ExactValues(), counts, joined: 0, cold: 0 };
  groups.set(key, made);
  return made;
}

function add(group: Group, table: ArrivalTable, i: number, platform: PlatformIndex): void {
  const outcome = table.outcome[i]!;
  const report = table.report[i]!;
  if (outcome === THROTTLED) group.counts.throttled++;
  else if (outcome === ERRORED) group.counts.errored++;
  else if (outcome === OK) {
    group.counts.ok++;
    group.times.add(table.responseUs[i]!);
  } else {
    group.counts.unknown++;
    group.times.addUnknown();
  }
  if (report < 0 || (outcome !== OK && outcome !== UNKNOWN)) return;
  group.joined++;
  if (platform.start[report] === COLD) group.cold++;
}

const totalOf = ({ counts: { ok, throttled, errored, unknown } }: Group): number =>
  ok + throttled + errored + unknown;

const quantile = (values: ExactValues, q: number): number =>
  values.n === 0 ? Number.NaN : values.quantile(q);

const KINDS = ["version", "before", "open"];

/** By function, then by number; what has no version comes last. */
function inOrder({ of: a }: Group, { of: b }: Group): number {
  if (a.kind !== b.kind) return KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind);
  if (a.function !== b.function) return a.function < b.function ? -1 : 1;
  return numberOf(a.version) - numberOf(b.version);
}

const numberOf = (version: string): number => Number(version.slice(1)) || 0;

/** What its alias sent there when the run began; null = not known. */
function weightOf(planned: readonly PlannedVersions[] = [], of: Group["of"]): number | null {
  const known = planned.filter((one) => one.function === of.function);
  return known.length === 1 ? (known[0]!.shares[of.version] ?? null) : null;
}
