// The numbers behind the charts as compact JSON: seconds and ms, rounded where no eye can tell.
import type { Curve } from "../curves.ts";
import type { ConcurrencyLimit } from "../drawn-result.ts";
import { armName } from "../labels.ts";
import type { FaultResult, Report } from "../result.ts";
import type { RunSeries, SeriesGroup } from "../series.ts";
import { shownShards } from "./shards.ts";

/** −1 = never answered; null = no value. */
export type Points = readonly (number | null)[];

export interface GroupData {
  readonly name: string;
  /** null where every value is 0. */
  readonly planned: Points | null;
  readonly ok: Points | null;
  readonly degraded: Points | null;
  readonly throttled: Points | null;
  readonly errored: Points | null;
  readonly unknown: Points | null;
  readonly dropped: Points | null;
  readonly attempts: Points | null;
  readonly p50: Points;
  readonly p95: Points;
  readonly p99: Points;
  /** Due second and response of each cold start shown. */
  readonly coldAt: readonly number[];
  readonly cold: readonly number[];
  readonly inFlight: Points;
}

export interface ChartData {
  readonly bucketS: number;
  readonly buckets: number;
  readonly split: boolean;
  readonly groups: readonly GroupData[];
  readonly phases: readonly { readonly name: string; readonly at: number }[];
  /** Seconds: asked, seen to act, asked back, seen to clear; null = not seen. */
  readonly faults: readonly {
    readonly name: string;
    readonly kind: string;
    readonly times: readonly (number | null)[];
    /** From and to of the cold starts that its undo caused; null = none. */
    readonly wave: readonly [number, number] | null;
  }[];
  readonly concurrency: readonly Steps[];
  /** Records stored per second, by bucket. */
  readonly shards: readonly {
    readonly load: string;
    readonly shard: number;
    readonly stored: Points;
  }[];
  /** Seconds, by minute. */
  readonly age: readonly Steps[];
  /** Most that may run at once: a value from each second on; those far above are left out. */
  readonly limits: readonly Steps[];
  readonly curves: readonly CurveData[];
}

/** A value from each moment on, s of the run. */
interface Steps {
  readonly name: string;
  readonly at: readonly number[];
  readonly values: Points;
}

export interface CurveData {
  readonly name: string;
  readonly start: string;
  readonly tail: readonly number[];
  readonly ms: Points;
  readonly low: Points;
  readonly high: Points;
}

export function chartData(report: Report): ChartData {
  const { series, curves, concurrency, iteratorAge } = report.drawn;
  return {
    bucketS: series.bucketUs / 1e6,
    buckets: series.buckets,
    split: series.split,
    groups: series.groups.map((group) => groupData(group, series)),
    phases: report.plan.phases.map(({ name, start_us }) => ({ name, at: seconds(start_us) })),
    faults: report.faults.filter(isDrawn).map(faultData),
    concurrency: concurrency.map((one) => stepsOf(one)),
    shards: shownShards(report).map(({ load, shard, stored }) => ({
      ...{ load, shard },
      stored: stored.map((count) => perBucketSecond(count, series)),
    })),
    age: iteratorAge.map((one) => stepsOf(one, 1_000)),
    limits: limitsByReach(report).near.map((one) => stepsOf(one)),
    curves: curves.map(curveData),
  };
}

type Stepped = Pick<ConcurrencyLimit, "name" | "points">;

function stepsOf({ name, points }: Stepped, scale = 1): Steps {
  return {
    name,
    at: points.map(({ atUs }) => seconds(atUs)),
    values: points.map(({ value }) => (value === null ? null : value / scale)),
  };
}

const perBucketSecond = (count: number, { bucketUs }: RunSeries): number =>
  Number((count / (bucketUs / 1e6)).toFixed(2));

/** A line far above what ran would make what ran a line on the ground. */
const NEAR = 4;

export function limitsByReach({ drawn }: Report): {
  readonly near: readonly ConcurrencyLimit[];
  readonly far: readonly ConcurrencyLimit[];
} {
  const { series, concurrency, limits } = drawn;
  let most = 1;
  for (const { inFlight } of series.groups)
    for (const value of inFlight) most = Math.max(most, value ?? 0);
  for (const { points } of concurrency)
    for (const { value } of points) most = Math.max(most, value);
  const isNear = ({ points }: ConcurrencyLimit): boolean =>
    points.some(({ value }) => value !== null && value <= NEAR * most);
  return { near: limits.filter(isNear), far: limits.filter((limit) => !isNear(limit)) };
}

function groupData(group: SeriesGroup, series: RunSeries): GroupData {
  const { outcomes } = group;
  const perSecond = (counts: readonly number[] | null): Points | null => {
    if (counts?.every((count) => count === 0) ?? true) return null;
    return counts!.map((count) => perBucketSecond(count, series));
  };
  const sent = group.attempts.map((count, i) => {
    const { ok, degraded, throttled, errored, unknown } = outcomes;
    return count - (ok[i]! + degraded[i]! + throttled[i]! + errored[i]! + unknown[i]!);
  });
  return {
    name: group.name,
    planned: perSecond(group.planned),
    ok: perSecond(outcomes.ok),
    degraded: perSecond(outcomes.degraded),
    throttled: perSecond(outcomes.throttled),
    errored: perSecond(outcomes.errored),
    unknown: perSecond(outcomes.unknown),
    dropped: perSecond(outcomes.dropped),
    attempts: sent.some((more) => more > 0) ? perSecond(group.attempts) : null,
    p50: group.p50Us.map(ms),
    p95: group.p95Us.map(ms),
    p99: group.p99Us.map(ms),
    coldAt: group.cold.map(({ dueUs }) => seconds(dueUs)),
    cold: group.cold.map(({ responseUs }) => ms(responseUs) ?? -1),
    inFlight: group.inFlight,
  };
}

/** What lies around all faults would only colour the whole picture. */
const isDrawn = ({ kind }: FaultResult): boolean => kind !== "mute-alarms";

function faultData({ name, kind, ...fault }: FaultResult): ChartData["faults"][number] {
  const times = [fault.askedUs, fault.onsetUs, fault.restoreAskedUs, fault.clearedUs];
  const { startUs = 0, endUs = 0 } = fault.coldWave ?? {};
  const wave = endUs > startUs ? ([seconds(startUs), seconds(endUs)] as const) : null;
  return { name, kind, times: times.map((us) => (us === null ? null : seconds(us))), wave };
}

function curveData(curve: Curve): CurveData {
  const { load, arm, start, points } = curve;
  return {
    name: armName({ load, arm }),
    start,
    tail: points.map(({ tail }) => tail),
    ms: points.map(({ us }) => ms(us)),
    low: points.map(({ lowUs }) => ms(lowUs)),
    high: points.map(({ highUs }) => ms(highUs)),
  };
}

/** Four figures are finer than a line is wide. */
function ms(us: number): number | null {
  if (Number.isNaN(us)) return null;
  return Number.isFinite(us) ? Number((us / 1_000).toPrecision(4)) : -1;
}

const seconds = (us: number): number => Number((us / 1e6).toFixed(2));
