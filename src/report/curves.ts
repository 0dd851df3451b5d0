// Percentile curves of response time by load, arm and start, each point with its interval.
import { outcomeCode } from "../core/outcome.ts";
import type { ArrivalTable } from "./arrival-table.ts";
import { STARTS, type Start } from "./platform-index.ts";
import { nearestRank, quantileRanks } from "./statistics.ts";
import type { Tables } from "./tables.ts";

/** Points per tenfold of 1 ÷ (1 − p): the Renard series R10, which holds 1, 2, 5 and 10 exactly. */
const STEPS = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8];

const OK = outcomeCode("ok");
const UNKNOWN = outcomeCode("unknown");

/** µs; +∞ = never answered, NaN = this side has no bound yet. */
export interface CurvePoint {
  /** 1 ÷ (1 − p): 100 for p99. */
  readonly tail: number;
  readonly us: number;
  /** Two-sided 95 % interval by order statistics (Conover), without correction for bursts. */
  readonly lowUs: number;
  readonly highUs: number;
}

export interface Curve {
  readonly load: string;
  readonly arm: string;
  readonly start: Start | "all";
  readonly n: number;
  readonly points: readonly CurvePoint[];
}

/** The rows of the latency table as curves: one per start that was seen, or one for all. */
export function curvesOf(tables: Tables): Curve[] {
  return tables.arrivals.flatMap((table) => {
    const load = tables.plan.loads[table.load]!.name;
    const arm = tables.plan.arms[table.arm] ?? "";
    const split = STARTS.map((start, code) => {
      const isOfStart = (report: number) => tables.platform.startOf(report) === code;
      return { start, ...sortedOf(table, isOfStart) };
    });
    const known = split.filter((one) => one.start !== "unjoined" && one.n > 0);
    const rows = known.length > 0 ? known : [{ start: "all" as const, ...sortedOf(table) }];
    return rows
      .filter((row) => row.n > 0)
      .map(({ start, n, values }) => ({ load, arm, start, n, points: pointsOf(values, n) }));
  });
}

interface Sorted {
  readonly n: number;
  /** Those that answered; the rest of `n` never did. */
  readonly values: Int32Array;
}

function sortedOf(table: ArrivalTable, accepts: (report: number) => boolean = () => true): Sorted {
  const values = new Int32Array(table.length);
  let answered = 0;
  let unknown = 0;
  for (let i = 0; i < table.length; i++) {
    if (!accepts(table.report[i]!)) continue;
    if (table.outcome[i] === UNKNOWN) unknown++;
    else if (table.outcome[i] === OK) values[answered++] = table.responseUs[i]!;
  }
  return { n: answered + unknown, values: values.slice(0, answered).sort() };
}

function pointsOf(values: Int32Array, n: number): CurvePoint[] {
  const at = (rank: number): number => {
    if (rank < 1 || rank > n) return Number.NaN;
    return rank > values.length ? Number.POSITIVE_INFINITY : values[rank - 1]!;
  };
  const tails: number[] = [];
  for (let ten = 0; 10 ** ten < n; ten++)
    tails.push(...STEPS.map((step) => Number(`${step}e${ten}`)).filter((tail) => tail < n));
  tails.push(n);
  return tails.map((tail) => {
    const p = tail === n ? 1 : 1 - 1 / tail;
    if (p === 0 || p === 1) {
      const us = at(p === 0 ? 1 : n);
      return { tail, us, lowUs: us, highUs: us };
    }
    const { low, high } = quantileRanks(p, n);
    return { tail, us: at(nearestRank(p, n)), lowUs: at(low), highUs: at(high) };
  });
}
