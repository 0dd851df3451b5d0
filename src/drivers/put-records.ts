// Forms the calls of a stream's load from its records: full, or waited for long enough.
import type { Arrival, FormBatches } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import { formCalls } from "./form-calls.ts";

/** What one call may carry; data and partition keys count. */
export interface RecordLimits {
  readonly recordsMax: number;
  readonly callBytesMax: number;
  readonly recordBytesMax: number;
  /** How long a call's first record waits for others. */
  readonly lingerUs: number;
}

/** PutRecords (API reference): 500 records, 10 MiB; a record 1 MiB unless its stream says more. */
export const PUT_RECORDS = {
  recordsMax: 500,
  callBytesMax: 10 * 1_048_576,
  recordBytesMax: 1_048_576,
} as const;

/**
 * Which records share a call depends on the plan's times alone. Throws `scenario` for a record that
 * the stream would refuse whatever happens.
 */
export function putRecords(limits: RecordLimits): FormBatches {
  const { recordsMax: itemsMax, callBytesMax, lingerUs } = limits;
  return formCalls({ itemsMax, callBytesMax, lingerUs }, (one) => recordBytes(one, limits));
}

function recordBytes({ index, call }: Arrival, { recordBytesMax }: RecordLimits): number {
  if (call.kind !== "item")
    throw new GatecrashError("scenario", `a call of kind ${call.kind} is no record of a stream`);
  const sizeBytes = call.data.byteLength + Buffer.byteLength(call.key);
  if (call.data.byteLength <= recordBytesMax) return sizeBytes;
  throw new GatecrashError(
    "scenario",
    `record ${index} has ${call.data.byteLength} bytes; the stream takes ${recordBytesMax}`,
    { hint: "make the body smaller, pack fewer events, or say the stream's own `max-record-kib`" },
  );
}
