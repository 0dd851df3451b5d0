// Intervals of the percentiles in the table of response times, corrected for bursts.
import { outcomeCode } from "../core/outcome.ts";
import { US_PER_S } from "../core/time.ts";
import type { ArrivalTable } from "./arrival-table.ts";
import { effectiveSample } from "./design-effect.ts";
import type { ExactValues } from "./exact-values.ts";
import type { PlatformIndex } from "./platform-index.ts";
import { effectiveInterval } from "./sample-verdict.ts";
import type { Interval } from "./statistics.ts";

const OK = outcomeCode("ok");
const UNKNOWN = outcomeCode("unknown");
const QUANTILES = [0.5, 0.95, 0.99] as const;

export interface RowIntervals {
  readonly p50: Interval;
  readonly p95: Interval;
  readonly p99: Interval;
}

/** Samples by second of `due`, and those of them beyond each of the three percentiles. */
interface Row {
  readonly bag: ExactValues;
  readonly limitsUs: readonly number[];
  readonly n: number[];
  readonly beyond: readonly number[][];
}

/**
 * Of each bag: one for each start by its code, then that of all. NaN = this side has no bound yet.
 * The share beyond the found percentile is compared between seconds: where it comes in bursts, the
 * samples are worth less (design-effect), and the interval is wider.
 */
export function rowIntervals(
  { length, outcome, dueUs, responseUs, report }: ArrivalTable,
  platform: PlatformIndex,
  bags: readonly ExactValues[],
): RowIntervals[] {
  const rows = bags.map((bag): Row => {
    const limitsUs = QUANTILES.map((q) => bag.quantile(q));
    return { bag, limitsUs, n: [], beyond: QUANTILES.map(() => []) };
  });
  const all = rows.at(-1)!;
  for (let i = 0; i < length; i++) {
    if (outcome[i] !== OK && outcome[i] !== UNKNOWN) continue;
    const us = outcome[i] === OK ? responseUs[i]! : Number.POSITIVE_INFINITY;
    const second = Math.max(0, Math.floor(dueUs[i]! / US_PER_S));
    count(rows[platform.startOf(report[i]!)]!, second, us);
    count(all, second, us);
  }
  return rows.map(intervalsOf);
}

function count({ limitsUs, n, beyond }: Row, second: number, us: number): void {
  while (n.length <= second) {
    n.push(0);
    for (const list of beyond) list.push(0);
  }
  n[second]!++;
  for (const [q, limitUs] of limitsUs.entries()) if (us > limitUs) beyond[q]![second]!++;
}

function intervalsOf({ bag, n, beyond }: Row): RowIntervals {
  const [p50, p95, p99] = QUANTILES.map((q, i) =>
    effectiveInterval(q, bag, effectiveSample({ n, k: beyond[i]! }, 0).n),
  );
  return { p50: p50!, p95: p95!, p99: p99! };
}
