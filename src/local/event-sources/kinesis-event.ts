// The event that a stream's records become, and how many of them fit into one invoke.
import type { StoredRecord } from "../kinesis/shard.ts";
import type { KinesisMappingDeps, KinesisMappingSpec } from "./kinesis-spec.ts";

/** Lambda's limit for a synchronous payload. */
const EVENT_BYTES_MAX = 6_291_456;
const FRAME_BYTES = '{"Records":[]}'.length;

/** A record that waits for its batch, and its text in the event. */
export interface Waiting {
  readonly record: StoredRecord;
  readonly shardId: string;
  readonly json: string;
  readonly jsonBytes: number;
}

export function waiting(
  record: StoredRecord,
  shardId: string,
  spec: KinesisMappingSpec,
  deps: Pick<KinesisMappingDeps, "region" | "roleArn">,
): Waiting {
  const json = JSON.stringify({
    kinesis: {
      kinesisSchemaVersion: "1.0",
      partitionKey: record.partitionKey,
      sequenceNumber: record.sequenceNumber,
      data: record.data,
      approximateArrivalTimestamp: record.arrivedEpochMs / 1_000,
    },
    eventSource: "aws:kinesis",
    eventVersion: "1.0",
    eventID: `${shardId}:${record.sequenceNumber}`,
    eventName: "aws:kinesis:record",
    invokeIdentityArn: deps.roleArn,
    awsRegion: deps.region,
    eventSourceARN: spec.streamArn,
  });
  return { record, shardId, json, jsonBytes: Buffer.byteLength(json) + 1 };
}

export const eventOf = (batch: readonly Waiting[]): string =>
  `{"Records":[${batch.map(({ json }) => json).join(",")}]}`;

export interface BatchFit {
  readonly count: number;
  /** Nothing more would fit, so there is nothing to wait for. */
  readonly full: boolean;
}

/** How many of the first records make one batch: by count and by bytes, at least one. */
export function batchFit(records: readonly Waiting[], batchMax: number): BatchFit {
  let bytes = FRAME_BYTES;
  for (const [index, { jsonBytes }] of records.entries()) {
    if (index === batchMax) return { count: index, full: true };
    bytes += jsonBytes;
    if (bytes > EVENT_BYTES_MAX && index > 0) return { count: index, full: true };
  }
  return { count: records.length, full: records.length >= batchMax };
}
