// Forms the calls of a stream's load from its records: full, or waited for long enough.
import type { Arrival, Batch, FormBatches } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import { type RunUs, runUs } from "../core/time.ts";

/** What one call may carry; data and partition keys count. */
export interface CallLimits {
  readonly recordsMax: number;
  readonly callBytesMax: number;
  readonly recordBytesMax: number;
  /** How long a call's first record waits for others. */
  readonly lingerUs: number;
}

/** PutRecords (API reference): 500 records, 10 MiB; a stream's records 1 MiB unless it says more. */
export const PUT_RECORDS = {
  recordsMax: 500,
  callBytesMax: 10 * 1_048_576,
  recordBytesMax: 1_048_576,
} as const;

/**
 * Pure: which records share a call depends on the plan's times alone, never on replies. Throws
 * `scenario` for a record that the stream would refuse whatever happens.
 */
export function putRecords(limits: CallLimits): FormBatches {
  return function* (arrivals) {
    let filling: Filling | null = null;
    for (const arrival of arrivals) {
      const sizeBytes = recordBytes(arrival, limits);
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
      if (filling.arrivals.length < limits.recordsMax) continue;
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

function recordBytes({ index, call }: Arrival, { recordBytesMax }: CallLimits): number {
  if (call.kind !== "item")
    throw new GatecrashError("scenario", `a call of kind ${call.kind} is no record of a stream`);
  const sizeBytes = call.data.byteLength + Buffer.byteLength(call.key);
  if (call.data.byteLength <= recordBytesMax) return sizeBytes;
  throw new GatecrashError(
    "scenario",
    `record ${index} has ${call.data.byteLength} bytes; the stream takes ${recordBytesMax}`,
    { hint: "make the body smaller, pack fewer events, or say the stream's own `max-record`" },
  );
}
