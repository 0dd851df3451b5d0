// Counts what a driver plans, before anything is sent: the left side of the balance.
import type { Arrival } from "../core/arrival.ts";
import { US_PER_S } from "../core/time.ts";

export interface Planned {
  readonly planned: number;
  /** Arrivals by whole second of the run in which they are due, by index. */
  readonly perSecond: readonly number[];
}

/** Reads the whole schedule; drivers are pure, so the workers' own reading gives the same. */
export function countPlanned(arrivals: Iterable<Arrival>): Planned {
  const perSecond: number[] = [];
  let planned = 0;
  for (const { dueUs } of arrivals) {
    const second = Math.max(0, Math.floor(dueUs / US_PER_S));
    while (perSecond.length <= second) perSecond.push(0);
    perSecond[second]!++;
    planned++;
  }
  return { planned, perSecond };
}
