// How much was in flight, second by second, over all slices of a run.
import type { HealthEvent } from "../core/facts.ts";
import { US_PER_S } from "../core/time.ts";

type Look = HealthEvent & { readonly t: number };

/**
 * Each slice looks once a second by itself, so the looks of one second are added up; where one
 * happened to look twice in it, the sum is taken in proportion. `names`: of loads.
 */
export function inFlightBySecond(
  health: readonly Look[],
  names: ReadonlySet<string>,
  slices: number,
): ReadonlyMap<number, number> {
  const bySecond = new Map<number, number[]>();
  for (const { t, loads } of health) {
    const second = Math.floor(t / US_PER_S);
    const looks = bySecond.get(second) ?? [];
    const chosen = loads.filter(({ name }) => names.has(name));
    looks.push(chosen.reduce((sum, { in_flight: count }) => sum + count, 0));
    bySecond.set(second, looks);
  }
  return new Map([...bySecond].map(([second, looks]) => [second, levelOf(looks, slices)] as const));
}

/** Of one machine alone the higher of two looks counts. */
function levelOf(looks: readonly number[], slices: number): number {
  if (slices <= 1) return Math.max(...looks);
  const sum = looks.reduce((total, look) => total + look, 0);
  return Math.round(looks.length > slices ? (sum * slices) / looks.length : sum);
}
