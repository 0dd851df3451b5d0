// The body of SendMessageBatch, byte for byte as the SDK writes it, and what its answer says.
import type { ItemCall } from "../core/arrival.ts";
import { jsonObject } from "./json-answer.ts";

/** A byte of a message is six at most: escaped as `\\u0001`. */
const BYTES_MAX = 6;
const ENTRY_BYTES = '{"Id":"0","MessageBody":""},'.length;
const FRAME_BYTES = '{"QueueUrl":"","Entries":[]}'.length;

/** Room that the body needs at most. */
export function messagesBytesMax(queueUrl: string, messages: readonly ItemCall[]): number {
  let sizeBytes = FRAME_BYTES + queueUrl.length * BYTES_MAX;
  for (const { data } of messages) sizeBytes += ENTRY_BYTES + data.byteLength * BYTES_MAX;
  return sizeBytes;
}

/**
 * Writes the body into `into` from `from` on and returns where it ends. Entries are known by their
 * position in the call.
 */
export function writeMessages(
  into: Buffer,
  from: number,
  queueUrl: string,
  messages: readonly ItemCall[],
): number {
  const entries = messages.map(({ data }, position) => {
    const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("utf8");
    return `{"Id":"${position}","MessageBody":${JSON.stringify(text)}}`;
  });
  const body = `{"QueueUrl":${JSON.stringify(queueUrl)},"Entries":[${entries.join(",")}]}`;
  return from + into.write(body, from, "utf8");
}

/** One message's part of an answer. */
export interface MessageResult {
  readonly Id?: string;
  readonly MessageId?: string;
  readonly Code?: string;
  readonly SenderFault?: boolean;
}

/** By position; null = no answer of SendMessageBatch that tells each of so many messages once. */
export function messageResults(body: Buffer, count: number): readonly MessageResult[] | null {
  const { Successful: successful = [], Failed: failed = [] } = jsonObject(body);
  if (!Array.isArray(successful) || !Array.isArray(failed)) return null;
  const results: MessageResult[] = [];
  for (const one of [...successful, ...failed] as readonly (MessageResult | null)[]) {
    const position = /^\d$/.test(one?.Id ?? "") ? Number(one?.Id) : count;
    if (one === null || position >= count || results[position] !== undefined) return null;
    results[position] = one;
  }
  return Object.keys(results).length === count ? results : null;
}
