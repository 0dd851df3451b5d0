// recovery(w): from the observed clearing until the steady state holds again, second by second.
import type { Criterion } from "../core/criterion.ts";
import { measureInfo, quantileOf } from "../core/measures.ts";
import { US_PER_S } from "../core/time.ts";
import type { Window } from "../core/window.ts";
import { type Wish, wishOf } from "./sample-verdict.ts";
import { Samples } from "./samples.ts";
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
  const window = {
    name: "recovery",
    startUs: clearedUs,
    endUs: clearedUs + seconds * US_PER_S,
    coverage: 1,
  } as Window;
  const holds: (boolean | null)[] = new Array(seconds).fill(null);
  for (const criterion of steady) {
    const good = perSecond(tables, criterion, window);
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

/** By second: does the criterion hold on what was seen, null = nothing was. */
function perSecond(tables: Tables, criterion: Criterion, window: Window): (boolean | null)[] {
  const { operand, op, expr } = criterion;
  if (measureInfo(operand.measure)?.basis !== "sample" || expr.kind !== "number") return [];
  const quantile = quantileOf(operand.measure);
  const wish = wishOf(quantile, op, expr.value);
  const samples = new Samples(window, wish.isEvent, { values: false });
  feed(tables, operand.measure, selectionOf(tables.plan, operand), samples);
  const { n, k } = samples.evidence().perSecond;
  return n.map((count, second) => (count === 0 ? null : holdsFor(wish, count, k[second]!)));
}

/** Point estimate: a share as it is, a percentile by nearest rank. */
export function holdsFor(wish: Wish, n: number, k: number): boolean {
  if (wish.quantile === null) return k / n <= wish.allowed + 1e-12;
  const rank = nearestRank(wish.quantile, n);
  return wish.atLeast ? k < rank : k <= n - rank;
}
