// Comparisons of two measured values: seconds are resampled, so that bursts stay together.
import type { Expression, Operand } from "../core/criterion.ts";
import { quantileOf } from "../core/measures.ts";
import type { Rng } from "../core/rng.ts";
import type { Blocked } from "./samples.ts";
import { compare, draw, measuresOf, type Seconds, secondsOf } from "./seconds.ts";
import { nearestRank } from "./statistics.ts";

export const REPLICATES = 1_000;

/** One operand's samples; the share or quantile is taken of them. */
export interface Resampled extends Seconds {
  readonly quantile: number | null;
  /** Operands with the same key are resampled with the same seconds. */
  readonly window: string;
}

export const resampled = (operand: Operand, data: Blocked, window: string): Resampled => {
  return { ...secondsOf(data), quantile: quantileOf(operand.measure), window };
};

/** What an operand comes to with each second taken so often; NaN = no second with samples was. */
export const worth = (data: Resampled, times: Int32Array): number =>
  measuresOf(data, [data.quantile], times)[0]!;

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
      return worth(data, times);
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
