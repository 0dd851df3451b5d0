// Sample criteria: exceedances against an allowance, by exact one-sided bounds.
import type { Comparison } from "../core/criterion.ts";
import { formatNumber } from "../core/format.ts";
import type { VerdictName } from "../core/verdict.ts";
import { BLOCKS_MIN } from "./design-effect.ts";
import type { ExactValues } from "./exact-values.ts";
import type { IsEvent, SampleEvidence } from "./samples.ts";
import {
  binomialAtLeast,
  type Interval,
  quantileRanks,
  samplesForBound,
  samplesToPass,
  shareAtLeast,
  shareAtMost,
  shareInterval,
} from "./statistics.ts";

/** A wish about a percentile or a rate as "the share of unwanted events is at most `allowed`". */
export interface Wish {
  readonly isEvent: IsEvent;
  readonly allowed: number;
  /** 0–1 for a percentile, null for a rate. */
  readonly quantile: number | null;
  /** True when the measure should be large: shares are shown as 1 − share. */
  readonly atLeast: boolean;
}

/** `p99 <= 300ms` → at most 1 % above 300 ms; `degraded.rate >= 95%` → at most 5 % not degraded. */
export function wishOf(quantile: number | null, op: Comparison, limit: number): Wish {
  const atLeast = op === ">=" || op === ">";
  if (quantile === null) {
    const isEvent: IsEvent = atLeast ? (value) => value === 0 : (value) => value === 1;
    return { isEvent, allowed: atLeast ? 1 - limit : limit, quantile, atLeast };
  }
  const isEvent: { readonly [op in Comparison]: IsEvent } = {
    "<=": (value) => value > limit,
    "<": (value) => value >= limit,
    ">=": (value) => value < limit,
    ">": (value) => value <= limit,
    "==": (value) => value !== limit,
  };
  const allowed = atLeast ? quantile : 1 - quantile;
  return { isEvent: isEvent[op], allowed, quantile, atLeast };
}

export interface SampleVerdict {
  readonly verdict: VerdictName;
  /** One-sided p-value of FAIL, for Holm's correction. */
  readonly pFail: number;
  readonly margin: number;
  /** Interval of the unwanted share. */
  readonly interval: Interval;
  readonly needs: number | null;
  /** Why it is undecided; "" when it is decided. */
  readonly undecided: string;
}

/** Judges a wish. `primary` ones need ten blocks of time: fewer say nothing about bursts. */
export function judgeSample(wish: Wish, evidence: SampleEvidence, primary: boolean): SampleVerdict {
  const { effective } = evidence;
  const { allowed } = wish;
  const upper = shareAtMost(effective.k, effective.n);
  const lower = shareAtLeast(effective.k, effective.n);
  const interval = shareInterval(effective.k, effective.n);
  const decided = (verdict: VerdictName, bound: number, pFail: number): SampleVerdict => {
    const margin = allowed - bound;
    return { verdict, pFail, margin, interval, needs: null, undecided: "" };
  };
  // "No error at all" is a statement about this run: counted, not estimated.
  if (allowed <= 1e-12) {
    const share = evidence.k / evidence.n;
    return decided(evidence.k === 0 ? "pass" : "fail", share, evidence.k === 0 ? 1 : 0);
  }
  if (primary && effective.blocks < BLOCKS_MIN) return judgeFewBlocks(wish, evidence, interval);
  const pFail = binomialAtLeast(effective.k, effective.n, allowed);
  if (lower > allowed) return decided("fail", lower, pFail);
  if (upper <= allowed) return decided("pass", upper, pFail);
  const needs = samplesNeeded(wish, evidence);
  const undecided = undecidedText(wish, evidence, needs);
  return { verdict: "inconclusive", pFail, margin: allowed - upper, interval, needs, undecided };
}

/** Each block as one sample: enough to condemn what is bad throughout, never to acquit. */
function judgeFewBlocks(wish: Wish, evidence: SampleEvidence, interval: Interval): SampleVerdict {
  const { n, k, effective } = evidence;
  const { blocks } = effective;
  const { allowed } = wish;
  const lower = shareAtLeast((k / n) * blocks, blocks);
  const pFail = binomialAtLeast((k / n) * blocks, blocks, allowed);
  if (lower > allowed)
    return {
      ...{ verdict: "fail", pFail, margin: allowed - lower, interval, needs: null },
      undecided: "",
    };
  const undecided = `only ${blocks} blocks of a second, a primary criterion needs ${BLOCKS_MIN}`;
  const upper = shareAtMost(effective.k, effective.n);
  const enough = upper <= allowed || shareAtLeast(effective.k, effective.n) > allowed;
  const wanted = enough ? n : samplesNeeded(wish, evidence);
  const needs = wanted === null ? null : Math.max(wanted, Math.ceil((n * BLOCKS_MIN) / blocks));
  return {
    ...{ verdict: "inconclusive", pFail, margin: allowed - upper, interval, needs, undecided },
  };
}

/** Samples for a decision if things go on as they are; null when the truth is too close to call. */
function samplesNeeded(wish: Wish, { n, k, effective }: SampleEvidence): number | null {
  const share = k / n;
  const worth = n / effective.n;
  const half = samplesToPass(wish.allowed);
  if (effective.n < half && share < wish.allowed * 1.5) return Math.ceil(half * worth);
  for (let factor = 1.25; factor <= 64; factor *= 1.25) {
    const [more, events] = [effective.n * factor, effective.k * factor];
    if (shareAtMost(events, more) <= wish.allowed || shareAtLeast(events, more) > wish.allowed)
      return Math.ceil(n * factor);
  }
  return null;
}

function undecidedText(wish: Wish, { n }: SampleEvidence, needs: number | null): string {
  const { quantile, atLeast } = wish;
  if (quantile !== null && !atLeast && n < samplesForBound(quantile)) {
    const bound = formatNumber(samplesForBound(quantile));
    return `${formatNumber(n)} samples have no upper bound, at least ${bound} are needed`;
  }
  return needs === null ? "too close to the limit to tell" : `needs ~${roundedUp(needs)}`;
}

/** 1,941 → `2,000`: two digits say as much as the estimate knows. */
export function roundedUp(needs: number): string {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(needs)) - 1);
  return formatNumber(Math.ceil(needs / unit) * unit);
}

/** Two-sided 95 % interval of the quantile itself (µs), on effective ranks; +∞ = no upper end. */
export function quantileInterval(quantile: number, evidence: SampleEvidence): Interval {
  const { values, effective } = evidence;
  if (values === null || values.n === 0) return { low: 0, high: Number.POSITIVE_INFINITY };
  const { low, high } = effectiveInterval(quantile, values, effective.n);
  return {
    low: Number.isNaN(low) ? 0 : low,
    high: Number.isNaN(high) ? Number.POSITIVE_INFINITY : high,
  };
}

/**
 * The ranks that so many independent samples would have, as ranks of those that there are. NaN =
 * this side has no bound yet.
 */
export function effectiveInterval(
  quantile: number,
  values: ExactValues,
  effectiveN: number,
): Interval {
  const { n } = values;
  const size = Math.max(1, Math.floor(effectiveN));
  const { low, high } = quantileRanks(quantile, size);
  const at = (rank: number): number => {
    if (rank < 1 || rank > size) return Number.NaN;
    return values.atRank(Math.min(n, Math.max(1, Math.round((rank * n) / size))));
  };
  return { low: at(low), high: at(high) };
}
