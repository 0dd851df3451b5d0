// PutRecords: every record for itself; what its shard does not take now fails by its index.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import {
  constraint,
  invalidArgument,
  notNull,
  rateExceeded,
  THROUGHPUT_EXCEEDED,
} from "./errors.ts";
import { activeStreamOf, serializationError } from "./input.ts";
import { type RoutedRecord, routedRecord } from "./record-input.ts";
import type { Stream } from "./stream.ts";

const RECORDS_MAX = 500;
/** Data and keys of a request. */
const REQUEST_BYTES_MAX = 10 * 1_024 * 1_024;

/** 200 also when no record was stored; `DryRun` checks and stores nothing. */
export function putRecords(world: World, input: JsonInput): object {
  const stream = activeStreamOf(world, input);
  const routed = routedRecords(stream, listOf(input.Records));
  if (input.DryRun === true) return { FailedRecordCount: 0, Records: [] };
  const { streams, account } = world;
  const at = streams.now();
  let stored = 0;
  let storedBytes = 0;
  const answers = routed.map(({ shard, record }) => {
    const put = streams.put(stream, shard, record, at);
    if (put === null)
      return {
        ErrorCode: THROUGHPUT_EXCEEDED,
        ErrorMessage: rateExceeded(shard.id, stream.name, account),
      };
    stored++;
    storedBytes += record.sizeBytes;
    return { SequenceNumber: put.sequenceNumber, ShardId: shard.id };
  });
  const counts = { records: routed.length, stored, storedBytes };
  streams.metrics.put(stream.name, "PutRecords", at.epochMs, counts);
  return {
    FailedRecordCount: routed.length - stored,
    Records: answers,
    EncryptionType: "NONE",
  };
}

function routedRecords(stream: Stream, list: readonly JsonInput[]): RoutedRecord[] {
  let requestBytes = 0;
  const routed = list.map((one, index) => {
    if (typeof one !== "object" || one === null) throw notNull(`records.${index + 1}.member`);
    const made = routedRecord(stream, one, `records.${index + 1}.member.`);
    requestBytes += made.record.sizeBytes;
    return made;
  });
  if (requestBytes > REQUEST_BYTES_MAX) throw invalidArgument("Records size exceeds 10 MB limit");
  return routed;
}

/** How the service's messages show the entries of a list. */
const ENTRY = "com.amazonaws.kinesis.v20131202.PutRecordsRequestEntry";

function listOf(value: unknown): readonly JsonInput[] {
  if (value === undefined || value === null) throw notNull("records");
  if (!Array.isArray(value)) throw serializationError("Expected list or null");
  if (value.length > 0 && value.length <= RECORDS_MAX) return value;
  throw constraint(
    `[${value.map(() => ENTRY).join(", ")}]`,
    "records",
    value.length === 0
      ? "Member must have length greater than or equal to 1"
      : `Member must have length less than or equal to ${RECORDS_MAX}`,
  );
}
