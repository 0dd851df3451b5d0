// The numbers behind the charts as compact JSON: seconds and ms, rounded where no eye can tell.
import type { Curve } from "../curves.ts";
import type { FaultResult, Report } from "../result.ts";
import type { RunSeries, SeriesGroup } from "../series.ts";

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
  }[];
  readonly concurrency: readonly {
    readonly name: string;
    readonly at: readonly number[];
    readonly values: readonly number[];
  }[];
  readonly curves: readonly CurveData[];
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
  const { series, curves, concurrency } = report.drawn;
  return {
    bucketS: series.bucketUs / 1e6,
    buckets: series.buckets,
    split: series.split,
    groups: series.groups.map((group) => groupData(group, series)),
    phases: report.plan.phases.map(({ name, start_us }) => ({ name, at: seconds(start_us) })),
    faults: report.faults.map(faultData),
    concurrency: concurrency.map(({ name, points }) => ({
      name,
      at: points.map(({ atUs }) => seconds(atUs)),
      values: points.map(({ value }) => value),
    })),
    curves: curves.map(curveData),
  };
}

function groupData(group: SeriesGroup, { bucketUs }: RunSeries): GroupData {
  const { outcomes } = group;
  const perSecond = (counts: readonly number[] | null): Points | null => {
    if (counts?.every((count) => count === 0) ?? true) return null;
    return counts!.map((count) => Number((count / (bucketUs / 1e6)).toFixed(2)));
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

function faultData({ name, kind, ...fault }: FaultResult): ChartData["faults"][number] {
  const times = [fault.askedUs, fault.onsetUs, fault.restoreAskedUs, fault.clearedUs];
  return { name, kind, times: times.map((us) => (us === null ? null : seconds(us))) };
}

function curveData(curve: Curve): CurveData {
  const { load, arm, start, points } = curve;
  return {
    name: arm === "" ? load : `${load} ${arm}`,
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
