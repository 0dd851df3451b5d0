// What became of the arrivals that were due in each phase: exact, however wide the timeline is cut.
import { outcomeCode } from "../core/outcome.ts";
import { UNSEEN } from "./arrival-table.ts";
import type { Tables } from "./tables.ts";

const OK = outcomeCode("ok");

/** Of all loads together; the phase as it was planned, [startUs, endUs). */
export interface PhaseCounts {
  readonly name: string;
  readonly startUs: number;
  readonly endUs: number;
  readonly sent: number;
  readonly dropped: number;
  /** The degraded ones too, as in the balance. */
  readonly ok: number;
  readonly degraded: number;
  readonly throttled: number;
  readonly errored: number;
  readonly unknown: number;
  readonly attempts: number;
}

/** In the order of the plan. */
export function phaseCountsOf({ plan, arrivals }: Tables): PhaseCounts[] {
  const sums = plan.phases.map(({ name, start_us: startUs, end_us: endUs }) => {
    const by = [0, 0, 0, 0, 0];
    return { name, startUs, endUs, by, degraded: 0, attempts: 0 };
  });
  for (const { length, outcome, dueUs, degraded, last } of arrivals)
    for (let i = 0; i < length; i++) {
      if (outcome[i] === UNSEEN) continue;
      const sum = sums.find(({ startUs, endUs }) => dueUs[i]! >= startUs && dueUs[i]! < endUs);
      if (sum === undefined) continue;
      sum.by[outcome[i]!]!++;
      sum.attempts += last[i]!;
      if (outcome[i] === OK && degraded[i] === 1) sum.degraded++;
    }
  return sums.map(({ by, ...sum }) => {
    const [ok = 0, throttled = 0, errored = 0, unknown = 0, dropped = 0] = by;
    const sent = ok + throttled + errored + unknown;
    return { ...sum, sent, ok, throttled, errored, unknown, dropped };
  });
}
