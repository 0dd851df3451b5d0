// Forms the calls of a batch target from its items: full, or waited for long enough.
import type { Arrival, Batch, FormBatches } from "../core/arrival.ts";
import { type RunUs, runUs } from "../core/time.ts";

/** What one call may carry. */
export interface CallLimits {
  readonly itemsMax: number;
  readonly callBytesMax: number;
  /** How long a call's first item waits for others. */
  readonly lingerUs: number;
}

/**
 * Pure: which items share a call depends on the plan's times alone, never on replies. `sizeBytes`
 * says what an item counts for, and throws `scenario` for one that is refused whatever happens.
 */
export function formCalls(
  limits: CallLimits,
  sizeBytesOf: (arrival: Arrival) => number,
): FormBatches {
  return function* (arrivals) {
    let filling: Filling | null = null;
    for (const arrival of arrivals) {
      const sizeBytes = sizeBytesOf(arrival);
      if (filling !== null && filling.untilUs < arrival.dueUs) {
        yield batch(filling, runUs(filling.untilUs));
        filling = null;
      } else if (filling !== null && filling.sizeBytes + sizeBytes > limits.callBytesMax) {
        yield batch(filling, arrival.dueUs);
        filling = null;
      }
      filling ??= { arrivals: [], sizeBytes: 0, untilUs: arrival.dueUs + limits.lingerUs };
      filling.arrivals.push(arrival);
      filling.sizeBytes += sizeBytes;
      if (filling.arrivals.length < limits.itemsMax) continue;
      yield batch(filling, arrival.dueUs);
      filling = null;
    }
    if (filling !== null) yield batch(filling, runUs(filling.untilUs));
  };
}

interface Filling {
  readonly arrivals: Arrival[];
  sizeBytes: number;
  readonly untilUs: number;
}

const batch = ({ arrivals }: Filling, readyUs: RunUs): Batch => ({ arrivals, readyUs });
