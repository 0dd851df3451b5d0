// Shard iterators: a place in a shard and when it was handed out, as one opaque text.
import { invalidArgument } from "./errors.ts";

export interface ShardIterator {
  readonly stream: string;
  /** Tells a stream from an earlier one of the same name. */
  readonly streamCreatedEpochMs: number;
  readonly shardIndex: number;
  readonly position: number;
  readonly madeEpochMs: number;
}

const SEPARATOR = "/";
const VERSION = "1";

export function encodeIterator(at: ShardIterator): string {
  const parts = [
    VERSION,
    at.madeEpochMs,
    at.streamCreatedEpochMs,
    at.shardIndex,
    at.position,
    at.stream,
  ];
  return Buffer.from(parts.join(SEPARATOR)).toString("base64");
}

/** Throws AWS's error for whatever was not made here. */
export function decodeIterator(text: string): ShardIterator {
  const parts = Buffer.from(text, "base64").toString().split(SEPARATOR);
  const [version, made, created, shard, position, stream = ""] = parts;
  const numbers = [made, created, shard, position].map(Number);
  const whole = numbers.every((number) => Number.isSafeInteger(number) && number >= 0);
  if (version !== VERSION || parts.length !== 6 || !whole || stream === "")
    throw invalidArgument("Invalid ShardIterator.");
  const [madeEpochMs, streamCreatedEpochMs, shardIndex, at] = numbers as [
    number,
    number,
    number,
    number,
  ];
  return { stream, streamCreatedEpochMs, shardIndex, position: at, madeEpochMs };
}
