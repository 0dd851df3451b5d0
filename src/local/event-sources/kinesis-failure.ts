// What an on-failure destination is told about records that were given up.
import { randomUUID } from "node:crypto";
import type { InvokeOutcome } from "../function-host.ts";
import type { Waiting } from "./kinesis-event.ts";

export type GivenUp = "RetryAttemptsExhausted" | "RecordAgeExceeded";

export interface Failure {
  readonly condition: GivenUp;
  readonly functionArn: string;
  readonly streamArn: string;
  readonly invokes: number;
  /** The last answer; null when the records were too old, as then AWS says nothing of it either. */
  readonly outcome: InvokeOutcome | null;
  readonly atEpochMs: number;
}

/** As recorded on AWS: the place of the records in the stream, never the records themselves. */
export function failureBody(batch: readonly Waiting[], failure: Failure): string {
  const [first, last] = [batch[0]!, batch.at(-1)!];
  const { outcome } = failure;
  return JSON.stringify({
    requestContext: {
      requestId: outcome?.requestId ?? randomUUID(),
      functionArn: failure.functionArn,
      condition: failure.condition,
      approximateInvokeCount: failure.invokes,
    },
    ...(outcome === null || failure.condition === "RecordAgeExceeded"
      ? {}
      : {
          responseContext: {
            statusCode: 200,
            executedVersion: outcome.executedVersion,
            functionError: outcome.kind === "function-error" ? "Unhandled" : null,
          },
        }),
    version: "1.0",
    timestamp: new Date(failure.atEpochMs).toISOString(),
    KinesisBatchInfo: {
      shardId: first.shardId,
      startSequenceNumber: first.record.sequenceNumber,
      endSequenceNumber: last.record.sequenceNumber,
      approximateArrivalOfFirstRecord: new Date(first.record.arrivedEpochMs).toISOString(),
      approximateArrivalOfLastRecord: new Date(last.record.arrivedEpochMs).toISOString(),
      batchSize: batch.length,
      streamArn: failure.streamArn,
    },
  });
}
