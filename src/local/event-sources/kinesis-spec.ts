// What an event source mapping from a stream is set to, and what it needs of local AWS.
import type { Clock } from "../../core/time.ts";
import type { InvokeOutcome } from "../function-host.ts";
import type { StreamTable } from "../kinesis/stream-table.ts";

export type StartingPosition =
  | { readonly type: "TRIM_HORIZON" }
  | { readonly type: "LATEST" }
  | { readonly type: "AT_TIMESTAMP"; readonly epochMs: number };

export interface KinesisMappingSpec {
  readonly uuid: string;
  readonly streamArn: string;
  readonly functionName: string;
  /** 1 to 10,000. */
  readonly batchMax: number;
  readonly windowS: number;
  /** Batches of one shard at once, 1 to 10; order is kept per partition key. */
  readonly parallelization: number;
  /** −1 = until the record expires. */
  readonly retriesMax: number;
  /** −1 = until the record expires. */
  readonly recordAgeMaxS: number;
  readonly bisect: boolean;
  readonly reportFailures: boolean;
  readonly startingPosition: StartingPosition;
  /** ARN of the queue that hears of what was given up; null = nobody does. */
  readonly onFailure: string | null;
}

/** Lambda's defaults for streams. */
export const KINESIS_MAPPING_DEFAULTS = {
  batchMax: 100,
  windowS: 0,
  parallelization: 1,
  retriesMax: -1,
  recordAgeMaxS: -1,
  bisect: false,
  reportFailures: false,
  onFailure: null,
} as const;

export interface KinesisMappingDeps {
  readonly clock: Clock;
  readonly region: string;
  readonly streams: StreamTable;
  /** Never rejects for what the function does. */
  invoke(functionName: string, event: string): Promise<InvokeOutcome>;
  functionArn(functionName: string): string;
  /** The role that Lambda reads the stream with; it stands in every record. */
  readonly roleArn: string;
  send(queueArn: string, body: string): void;
  /** Age of a batch's last record when it is handed to the function. */
  iteratorAge(functionName: string, ageMs: number): void;
}
