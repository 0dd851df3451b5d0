// Reads what a message in a queue of failures is about; bodies are anybody's: none is trusted.
import { bySequence, type Claim, type ClaimedBatch } from "../core/claim.ts";

const STREAM = /^arn:aws[a-z-]*:kinesis:[a-z0-9-]+:\d{12}:stream\/[\w.-]+$/;
/** Lambda's event source mapping takes so many records at once, at most. */
const BATCH_MAX = 10_000;

export const claimOf = (messageId: string, body: unknown): Claim => ({
  messageId,
  batch: typeof body === "string" ? batchIn(body) : null,
});

/** As an event source mapping writes it for its on-failure destination (`KinesisBatchInfo`). */
function batchIn(body: string): ClaimedBatch | null {
  const info = fieldOf(parsed(body), "KinesisBatchInfo");
  const stream = textOf(info, "streamArn", STREAM);
  const shardId = textOf(info, "shardId", /^shardId-\d{1,12}$/);
  const start = textOf(info, "startSequenceNumber", /^[1-9]\d{0,62}$/);
  const end = textOf(info, "endSequenceNumber", /^[1-9]\d{0,62}$/);
  const size = fieldOf(info, "batchSize");
  if (stream === null || shardId === null || start === null || end === null) return null;
  if (!isBatchSize(size) || bySequence(start, end) > 0) return null;
  return { stream, shard: Number(shardId.slice("shardId-".length)), start, end, size };
}

const isBatchSize = (size: unknown): size is number =>
  Number.isInteger(size) && Number(size) >= 1 && Number(size) <= BATCH_MAX;

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null; // a stranger's message need not be JSON
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as { readonly [key: string]: unknown })[name]
    : undefined;
}

function textOf(value: unknown, name: string, form: RegExp): string | null {
  const text = fieldOf(value, name);
  return typeof text === "string" && form.test(text) ? text : null;
}
