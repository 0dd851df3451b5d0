// Bootstrap of one side against another: of two runs each by itself, of pairs second by second.
import type { Rng } from "../core/rng.ts";
import { compare, draw, measuresOf, once, type Seconds } from "./seconds.ts";
import { nearestRank } from "./statistics.ts";

/** An estimate with its two-sided 95 % interval. */
export interface Ratio {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

export interface Spread {
  readonly a: number;
  readonly b: number;
  /** B ÷ A; null where A is 0 or either is without end. */
  readonly ratio: Ratio | null;
  readonly difference: Ratio;
  /** Two-sided: twice how often resampling says the opposite, or that there is no difference. */
  readonly p: number;
}

/** Fewer replicates where samples are so many that they hardly differ. */
const REPLICATES_MAX = 2_000;
const REPLICATES_MIN = 200;
const WORK_MAX = 400_000_000;

/**
 * Of each quantile (null = the mean) in A and B. Same generator state, same answer. `paired`: both
 * are of the same seconds, which are then drawn for both at once: what they share is no difference.
 */
export function spreadOf(
  a: Seconds,
  b: Seconds,
  quantiles: readonly (number | null)[],
  rng: Rng,
  paired = false,
): Spread[] {
  const wanted = Math.floor(WORK_MAX / Math.max(1, a.n + b.n));
  const replicates = Math.min(REPLICATES_MAX, Math.max(REPLICATES_MIN, wanted));
  const drawnA: number[][] = [];
  const drawnB: number[][] = [];
  for (let i = 0; i < replicates; i++) {
    const times = draw(a.blocks, rng);
    drawnA.push(measuresOf(a, quantiles, times));
    drawnB.push(measuresOf(b, quantiles, paired ? times : draw(b.blocks, rng)));
  }
  const [trueA, trueB] = [a, b].map((side) => measuresOf(side, quantiles, once(side.blocks)));
  return quantiles.map((_, i) => {
    const pairs = drawnA.map((values, k) => [values[i]!, drawnB[k]![i]!] as const);
    return spread(trueA![i]!, trueB![i]!, pairs);
  });
}

function spread(a: number, b: number, pairs: readonly (readonly [number, number])[]): Spread {
  const known = pairs.filter(([x, y]) => !Number.isNaN(x) && !Number.isNaN(y));
  const differences = known.map(([x, y]) => minus(y, x)).sort(compare);
  const ratios = known.map(([x, y]) => over(y, x)).sort(compare);
  const estimate = over(b, a);
  const ratio = Number.isFinite(estimate) ? { estimate, ...ends(ratios) } : null;
  const notMore = differences.filter((d) => d <= 0).length;
  const notLess = differences.filter((d) => d >= 0).length;
  const p = Math.min(1, (2 * (Math.min(notMore, notLess) + 1)) / (known.length + 1));
  return { a, b, ratio, difference: { estimate: minus(b, a), ...ends(differences) }, p };
}

const minus = (x: number, y: number): number => (x === y ? 0 : x - y);
const over = (x: number, y: number): number => (x === y ? 1 : x / y);

function ends(sorted: readonly number[]): { readonly low: number; readonly high: number } {
  const at = (p: number): number => sorted[nearestRank(p, sorted.length) - 1] ?? Number.NaN;
  return { low: at(0.025), high: at(0.975) };
}
