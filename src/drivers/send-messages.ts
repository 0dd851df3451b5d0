// Forms the calls of a queue's load from its messages: ten, or waited for long enough.
import type { Arrival, FormBatches } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import { formCalls } from "./form-calls.ts";

/** SendMessageBatch (API reference): ten messages, 1 MiB in all and each. */
const SEND_MESSAGES = { itemsMax: 10, callBytesMax: 1_048_576 } as const;

/**
 * Which messages share a call depends on the plan's times alone. Throws `scenario` for a message
 * that no queue takes.
 */
export function sendMessages(lingerUs: number): FormBatches {
  return formCalls({ ...SEND_MESSAGES, lingerUs }, messageBytes);
}

function messageBytes({ index, call }: Arrival): number {
  if (call.kind !== "item")
    throw new GatecrashError("scenario", `a call of kind ${call.kind} is no message of a queue`);
  const sizeBytes = call.data.byteLength;
  const { callBytesMax } = SEND_MESSAGES;
  if (sizeBytes > 0 && sizeBytes <= callBytesMax) return sizeBytes;
  const found =
    sizeBytes === 0 ? "is empty" : `has ${sizeBytes} bytes; a queue takes ${callBytesMax}`;
  throw new GatecrashError("scenario", `message ${index} ${found}`, {
    hint: "look at the load's body template",
  });
}
