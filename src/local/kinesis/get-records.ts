// GetRecords: what follows an iterator, within the shard's read limits.
import { AwsError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { rateExceeded, shardNotFound, streamNotFound, throughputExceeded } from "./errors.ts";
import { requiredText, wholeOf } from "./input.ts";
import { type Moment, type Shard, type StoredRecord, shardIdOf } from "./shard.ts";
import { decodeIterator, encodeIterator, type ShardIterator } from "./shard-iterator.ts";
import type { Stream } from "./stream.ts";

const RECORDS_MAX = 10_000;
/** Of one answer. */
export const READ_BYTES_MAX = 10 * 1_024 * 1_024;
const ITERATOR_LIFE_MS = 300_000;

export function getRecords(world: World, input: JsonInput): object {
  const limit = wholeOf(input, "Limit", [1, RECORDS_MAX], RECORDS_MAX);
  const iterator = decodeIterator(requiredText(input, "ShardIterator"));
  const now = world.streams.now();
  if (now.epochMs - iterator.madeEpochMs > ITERATOR_LIFE_MS)
    throw expired(iterator.madeEpochMs, now.epochMs);
  const { stream, shard } = placeOf(world, iterator);
  if (!shard.reads.begin(now.us)) {
    world.streams.metrics.readRefused(stream.name, now.epochMs);
    throw throughputExceeded(rateExceeded(shard.id, stream.name, world.account));
  }
  stream.trim(shard, now.epochMs);
  const records = shard.read(iterator.position, limit, READ_BYTES_MAX);
  const last = records.at(-1);
  const position = last === undefined ? iterator.position : last.position + 1;
  noteRead(world, stream, shard, records, now);
  return {
    Records: records.map((record) => ({
      ApproximateArrivalTimestamp: record.arrivedEpochMs / 1_000,
      Data: record.data,
      PartitionKey: record.partitionKey,
      SequenceNumber: record.sequenceNumber,
    })),
    NextShardIterator: encodeIterator({ ...iterator, position, madeEpochMs: now.epochMs }),
    MillisBehindLatest: shard.millisBehind(position, now.epochMs),
  };
}

function noteRead(
  world: World,
  stream: Stream,
  shard: Shard,
  records: readonly StoredRecord[],
  now: Moment,
): void {
  const bytes = records.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  shard.reads.gave(bytes, now.us);
  const newest = records.at(-1);
  const ageMs = newest === undefined ? 0 : now.epochMs - newest.arrivedEpochMs;
  const got = { records: records.length, bytes, ageMs };
  world.streams.metrics.read(stream.name, now.epochMs, got);
}

/** The stream may be gone since, or be another one of the same name. */
function placeOf(world: World, iterator: ShardIterator): { stream: Stream; shard: Shard } {
  const stream = world.streams.get(iterator.stream);
  const same = stream?.createdEpochMs === iterator.streamCreatedEpochMs;
  if (stream === undefined || !same || stream.status(world.streams.now().us) === "DELETING")
    throw streamNotFound(iterator.stream, world.account);
  const shard = stream.shards[iterator.shardIndex];
  if (shard === undefined)
    throw shardNotFound(shardIdOf(iterator.shardIndex), stream.name, world.account);
  return { stream, shard };
}

const expired = (madeEpochMs: number, nowEpochMs: number): AwsError =>
  new AwsError(
    "ExpiredIteratorException",
    400,
    `Iterator expired. The iterator was created at time ${dateText(madeEpochMs)} while right now ` +
      `it is ${dateText(nowEpochMs)} which is further in the future than the tolerated delay of ` +
      `${ITERATOR_LIFE_MS} milliseconds.`,
  );

/** `Thu Jan 22 01:22:02 UTC 2015` */
function dateText(epochMs: number): string {
  const [weekday = "", day, month, year, time] = new Date(epochMs).toUTCString().split(" ");
  return `${weekday.slice(0, 3)} ${month} ${day} ${time} UTC ${year}`;
}
