// Kinesis's operations.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { getRecords } from "./get-records.ts";
import { getShardIterator } from "./get-shard-iterator.ts";
import { putRecord } from "./put-record.ts";
import { putRecords } from "./put-records.ts";
import {
  createStream,
  deleteStream,
  describeStream,
  describeStreamSummary,
  listShards,
  listStreams,
} from "./stream-operations.ts";

export const KINESIS_OPERATIONS: {
  readonly [name: string]: (world: World, input: JsonInput) => object;
} = {
  CreateStream: createStream,
  DeleteStream: deleteStream,
  DescribeStream: describeStream,
  DescribeStreamSummary: describeStreamSummary,
  GetRecords: getRecords,
  GetShardIterator: getShardIterator,
  ListShards: listShards,
  ListStreams: listStreams,
  PutRecord: putRecord,
  PutRecords: putRecords,
};
