// The body of SendMessageBatch, byte for byte as the SDK writes it, and what its answer says.
import type { ItemCall } from "../core/arrival.ts";

/** Entries are known by their position in the call. */
export function sendMessageBatchBody(queueUrl: string, messages: readonly ItemCall[]): Buffer {
  const entries = messages.map(({ data }, position) => {
    const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("utf8");
    return `{"Id":"${position}","MessageBody":${JSON.stringify(text)}}`;
  });
  return Buffer.from(`{"QueueUrl":${JSON.stringify(queueUrl)},"Entries":[${entries.join(",")}]}`);
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

/** The error's name without its namespace; "" when the body names none. */
export function errorOf(body: Buffer): string {
  const { __type: type } = jsonObject(body);
  return typeof type === "string" ? (type.split("#").at(-1) ?? "") : "";
}

function jsonObject(body: Buffer): { readonly [member: string]: unknown } {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
