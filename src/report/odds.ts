// Before a run: how likely a sample criterion is to be decided by so many samples.
import { binomialAtMost, mostToPass, samplesForBound, samplesToPass } from "./statistics.ts";

/** From these odds on a criterion counts as one that will be decided. */
export const ODDS_WANTED = 0.8;

/** Nothing is sampled where no event at all is allowed: one event decides, and so does none. */
const isCensus = (allowed: number): boolean => allowed <= 1e-12;

/**
 * Chance that "share ≤ allowed" passes on `n` independent samples when the true share is `truth`:
 * P(Bin(n, truth) ≤ c), c being the most events with P(Bin(n, allowed) ≤ c) ≤ 5 % (the exact test).
 * By default the truth is half the allowance: good, but not flawless. Bursts make it less.
 */
export function oddsToPass(n: number, allowed: number, truth = allowed / 2): number {
  if (n < 1) return 0;
  if (isCensus(allowed)) return 1;
  const most = mostToPass(Math.floor(n), allowed);
  return most < 0 ? 0 : binomialAtMost(most, Math.floor(n), truth);
}

/** Fewest samples with which "share ≤ allowed" can pass at all: without one event among them. */
export function fewestToPass(allowed: number): number {
  return isCensus(allowed) ? 1 : samplesForBound(1 - Math.min(allowed, 1 - 1e-9));
}

/** Samples for 80 % odds at half the allowance. */
export function samplesWanted(allowed: number): number {
  return isCensus(allowed) ? 1 : samplesToPass(allowed, allowed / 2, ODDS_WANTED);
}
