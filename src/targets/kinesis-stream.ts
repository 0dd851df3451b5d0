// A stream as a target: hand-built, signed PutRecords over the load path's own client.
import type { BatchTarget } from "../core/arrival.ts";
import { BatchCalls, type BatchCallsOptions, OK, SERVICE } from "./batch-calls.ts";
import type { End } from "./exchange-answer.ts";
import { bodyBytesMax, type RecordResult, recordResults, writeBody } from "./put-records-body.ts";

export interface KinesisStreamOptions extends BatchCallsOptions {
  /** Name or ARN. */
  readonly stream: string;
}

/** Answers of PutRecords: 500 results of at most some 250 bytes. */
const ANSWER_BYTES = 262_144;
const HEADERS = {
  "content-type": "application/x-amz-json-1.1",
  "x-amz-target": "Kinesis_20131202.PutRecords",
};
const THROTTLED: End = { outcome: "throttled", refusedBy: "kinesis.shard", reason: "" };
const THROUGHPUT_EXCEEDED = "ProvisionedThroughputExceededException";
/** Refusals of a whole call for its rate. */
const THROTTLES = [THROUGHPUT_EXCEEDED, "LimitExceededException", "ThrottlingException"];

export function kinesisStreamTarget({ stream, ...options }: KinesisStreamOptions): BatchTarget {
  return new BatchCalls<RecordResult>(
    {
      ...{ name: "a stream", service: "kinesis", headers: HEADERS, answerBytesMax: ANSWER_BYTES },
      throttled: THROTTLED,
      isThrottle: (error) => THROTTLES.includes(error),
      bodyBytesMax: (records) => bodyBytesMax(stream, records),
      writeBody: (into, from, records) => writeBody(into, from, stream, records),
      results: recordResults,
      endOf: endOfRecord,
      shardOf,
      sequenceOf: ({ SequenceNumber }) => SequenceNumber,
    },
    options,
  );
}

function endOfRecord({ ErrorCode, SequenceNumber }: RecordResult): End {
  if (ErrorCode === THROUGHPUT_EXCEEDED) return THROTTLED;
  return ErrorCode === undefined && SequenceNumber !== undefined ? OK : SERVICE;
}

/** −1 = not stored. */
function shardOf({ ShardId: id }: RecordResult): number {
  const shard = id === undefined ? Number.NaN : Number.parseInt(id.slice("shardId-".length), 10);
  return Number.isNaN(shard) ? -1 : shard;
}
