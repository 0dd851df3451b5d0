// recovery(w): from the observed clearing until the steady state holds again, second by second.
import type { Criterion } from "../core/criterion.ts";
import { measureInfo, quantileOf } from "../core/measures.ts";
import { runUs, US_PER_S } from "../core/time.ts";
import { type Wish, wishOf } from "./sample-verdict.ts";
import { type SampleEvidence, Samples } from "./samples.ts";
import { selectionOf } from "./selection.ts";
import { feed } from "./sources.ts";
import { nearestRank } from "./statistics.ts";
import type { Tables } from "./tables.ts";

/** Good seconds in a row that count as recovered. */
export const GOOD_SECONDS = 5;

export interface Recovery {
  /** µs from clearing to the first of the good seconds; null = not seen. */
  readonly us: number | null;
  /** When not seen: it cannot have been sooner than this (µs from clearing). */
  readonly atLeastUs: number;
  readonly observedUs: number;
}

/**
 * Looks for five consecutive seconds in which every steady criterion holds on point estimates. A
 * second without arrivals neither counts nor breaks. Seconds are counted from `clearedUs`.
 */
export function recoveryOf(
  tables: Tables,
  steady: readonly Criterion[],
  clearedUs: number,
  observedEndUs: number,
): Recovery {
  const seconds = Math.max(0, Math.floor((observedEndUs - clearedUs) / US_PER_S));
  const endUs = clearedUs + seconds * US_PER_S;
  const holds: (boolean | null)[] = new Array(seconds).fill(null);
  for (const criterion of steady) {
    const good = steadyBySecond(tables, criterion, clearedUs, endUs);
    for (const [second, state] of good.entries())
      if (state !== null && second < seconds) holds[second] = (holds[second] ?? true) && state;
  }
  return firstStreak(holds, seconds * US_PER_S);
}

/** The first of five good seconds in a row; pure over what each second said. */
export function firstStreak(holds: readonly (boolean | null)[], observedUs: number): Recovery {
  let start = -1;
  let length = 0;
  for (const [second, state] of holds.entries()) {
    if (state === null) continue;
    if (!state) {
      start = -1;
      length = 0;
      continue;
    }
    if (length++ === 0) start = second;
    if (length >= GOOD_SECONDS) return { us: start * US_PER_S, atLeastUs: 0, observedUs };
  }
  const atLeastUs = start >= 0 ? start * US_PER_S : observedUs;
  return { us: null, atLeastUs, observedUs };
}

/** By second from `fromUs`: does the criterion hold on what was seen, null = nothing was. */
export function steadyBySecond(
  tables: Tables,
  criterion: Criterion,
  fromUs: number,
  toUs: number,
): (boolean | null)[] {
  const found = steadySamples(tables, criterion, fromUs, toUs);
  if (found === null) return [];
  const { n, k } = found.perSecond;
  return n.map((count, second) => (count === 0 ? null : holdsFor(found.wish, count, k[second]!)));
}

/** The samples of a steady criterion that were due in a span; null = it is not sampled. */
export function steadySamples(
  tables: Tables,
  { operand, op, expr }: Criterion,
  fromUs: number,
  toUs: number,
): (Pick<SampleEvidence, "n" | "k" | "perSecond"> & { readonly wish: Wish }) | null {
  if (measureInfo(operand.measure)?.basis !== "sample" || expr.kind !== "number") return null;
  const wish = wishOf(quantileOf(operand.measure), op, expr.value);
  const span = { name: "span", startUs: runUs(fromUs), endUs: runUs(toUs), coverage: 1 };
  const samples = new Samples(span, wish.isEvent, { values: false });
  feed(tables, operand.measure, selectionOf(tables.plan, operand), samples);
  return { ...samples.evidence(), wish };
}

/** Point estimate: a share as it is, a percentile by nearest rank. */
export function holdsFor(wish: Wish, n: number, k: number): boolean {
  if (wish.quantile === null) return k / n <= wish.allowed + 1e-12;
  const rank = nearestRank(wish.quantile, n);
  return wish.atLeast ? k < rank : k <= n - rank;
}
