// Kinesis's errors, in the words of the service.
import { AwsError } from "../aws-error.ts";

export const streamNotFound = (name: string, account: string): AwsError =>
  new AwsError(
    "ResourceNotFoundException",
    400,
    `Stream ${name} under account ${account} not found.`,
  );

export const shardNotFound = (shardId: string, stream: string, account: string): AwsError =>
  new AwsError(
    "ResourceNotFoundException",
    400,
    `Shard ${shardId} in stream ${stream} under account ${account} does not exist`,
  );

export const noSuchShardId = (shardId: string, stream: string, account: string): AwsError =>
  new AwsError(
    "ResourceNotFoundException",
    400,
    `Could not find shard ${shardId} in stream ${stream} under account ${account}.`,
  );

export const streamExists = (name: string, account: string): AwsError =>
  new AwsError(
    "ResourceInUseException",
    400,
    `Stream ${name} under account ${account} already exists.`,
  );

export const invalidArgument = (message: string): AwsError =>
  new AwsError("InvalidArgumentException", 400, message);

/** The text of a refusal, for one record of PutRecords and for whole calls. */
export const rateExceeded = (shardId: string, stream: string, account: string): string =>
  `Rate exceeded for shard ${shardId} in stream ${stream} under account ${account}.`;

export const THROUGHPUT_EXCEEDED = "ProvisionedThroughputExceededException";

export const throughputExceeded = (message: string): AwsError =>
  new AwsError(THROUGHPUT_EXCEEDED, 400, message);

/** One constraint of the service's model that an input breaks. */
export const constraint = (value: string | null, path: string, rule: string): AwsError =>
  new AwsError(
    "ValidationException",
    400,
    `1 validation error detected: Value ${value === null ? "null" : `'${value}'`} at '${path}' ` +
      `failed to satisfy constraint: ${rule}`,
  );

export const notNull = (path: string): AwsError =>
  constraint(null, path, "Member must not be null");
