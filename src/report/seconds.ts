// Samples with the seconds they fell into, for resampling: of whole seconds bursts stay together.
import type { Rng } from "../core/rng.ts";
import type { Blocked } from "./samples.ts";
import { nearestRank } from "./statistics.ts";

/** Samples of one measure, largest first, each with its second. */
export interface Seconds {
  readonly n: number;
  readonly values: Float64Array;
  readonly seconds: Int32Array;
  /** Seconds up to the last one with samples, and those of them that hold any. */
  readonly blocks: number;
  readonly filled: number;
}

/** Fewer seconds say nothing about how much one differs from the next. */
export const SECONDS_MIN = 10;

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

/** +∞ − +∞ is NaN, so infinities are compared, never subtracted. */
export const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Times each second is drawn; whole seconds, as many as there are. */
export function draw(blocks: number, rng: Rng): Int32Array {
  const times = new Int32Array(blocks);
  for (let i = 0; i < blocks; i++) times[Math.floor(rng.next() * blocks)]!++;
  return times;
}

/** Each second once: the samples as they are. */
export const once = (blocks: number): Int32Array => new Int32Array(blocks).fill(1);

/**
 * Nearest-rank quantiles (null = the mean) with each second taken as often as it was drawn; NaN
 * when only seconds without samples were.
 */
export function measuresOf(
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
