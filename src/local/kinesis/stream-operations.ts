// CreateStream, DeleteStream, DescribeStream, DescribeStreamSummary, ListStreams, ListShards.
import type { JsonInput } from "../wire/aws-json.ts";
import { audit, type World } from "../world.ts";
import { invalidArgument, streamExists, streamNotFound } from "./errors.ts";
import { decimalOf } from "./hash-range.ts";
import { serializationError, streamNameOf, streamOf, textOf, wholeOf } from "./input.ts";
import type { Shard } from "./shard.ts";
import { STREAM_DEFAULTS, type Stream } from "./stream.ts";

const SHARDS_MAX = 100_000;
const BYTES_PER_KIB = 1_024;

/** On-demand streams are not modelled: without ShardCount, or with the mode, it is refused. */
export function createStream(world: World, input: JsonInput): object {
  const name = streamNameOf(input);
  const mode = (input.StreamModeDetails as { StreamMode?: unknown } | undefined)?.StreamMode;
  if (mode === "ON_DEMAND" || (input.ShardCount ?? null) === null)
    throw invalidArgument("Local AWS has provisioned streams only: give ShardCount.");
  const shardCount = wholeOf(input, "ShardCount", [1, SHARDS_MAX], 1);
  const kib = [STREAM_DEFAULTS.maxRecordKib, 10_240] as const;
  const maxRecordKib = wholeOf(input, "MaxRecordSizeInKiB", kib, STREAM_DEFAULTS.maxRecordKib);
  if (world.streams.get(name) !== undefined) throw streamExists(name, world.account);
  const { arn } = world.streams.create(name, {
    shardCount,
    retentionHours: STREAM_DEFAULTS.retentionHours,
    maxRecordBytes: maxRecordKib * BYTES_PER_KIB,
  });
  audit(world, "CreateStream", arn, { ShardCount: shardCount });
  return {};
}

export function deleteStream(world: World, input: JsonInput): object {
  const stream = streamOf(world, input);
  world.streams.delete(stream);
  audit(world, "DeleteStream", stream.arn);
  return {};
}

export function describeStream(world: World, input: JsonInput): object {
  const stream = streamOf(world, input);
  const limit = wholeOf(input, "Limit", [1, 10_000], 100);
  const { page, more } = pageOf(world, stream, textOf(input, "ExclusiveStartShardId"), limit);
  return {
    StreamDescription: { ...commonOf(world, stream), Shards: page, HasMoreShards: more },
  };
}

export function describeStreamSummary(world: World, input: JsonInput): object {
  const stream = streamOf(world, input);
  return {
    StreamDescriptionSummary: {
      ...commonOf(world, stream),
      OpenShardCount: stream.shards.length,
      ConsumerCount: 0,
      MaxRecordSizeInKiB: stream.settings.maxRecordBytes / BYTES_PER_KIB,
    },
  };
}

const PROVISIONED = { StreamMode: "PROVISIONED" };

function commonOf(world: World, stream: Stream): object {
  return {
    ...summaryOf(world, stream),
    RetentionPeriodHours: stream.settings.retentionHours,
    EnhancedMonitoring: [{ ShardLevelMetrics: [] }],
    EncryptionType: "NONE",
  };
}

const summaryOf = (world: World, stream: Stream): object => ({
  StreamName: stream.name,
  StreamARN: stream.arn,
  StreamStatus: stream.status(world.streams.now().us),
  StreamModeDetails: PROVISIONED,
  StreamCreationTimestamp: Math.floor(stream.createdEpochMs / 1_000),
});

const shardShape = ({ id, range, startingSequenceNumber }: Shard): object => ({
  ShardId: id,
  HashKeyRange: {
    StartingHashKey: decimalOf(range.startHex),
    EndingHashKey: decimalOf(range.endHex),
  },
  SequenceNumberRange: { StartingSequenceNumber: startingSequenceNumber },
});

/** A stream that is being created shows no shards. */
function pageOf(
  world: World,
  stream: Stream,
  after: string | undefined,
  limit: number,
): { page: object[]; more: boolean; last: string } {
  const creating = stream.status(world.streams.now().us) === "CREATING";
  const rest = (creating ? [] : stream.shards).filter(({ id }) => id > (after ?? ""));
  const page = rest.slice(0, limit);
  return {
    page: page.map(shardShape),
    more: rest.length > page.length,
    last: page.at(-1)?.id ?? "",
  };
}

export function listStreams(world: World, input: JsonInput): object {
  const limit = wholeOf(input, "Limit", [1, 10_000], 100);
  const after = textOf(input, "NextToken") ?? textOf(input, "ExclusiveStartStreamName") ?? "";
  const rest = world.streams.all().filter(({ name }) => name > after);
  const page = rest.slice(0, limit);
  const more = rest.length > page.length;
  return {
    StreamNames: page.map(({ name }) => name),
    StreamSummaries: page.map((stream) => summaryOf(world, stream)),
    HasMoreStreams: more,
    ...(more ? { NextToken: page.at(-1)?.name } : {}),
  };
}

/** Shards never close here, so every `ShardFilter` gives all of them. */
export function listShards(world: World, input: JsonInput): object {
  const token = textOf(input, "NextToken");
  const named = textOf(input, "StreamName") ?? textOf(input, "StreamARN");
  if (token === undefined && named === undefined)
    throw invalidArgument("Either NextToken or StreamName should be provided.");
  if (token !== undefined && named !== undefined)
    throw invalidArgument("NextToken and StreamName cannot be provided together.");
  const limit = wholeOf(input, "MaxResults", [1, 10_000], 1_000);
  const { stream, after } =
    token === undefined
      ? { stream: streamOf(world, input), after: textOf(input, "ExclusiveStartShardId") }
      : placeOfToken(world, token);
  const { page, more, last } = pageOf(world, stream, after, limit);
  return { Shards: page, ...(more ? { NextToken: `${stream.name}/${last}` } : {}) };
}

function placeOfToken(world: World, token: string): { stream: Stream; after: string } {
  const [name = "", after] = token.split("/");
  if (after === undefined) throw serializationError("NextToken is none of ListShards");
  const stream = world.streams.get(name);
  if (stream === undefined) throw streamNotFound(name, world.account);
  return { stream, after };
}
