// Counts of a run by load and arm, response times by start, and who refused: the tables of a
// report.
import type { PlannedLoad } from "../core/facts.ts";
import { outcomeCode, REASONS, REFUSERS } from "../core/outcome.ts";
import { type ArrivalTable, UNSEEN } from "./arrival-table.ts";
import { type CensusFacts, probesOf } from "./census.ts";
import { ExactValues } from "./exact-values.ts";
import { COLD, FRONT_ALONE, JOINS, STARTS, type Start, UNJOINED } from "./platform-index.ts";
import type {
  JoinCounts,
  LatencyRow,
  LoadCounts,
  OutcomeCounts,
  ThrottleCounts,
} from "./result.ts";
import { rowIntervals } from "./row-intervals.ts";
import { functionName } from "./selection.ts";
import type { Tables } from "./tables.ts";
import { throttleDifference } from "./throttle-difference.ts";

const OK = outcomeCode("ok");
const UNKNOWN = outcomeCode("unknown");
const DROPPED = outcomeCode("dropped");

const ZERO: OutcomeCounts = {
  planned: 0,
  sent: 0,
  dropped: 0,
  ok: 0,
  throttled: 0,
  errored: 0,
  unknown: 0,
  degraded: 0,
  attempts: 0,
};

export function countsOf(tables: Tables): LoadCounts[] {
  return tables.arrivals.map((table) => {
    const by = new Array<number>(DROPPED + 1).fill(0);
    let degraded = 0;
    let attempts = 0;
    for (let i = 0; i < table.length; i++) {
      const outcome = table.outcome[i]!;
      if (outcome === UNSEEN) continue;
      by[outcome]!++;
      attempts += table.last[i]!;
      if (outcome === OK && table.degraded[i] === 1) degraded++;
    }
    const [ok = 0, throttled = 0, errored = 0, unknown = 0, dropped = 0] = by;
    const load = tables.plan.loads[table.load]!;
    const sent = ok + throttled + errored + unknown;
    return {
      load: load.name,
      arm: tables.plan.arms[table.arm] ?? "",
      planned: isClosed(load) ? sent + dropped : load.planned,
      ...{ sent, dropped, ok, throttled, errored, unknown, degraded, attempts },
    };
  });
}

/** A closed loop plans no arrivals: it sends as fast as it is answered. */
export function isClosed(load: Pick<PlannedLoad, "closed">): boolean {
  return load.closed !== undefined;
}

export function totalOf(loads: readonly LoadCounts[]): OutcomeCounts {
  const total: { -readonly [key in keyof OutcomeCounts]: number } = { ...ZERO };
  const keys = Object.keys(ZERO) as (keyof OutcomeCounts)[];
  for (const load of loads) for (const key of keys) total[key] += load[key];
  return total;
}

export interface Responses {
  readonly latencies: readonly LatencyRow[];
  readonly starts: { readonly [start in Start]: number };
  readonly joins: JoinCounts;
}

/** Response over ok and unknown, by load, arm and start; `all` last. Empty rows are left out. */
export function responsesOf(tables: Tables): Responses {
  const starts = { cold: 0, warm: 0, provisioned: 0, unjoined: 0 };
  const joins = { access_log: 0, request_id: 0, echo: 0, trace: 0, front_alone: 0, unjoined: 0 };
  const latencies: LatencyRow[] = [];
  for (const table of tables.arrivals) {
    const bags = STARTS.map(() => new ExactValues());
    const inits = new ExactValues();
    fill(table, tables, bags, inits, joins);
    const load = tables.plan.loads[table.load]!;
    if (load.invokes !== false)
      for (const [code, start] of STARTS.entries()) starts[start] += bags[code]!.n;
    const names = {
      load: load.name,
      arm: tables.plan.arms[table.arm] ?? "",
    };
    const split = bags.slice(0, UNJOINED).some((bag) => bag.n > 0);
    const all = new ExactValues();
    for (const bag of bags) all.addAll(bag);
    const intervals = rowIntervals(table, tables.platform, [...bags, all]);
    for (const [code, start] of STARTS.entries()) {
      const bag = bags[code]!;
      if (bag.n === 0 || !split || code === UNJOINED) continue;
      const initP50 = code === COLD && inits.n > 0 ? inits.quantile(0.5) : null;
      latencies.push(rowOf({ ...names, start, initP50, intervals: intervals[code]! }, bag));
    }
    const whole = { ...names, start: "all" as const, initP50: null };
    if (all.n > 0) latencies.push(rowOf({ ...whole, intervals: intervals.at(-1)! }, all));
  }
  return { latencies, starts, joins };
}

function fill(
  table: ArrivalTable,
  { platform, plan }: Tables,
  bags: readonly ExactValues[],
  inits: ExactValues,
  joins: { -readonly [by in keyof JoinCounts]: number },
): void {
  const { invokes = true, request_id_header: header } = plan.loads[table.load]!;
  const direct = header === undefined ? "request_id" : "echo";
  for (let i = 0; i < table.length; i++) {
    const outcome = table.outcome[i]!;
    if (outcome !== OK && outcome !== UNKNOWN) continue;
    const report = table.report[i]!;
    if (report === FRONT_ALONE && outcome === OK) {
      if (invokes) joins.front_alone++;
      bags[UNJOINED]!.add(table.responseUs[i]!);
      continue;
    }
    const by = report < 0 ? "unjoined" : JOINS[platform.joinedBy[report]!]!;
    if (invokes) joins[by === "request_id" ? direct : by]++;
    const bag = bags[platform.startOf(report)]!;
    if (outcome === UNKNOWN) bag.addUnknown();
    else bag.add(table.responseUs[i]!);
    const init = report < 0 ? Number.NaN : platform.init[report]!;
    if (!Number.isNaN(init)) inits.add(init * 1_000);
  }
}

function rowOf(
  row: Pick<LatencyRow, "load" | "arm" | "start" | "initP50" | "intervals">,
  bag: ExactValues,
): LatencyRow {
  return {
    ...row,
    n: bag.n,
    p50: bag.quantile(0.5),
    p90: bag.quantile(0.9),
    p95: bag.quantile(0.95),
    p99: bag.quantile(0.99),
    p999: bag.quantile(0.999),
    max: bag.max(),
  };
}

/** Attempts by refuser, and the platform's own Throttles by function. */
export function throttlesOf(facts: CensusFacts): ThrottleCounts {
  const client: { [refuser: string]: number } = {};
  for (const [code, count] of facts.tables.refusals.entries())
    if (count > 0 && REFUSERS[code] !== "") client[REFUSERS[code]!] = count;
  const platform: { [name: string]: number } = {};
  const probes: { [name: string]: number } = {};
  for (const point of facts.metrics) {
    if (point.metric !== "Throttles" || point.stat !== "Sum") continue;
    if (point.dimensions.Resource !== undefined) continue;
    const of = point.dimensions.FunctionName;
    const name = of === undefined ? "account" : functionName(of);
    platform[name] = (platform[name] ?? 0) + point.value;
  }
  for (const name of Object.keys(platform)) {
    const refused = probesOf(facts, name, null);
    if (refused > 0) probes[name] = refused;
    platform[name] = Math.max(0, platform[name]! - refused);
  }
  const accessLog = facts.tables.platform.access.length > 0;
  const errors = byReason(facts.tables.reasons);
  const difference = throttleDifference({ client, platform, errors, accessLog });
  const { retryAfter } = facts.tables;
  const asked = retryAfter === null ? {} : { retry_after: retryAfter };
  return { client, platform, probes, difference, ...asked, logged: loggedOf(facts.tables) };
}

/** A load of which no request is in the log goes through another front. */
function loggedOf({ logged }: Tables): ThrottleCounts["logged"] {
  const mine = logged.filter(({ lines }) => lines > 0);
  if (mine.length === 0) return null;
  const sum = (of: "answered" | "lines"): number => mine.reduce((n, one) => n + one[of], 0);
  return { answered: sum("answered"), lines: sum("lines") };
}

/** Counts by code of REASONS as counts by name, without those that are 0. */
export function byReason(counts: readonly number[]): { readonly [reason: string]: number } {
  const named = counts.map((count, code) => [REASONS[code] ?? "", count] as const);
  return Object.fromEntries(named.filter(([reason, count]) => count > 0 && reason !== ""));
}
