// GetShardIterator: where to begin reading, by sequence number, time, or an end of the shard.

import { AwsError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import {
  constraint,
  invalidArgument,
  noSuchShardId,
  rateExceeded,
  shardNotFound,
  throughputExceeded,
} from "./errors.ts";
import { activeStreamOf, requiredText, serializationError, textOf } from "./input.ts";
import { parseSequence } from "./sequence-number.ts";
import { type Moment, type Shard, shardIdOf, shardIndexOf } from "./shard.ts";
import { encodeIterator } from "./shard-iterator.ts";
import type { Stream } from "./stream.ts";

const TYPES = [
  "AFTER_SEQUENCE_NUMBER",
  "LATEST",
  "AT_TIMESTAMP",
  "AT_SEQUENCE_NUMBER",
  "TRIM_HORIZON",
];

export function getShardIterator(world: World, input: JsonInput): object {
  const type = requiredText(input, "ShardIteratorType");
  if (!TYPES.includes(type))
    throw constraint(
      type,
      "shardIteratorType",
      `Member must satisfy enum value set: [${TYPES.join(", ")}]`,
    );
  const stream = activeStreamOf(world, input);
  const shard = shardOf(stream, requiredText(input, "ShardId"), world.account);
  const now = world.streams.now();
  if (!shard.iterators.holds(1, now.us))
    throw throughputExceeded(rateExceeded(shard.id, stream.name, world.account));
  shard.iterators.take(1, now.us);
  stream.trim(shard, now.epochMs);
  const position = positionOf(type, input, { stream, shard, now, account: world.account });
  return {
    ShardIterator: encodeIterator({
      stream: stream.name,
      streamCreatedEpochMs: stream.createdEpochMs,
      shardIndex: shard.index,
      position,
      madeEpochMs: now.epochMs,
    }),
  };
}

export function shardOf(stream: Stream, id: string, account: string): Shard {
  const index = shardIndexOf(id);
  if (index === null) throw noSuchShardId(id, stream.name, account);
  const found = stream.shards[index];
  if (found === undefined) throw shardNotFound(shardIdOf(index), stream.name, account);
  return found;
}

interface Place {
  readonly stream: Stream;
  readonly shard: Shard;
  readonly now: Moment;
  readonly account: string;
}

function positionOf(type: string, input: JsonInput, place: Place): number {
  const { shard, now } = place;
  const sequence = textOf(input, "StartingSequenceNumber");
  const bySequence = type === "AT_SEQUENCE_NUMBER" || type === "AFTER_SEQUENCE_NUMBER";
  if (bySequence !== (sequence !== undefined) && type !== "AT_TIMESTAMP")
    throw invalidArgument(
      "Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and " +
        "StartingSequenceNumber or (2) TRIM_HORIZON or LATEST and no StartingSequenceNumber. " +
        `Request specified ${type} and ${sequence === undefined ? "no" : "also a"} ` +
        "StartingSequenceNumber.",
    );
  switch (type) {
    case "TRIM_HORIZON":
      return shard.horizon;
    case "LATEST":
      return shard.tip;
    case "AT_TIMESTAMP":
      return shard.positionAt(timestampOf(input, now));
    default: {
      const at = positionOfSequence(sequence ?? "", place);
      return type === "AT_SEQUENCE_NUMBER" ? at : at + 1;
    }
  }
}

/** Epoch seconds with a fraction, or ISO text; as ms. */
function timestampOf(input: JsonInput, now: Moment): number {
  const value = input.Timestamp;
  if (value === undefined || value === null)
    throw invalidArgument(
      "Must specify timestampInMillis parameter for iterator of type AT_TIMESTAMP. Current " +
        "request has no timestamp parameter.",
    );
  const epochMs = typeof value === "number" ? value * 1_000 : Date.parse(said(value));
  if (Number.isNaN(epochMs)) throw serializationError("Timestamp is no time");
  if (epochMs > now.epochMs)
    throw invalidArgument(
      "The timestampInMillis parameter cannot be greater than the currentTimestampInMillis. " +
        `timestampInMillis: ${epochMs}, currentTimestampInMillis: ${now.epochMs}`,
    );
  return epochMs;
}

function positionOfSequence(sequence: string, { stream, shard, account }: Place): number {
  if (!/^(0|[1-9]\d{0,128})$/.test(sequence))
    throw constraint(
      sequence,
      "startingSequenceNumber",
      "Member must satisfy regular expression pattern: 0|([1-9]\\d{0,128})",
    );
  const parts = parseSequence(sequence);
  const used =
    `StartingSequenceNumber ${sequence} used in GetShardIterator on shard ${shard.id} in stream ` +
    `${stream.name} under account ${account} is invalid`;
  if (parts === null) throw new AwsError("InvalidArgumentException", 400, `${used}.`);
  if (parts.shardIndex !== shard.index)
    throw invalidArgument(
      `Invalid StartingSequenceNumber. It encodes ${shardIdOf(parts.shardIndex)}, while it was ` +
        `used in a call to a shard with ${shard.id}`,
    );
  if (parts.createdS !== shard.createdS)
    throw invalidArgument(`${used} because it did not come from this stream.`);
  return parts.position;
}
