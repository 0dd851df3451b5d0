// The run over time: outcomes, response times and in-flight by whole seconds, for the timeline.
import { outcomeCode } from "../core/outcome.ts";
import { US_PER_S } from "../core/time.ts";
import { type ArrivalTable, NEVER, UNSEEN } from "./arrival-table.ts";
import { inFlightBySecond } from "./in-flight.ts";
import { armName } from "./labels.ts";
import { COLD } from "./platform-index.ts";
import { nearestRank } from "./statistics.ts";
import type { Story } from "./story.ts";
import type { Tables } from "./tables.ts";

/** A longer run is cut into this many buckets of several whole seconds, never more. */
export const BUCKETS_MAX = 1_800;
/** More cold starts than this are shown by the slowest of each bucket. */
export const COLD_MARKS_MAX = 1_500;
/** More loads and arms than this are shown in sum alone. */
const GROUPS_MAX = 8;

const OK = outcomeCode("ok");
const UNKNOWN = outcomeCode("unknown");
/** Place of each outcome code in `SeriesGroup.outcomes`; an ok that is degraded has its own. */
const STACK = ["ok", "throttled", "errored", "unknown", "dropped"] as const;
const NEVER_US = 2 ** 31 - 1;

export type SeriesOutcome = (typeof STACK)[number] | "degraded";

/** One load and arm, or all together; every list has one entry per bucket. */
export interface SeriesGroup {
  readonly name: string;
  /** Arrivals planned; null for a closed loop, which plans none. */
  readonly planned: readonly number[] | null;
  /** Last outcome of the arrivals due in the bucket. */
  readonly outcomes: { readonly [outcome in SeriesOutcome]: readonly number[] };
  /** Attempts of the arrivals due in the bucket: more than were sent means resends. */
  readonly attempts: readonly number[];
  /** Response of ok and unknown that did not start cold, µs: +∞ = never answered, NaN = none. */
  readonly p50Us: readonly number[];
  readonly p95Us: readonly number[];
  readonly p99Us: readonly number[];
  /** Single cold starts by due time; every one, or the slowest of each bucket. */
  readonly cold: readonly { readonly dueUs: number; readonly responseUs: number }[];
  readonly coldStarts: number;
  /** The most in flight at any look; null = nobody looked in this bucket. */
  readonly inFlight: readonly (number | null)[];
}

export interface RunSeries {
  readonly bucketUs: number;
  readonly buckets: number;
  /** The sum first where there are several. */
  readonly groups: readonly SeriesGroup[];
  /** False when no REPORT line was joined: then p50… are of every start. */
  readonly split: boolean;
}

/** Where the buckets lie; shared by every series of a run. */
interface Frame {
  readonly bucketUs: number;
  readonly buckets: number;
}

/** By due second; the order of segments and rows never matters. */
export function seriesOf(tables: Tables, story: Story): RunSeries {
  const frame = frameOf(tables);
  const split = tables.arrivals.some((table) => table.report.some((report) => report >= 0));
  const single = tables.arrivals.map((table) => groupOf([table], tables, story, frame));
  const whole = single.length > 1 ? [groupOf(tables.arrivals, tables, story, frame)] : [];
  const shown = single.length > GROUPS_MAX ? whole : [...whole, ...single];
  return { ...frame, groups: shown, split };
}

export function frameOf({ plan, arrivals }: Pick<Tables, "plan" | "arrivals">): Frame {
  let endUs = plan.phases.reduce((end, phase) => Math.max(end, phase.end_us), US_PER_S);
  for (const table of arrivals)
    for (let i = 0; i < table.length; i++)
      if (table.outcome[i] !== UNSEEN && table.dueUs[i]! >= endUs) endUs = table.dueUs[i]! + 1;
  const seconds = Math.ceil(endUs / US_PER_S);
  const width = Math.ceil(seconds / BUCKETS_MAX);
  return { bucketUs: width * US_PER_S, buckets: Math.ceil(seconds / width) };
}

function groupOf(
  arrivals: readonly ArrivalTable[],
  tables: Tables,
  story: Story,
  frame: Frame,
): SeriesGroup {
  const { cold, coldStarts } = coldMarks(arrivals, tables, frame);
  return {
    name: arrivals.length === 1 ? nameOf(arrivals[0]!, tables) : "all loads",
    planned: plannedOf(arrivals, tables, frame),
    ...outcomesOf(arrivals, frame),
    ...quantilesOf(arrivals, tables, frame),
    ...{ cold, coldStarts },
    inFlight: inFlightOf(arrivals, tables, story, frame),
  };
}

function nameOf(table: ArrivalTable, { plan }: Tables): string {
  const load = plan.loads[table.load]!.name;
  return armName({ load, arm: plan.arms[table.arm] ?? "" });
}

function plannedOf(
  arrivals: readonly ArrivalTable[],
  { plan }: Tables,
  frame: Frame,
): number[] | null {
  const loads = arrivals.map((table) => plan.loads[table.load]!);
  if (loads.some((load) => load.planned_per_s.length === 0)) return null;
  const planned = new Array<number>(frame.buckets).fill(0);
  const width = frame.bucketUs / US_PER_S;
  for (const load of loads)
    for (const [second, count] of load.planned_per_s.entries()) {
      const bucket = Math.floor(second / width);
      if (bucket < frame.buckets) planned[bucket]! += count;
    }
  return planned;
}

const bucketOf = (us: number, { bucketUs, buckets }: Frame): number =>
  Math.min(buckets - 1, Math.max(0, Math.floor(us / bucketUs)));

function outcomesOf(
  arrivals: readonly ArrivalTable[],
  frame: Frame,
): Pick<SeriesGroup, "outcomes" | "attempts"> {
  const zeros = () => new Array<number>(frame.buckets).fill(0);
  const stack = STACK.map(zeros);
  const degraded = zeros();
  const attempts = zeros();
  for (const table of arrivals)
    for (let i = 0; i < table.length; i++) {
      const outcome = table.outcome[i]!;
      if (outcome === UNSEEN) continue;
      const bucket = bucketOf(table.dueUs[i]!, frame);
      attempts[bucket]! += table.last[i]!;
      if (outcome === OK && table.degraded[i] === 1) degraded[bucket]!++;
      else stack[outcome]![bucket]!++;
    }
  const [ok = [], throttled = [], errored = [], unknown = [], dropped = []] = stack;
  return { outcomes: { ok, degraded, throttled, errored, unknown, dropped }, attempts };
}

/** Visits what answered or may have; `responseUs` is NEVER_US for unknown. */
function eachTimed(
  arrivals: readonly ArrivalTable[],
  { platform }: Tables,
  visit: (dueUs: number, responseUs: number, start: number) => void,
): void {
  for (const table of arrivals)
    for (let i = 0; i < table.length; i++) {
      const outcome = table.outcome[i]!;
      if (outcome !== OK && outcome !== UNKNOWN) continue;
      const report = table.report[i]!;
      const responseUs = table.responseUs[i]!;
      const never = outcome === UNKNOWN || responseUs === NEVER;
      visit(table.dueUs[i]!, never ? NEVER_US : responseUs, platform.startOf(report));
    }
}

/** Exact nearest-rank percentiles of each bucket: values laid out by bucket, then sorted there. */
function quantilesOf(
  arrivals: readonly ArrivalTable[],
  tables: Tables,
  frame: Frame,
): Pick<SeriesGroup, "p50Us" | "p95Us" | "p99Us"> {
  const ends = new Uint32Array(frame.buckets + 1);
  const isCold = (start: number) => start === COLD;
  eachTimed(arrivals, tables, (dueUs, _, start) => {
    if (!isCold(start)) ends[bucketOf(dueUs, frame) + 1]!++;
  });
  for (let bucket = 1; bucket < ends.length; bucket++) ends[bucket]! += ends[bucket - 1]!;
  const next = ends.slice();
  const values = new Int32Array(ends[frame.buckets]!);
  eachTimed(arrivals, tables, (dueUs, responseUs, start) => {
    if (!isCold(start)) values[next[bucketOf(dueUs, frame)]!++] = responseUs;
  });
  for (let bucket = 0; bucket < frame.buckets; bucket++)
    values.subarray(ends[bucket], ends[bucket + 1]).sort();
  const quantile = (p: number): number[] =>
    Array.from({ length: frame.buckets }, (_, bucket) => {
      const n = ends[bucket + 1]! - ends[bucket]!;
      if (n === 0) return Number.NaN;
      const us = values[ends[bucket]! + nearestRank(p, n) - 1]!;
      return us === NEVER_US ? Number.POSITIVE_INFINITY : us;
    });
  return { p50Us: quantile(0.5), p95Us: quantile(0.95), p99Us: quantile(0.99) };
}

function coldMarks(
  arrivals: readonly ArrivalTable[],
  tables: Tables,
  frame: Frame,
): Pick<SeriesGroup, "cold" | "coldStarts"> {
  const all: { dueUs: number; responseUs: number }[] = [];
  const slowest = new Map<number, { dueUs: number; responseUs: number }>();
  let coldStarts = 0;
  eachTimed(arrivals, tables, (dueUs, us, start) => {
    if (start !== COLD) return;
    coldStarts++;
    const mark = { dueUs, responseUs: us === NEVER_US ? Number.POSITIVE_INFINITY : us };
    if (all.length <= COLD_MARKS_MAX) all.push(mark);
    const bucket = bucketOf(dueUs, frame);
    const known = slowest.get(bucket);
    if (known === undefined || mark.responseUs > known.responseUs) slowest.set(bucket, mark);
  });
  const marks = coldStarts <= COLD_MARKS_MAX ? all : [...slowest.values()];
  return {
    cold: marks.sort((a, b) => a.dueUs - b.dueUs || a.responseUs - b.responseUs),
    coldStarts,
  };
}

/** The most of each bucket. */
function inFlightOf(
  arrivals: readonly ArrivalTable[],
  { plan }: Tables,
  { health }: Story,
  frame: Frame,
): (number | null)[] {
  const names = new Set(arrivals.map((table) => plan.loads[table.load]!.name));
  const most = new Array<number | null>(frame.buckets).fill(null);
  for (const [second, inFlight] of inFlightBySecond(health, names, plan.slices)) {
    const bucket = Math.floor((second * US_PER_S) / frame.bucketUs);
    if (bucket < frame.buckets) most[bucket] = Math.max(most[bucket] ?? 0, inFlight);
  }
  return most;
}
