// Bootstrap of one run against another: seconds of each are resampled by themselves.
import type { Rng } from "../core/rng.ts";
import { compare, draw } from "./bootstrap.ts";
import type { Blocked } from "./samples.ts";
import { nearestRank } from "./statistics.ts";

/** Samples of one measure of one run, largest first, each with its second. */
export interface Seconds {
  readonly n: number;
  readonly values: Float64Array;
  readonly seconds: Int32Array;
  /** Seconds of the window up to the last one with samples, and those of them that hold any. */
  readonly blocks: number;
  readonly filled: number;
}

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

export function secondsOf(data: Blocked): Seconds {
  const n = data.value.length;
  const order = Int32Array.from({ length: n }, (_, i) => i);
  order.sort((x, y) => compare(data.value[y]!, data.value[x]!) || x - y);
  return {
    n,
    values: Float64Array.from(order, (i) => data.value[i]!),
    seconds: Int32Array.from(order, (i) => data.second[i]!),
    blocks: data.second.reduce((most, second) => Math.max(most, second + 1), 0),
    filled: new Set(data.second).size,
  };
}

/** Fewer replicates where samples are so many that they hardly differ. */
const REPLICATES_MAX = 2_000;
const REPLICATES_MIN = 200;
const WORK_MAX = 400_000_000;

/** Of each quantile (null = the mean) in A and B. Same generator state, same answer. */
export function spreadOf(
  a: Seconds,
  b: Seconds,
  quantiles: readonly (number | null)[],
  rng: Rng,
): Spread[] {
  const wanted = Math.floor(WORK_MAX / Math.max(1, a.n + b.n));
  const replicates = Math.min(REPLICATES_MAX, Math.max(REPLICATES_MIN, wanted));
  const drawnA: number[][] = [];
  const drawnB: number[][] = [];
  for (let i = 0; i < replicates; i++) {
    drawnA.push(measures(a, quantiles, draw(a.blocks, rng)));
    drawnB.push(measures(b, quantiles, draw(b.blocks, rng)));
  }
  const [trueA, trueB] = [a, b].map((side) => measures(side, quantiles, once(side.blocks)));
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

const once = (blocks: number): Int32Array => new Int32Array(blocks).fill(1);

/** Nearest-rank quantiles and means with each second taken as often as it was drawn. */
function measures(
  { values, seconds, n }: Seconds,
  quantiles: readonly (number | null)[],
  times: Int32Array,
): number[] {
  let total = 0;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const weight = times[seconds[i]!]!;
    total += weight;
    if (weight > 0) sum += weight * values[i]!;
  }
  const fromTop = quantiles.map((q) => (q === null ? 0 : total - nearestRank(q, total) + 1));
  const found = quantiles.map((q) => (q === null && total > 0 ? sum / total : Number.NaN));
  if (total === 0) return found;
  // The largest quantile comes first from the top.
  const order = quantiles.map((_, k) => k).filter((k) => quantiles[k] !== null);
  order.sort((x, y) => fromTop[x]! - fromTop[y]!);
  let passed = 0;
  let next = 0;
  for (let i = 0; i < n && next < order.length; i++) {
    passed += times[seconds[i]!]!;
    while (next < order.length && passed >= fromTop[order[next]!]!)
      found[order[next++]!] = values[i]!;
  }
  return found;
}
