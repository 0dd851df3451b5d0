// Targets that take several items in one call: a stream, a queue.
import type { Ref } from "./http-spec.ts";

export interface SqsSpec {
  readonly kind: "sqs";
  /** URL or ARN. */
  readonly queue: Ref;
  readonly timeoutUs: number;
  /** How long the first message of a call waits for others. */
  readonly lingerUs: number;
}

export interface KinesisSpec {
  readonly kind: "kinesis";
  /** Name or ARN. */
  readonly stream: Ref;
  readonly timeoutUs: number;
  /** Field of the event that is the partition key; null = the event's id. */
  readonly key: string | null;
  /** How long the first record of a call waits for others. */
  readonly lingerUs: number;
  /** Most records in a call. */
  readonly recordsMax: number;
  /** The stream's own limit for one record. */
  readonly recordBytesMax: number;
  /** Events in one record, one a line; event n is number `n % pack` of record `n / pack`. */
  readonly pack: number;
}
