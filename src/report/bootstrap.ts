// Comparisons of two measured values: seconds are resampled, so that bursts stay together.
import type { Expression, Operand } from "../core/criterion.ts";
import { quantileOf } from "../core/measures.ts";
import type { Rng } from "../core/rng.ts";
import type { Blocked } from "./samples.ts";
import { nearestRank } from "./statistics.ts";

export const REPLICATES = 1_000;

/**
 * Values of one operand, largest first, each with its second; the share or quantile is taken of it.
 */
export interface Resampled {
  readonly quantile: number | null;
  readonly values: Float64Array;
  readonly seconds: Int32Array;
  /** Seconds of the window, those without samples included. */
  readonly blocks: number;
  /** Operands with the same key are resampled with the same seconds. */
  readonly window: string;
}

export function resampled(operand: Operand, data: Blocked, window: string): Resampled {
  const order = Int32Array.from(data.value, (_, i) => i);
  order.sort((a, b) => compare(data.value[b]!, data.value[a]!) || a - b);
  return {
    quantile: quantileOf(operand.measure),
    values: Float64Array.from(order, (i) => data.value[i]!),
    seconds: Int32Array.from(order, (i) => data.second[i]!),
    blocks: data.second.reduce((most, second) => Math.max(most, second + 1), 0),
    window,
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

/** The share or nearest-rank quantile with each value taken as often as its second was drawn. */
export function weighted(data: Resampled, times: Int32Array): number {
  let total = 0;
  for (let i = 0; i < data.values.length; i++) total += times[data.seconds[i]!]!;
  if (total === 0) return Number.NaN;
  if (data.quantile === null) {
    let sum = 0;
    for (let i = 0; i < data.values.length; i++) sum += data.values[i]! * times[data.seconds[i]!]!;
    return sum / total;
  }
  let fromTop = total - nearestRank(data.quantile, total) + 1;
  for (let i = 0; i < data.values.length; i++) {
    fromTop -= times[data.seconds[i]!]!;
    if (fromTop <= 0) return data.values[i]!;
  }
  return data.values.at(-1)!;
}

/** An expression's value, given what its operands are worth and the declared quota. */
export function evaluate(
  expr: Expression,
  worthOf: (operand: Operand) => number,
  quota: number | null,
): number {
  if (expr.kind === "number") return expr.value;
  if (expr.kind === "quota") return quota === null ? Number.NaN : expr.share * quota;
  if (expr.kind === "scaled") return expr.factor * worthOf(expr.operand);
  return Math.max(evaluate(expr.left, worthOf, quota), evaluate(expr.right, worthOf, quota));
}

export interface Difference {
  /** left − right, one-sided 95 % bounds of it, and two-sided ones of the left value. */
  readonly lower: number;
  readonly upper: number;
  readonly leftLow: number;
  readonly leftHigh: number;
}

/** Bootstrap of left − right. Same seed, same answer. */
export function bootstrap(
  left: Resampled,
  right: ReadonlyMap<Operand, Resampled>,
  expr: Expression,
  quota: number | null,
  rng: Rng,
): Difference {
  const differences: number[] = [];
  const lefts: number[] = [];
  for (let i = 0; i < REPLICATES; i++) {
    const drawn = new Map<string, Int32Array>();
    const value = (data: Resampled): number => {
      const times = drawn.get(data.window) ?? draw(blocksFor(data, left, right), rng);
      drawn.set(data.window, times);
      return weighted(data, times);
    };
    const mine = value(left);
    const limit = evaluate(expr, (operand) => value(right.get(operand)!), quota);
    if (Number.isNaN(mine) || Number.isNaN(limit)) continue; // only seconds without samples drawn
    lefts.push(mine);
    differences.push(mine === limit ? 0 : mine - limit);
  }
  differences.sort(compare);
  lefts.sort(compare);
  const at = (list: number[], p: number) => list[nearestRank(p, list.length) - 1]!;
  return {
    lower: at(differences, 0.05),
    upper: at(differences, 0.95),
    leftLow: at(lefts, 0.025),
    leftHigh: at(lefts, 0.975),
  };
}

/** Operands of one window share draws, so they share the number of seconds too. */
function blocksFor(
  data: Resampled,
  left: Resampled,
  right: ReadonlyMap<Operand, Resampled>,
): number {
  let blocks = data.blocks;
  for (const other of [left, ...right.values()])
    if (other.window === data.window) blocks = Math.max(blocks, other.blocks);
  return blocks;
}
