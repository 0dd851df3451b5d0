// Exact binomial statistics of the gate: intervals, ranks, tests and how many samples a decision
// needs.
import { betaQuantile, regularisedBeta } from "./beta.ts";

/** Error allowed to each side of a decision: a one-sided 95 % bound. */
export const ALPHA = 0.05;

/** P(Bin(n, share) ≤ k); k and n may be fractions after the correction for bursts. */
export function binomialAtMost(k: number, n: number, share: number): number {
  if (k < 0) return 0;
  return k >= n ? 1 : 1 - regularisedBeta(share, k + 1, n - k);
}

/** P(Bin(n, share) ≥ k). */
export function binomialAtLeast(k: number, n: number, share: number): number {
  return k <= 0 ? 1 : regularisedBeta(share, k, n - k + 1);
}

/** Clopper–Pearson lower bound of a share, `alpha` below it. 0 without events. */
export function shareAtLeast(k: number, n: number, alpha = ALPHA): number {
  return k <= 0 || n <= 0 ? 0 : betaQuantile(alpha, k, n - k + 1);
}

/** Clopper–Pearson upper bound of a share, `alpha` above it. 1 when every sample is an event. */
export function shareAtMost(k: number, n: number, alpha = ALPHA): number {
  if (n <= 0 || k >= n) return 1;
  return k <= 0 ? 1 - alpha ** (1 / n) : betaQuantile(1 - alpha, k + 1, n - k);
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Two-sided 95 % Clopper–Pearson interval, the one that is printed. */
export function shareInterval(k: number, n: number): Interval {
  return { low: shareAtLeast(k, n, ALPHA / 2), high: shareAtMost(k, n, ALPHA / 2) };
}

/** Nearest rank (type 1): the 1-based rank of the p-quantile among n samples. */
export function nearestRank(p: number, n: number): number {
  return Math.min(n, Math.max(1, Math.ceil(p * n * (1 - 1e-12))));
}

/**
 * Ranks (1-based) of a distribution-free two-sided interval of the p-quantile (Conover):
 * low = 0 or high = n + 1 means that this side has no bound yet.
 */
export function quantileRanks(p: number, n: number, alpha = ALPHA): Interval {
  const smallest = (target: number): number => {
    let low = 0;
    let high = n + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (binomialAtMost(middle - 1, n, p) >= target && middle > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const high = smallest(1 - alpha / 2);
  let low = smallest(alpha / 2);
  if (low > 0 && binomialAtMost(low - 1, n, p) > alpha / 2) low--;
  return { low, high };
}

/** Fewest samples for which the p-quantile has an upper bound: ln α ÷ ln p, one-sided. */
export function samplesForBound(p: number, alpha = ALPHA): number {
  return Math.ceil(Math.log(alpha) / Math.log(p) - 1e-9);
}

/** Most events among n with which "share ≤ limit" passes; −1 when nothing can pass. */
export function mostToPass(n: number, limit: number): number {
  let low = -1;
  let high = Math.ceil(n * limit) + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (binomialAtMost(middle, n, limit) <= ALPHA) low = middle;
    else high = middle;
  }
  return low;
}

/** Fewest events among n with which "share ≤ limit" fails. */
export function fewestToFail(n: number, limit: number): number {
  let low = Math.floor(n * limit);
  let high = n + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (binomialAtLeast(middle, n, limit) <= ALPHA) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * Samples for an 80 % chance to pass "share ≤ limit" when the true share is `truth` (half the
 * allowance if not given), whatever is added to them. Infinity when the truth is no better than the
 * limit.
 */
export function samplesToPass(limit: number, truth = limit / 2, power = 0.8): number {
  if (!(truth < limit) || limit <= 0) return Number.POSITIVE_INFINITY;
  for (let events = 0; events < 5_000; events++) {
    const n = samplesForEvents(events, limit);
    const last = samplesForEvents(events + 1, limit) - 1;
    if (binomialAtMost(events, last, truth) >= power) return n;
  }
  return Number.POSITIVE_INFINITY;
}

/** Fewest samples with which `events` events still pass. */
function samplesForEvents(events: number, limit: number): number {
  let low = events;
  let high = Math.ceil((events + 4 + 3 * Math.sqrt(events + 4)) / limit);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (binomialAtMost(events, middle, limit) <= ALPHA) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * Holm's step-down (1979): which of these one-sided tests reject when all are asked at once.
 * The i-th smallest p-value must be at most α ÷ (m − i).
 */
export function holm(pValues: readonly number[], alpha = ALPHA): boolean[] {
  const order = pValues.map((_, i) => i).sort((a, b) => pValues[a]! - pValues[b]!);
  const rejected = pValues.map(() => false);
  for (const [step, i] of order.entries()) {
    if (pValues[i]! > alpha / (pValues.length - step)) break;
    rejected[i] = true;
  }
  return rejected;
}
