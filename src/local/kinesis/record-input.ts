// One record of PutRecord or PutRecords: checked, measured, and the shard that its key belongs to.
import type { JsonInput } from "../wire/aws-json.ts";
import { constraint, invalidArgument, notNull } from "./errors.ts";
import { hashOfExplicit, hashOfKey } from "./hash-range.ts";
import { serializationError, textOf } from "./input.ts";
import type { NewRecord, Shard } from "./shard.ts";
import type { Stream } from "./stream.ts";

const KEY_LENGTH_MAX = 256;
const EXPLICIT = /^(0|[1-9]\d{0,38})$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export interface RoutedRecord {
  readonly shard: Shard;
  readonly record: NewRecord;
}

/** `path` is the record's place in messages: `records.3.member.`, or "" in PutRecord. */
export function routedRecord(stream: Stream, input: JsonInput, path: string): RoutedRecord {
  const { Data: data, PartitionKey: key } = input;
  if (typeof data !== "string") throw absent(data, `${path}data`, "Blob");
  if (typeof key !== "string") throw absent(key, `${path}partitionKey`, "String");
  if (key.length === 0 || key.length > KEY_LENGTH_MAX) throw badKeyLength(key, path);
  const dataBytes = decodedBytes(data);
  const { maxRecordBytes } = stream.settings;
  if (dataBytes > maxRecordBytes)
    throw constraint(
      `java.nio.HeapByteBuffer[pos=0 lim=${dataBytes} cap=${dataBytes}]`,
      `${path}data`,
      `Member must have length less than or equal to ${maxRecordBytes}`,
    );
  const shard = stream.shardOf(hashOf(input, key, path));
  const sizeBytes = dataBytes + Buffer.byteLength(key);
  return { shard, record: { partitionKey: key, data, sizeBytes } };
}

function hashOf(input: JsonInput, key: string, path: string): string {
  const explicit = textOf(input, "ExplicitHashKey");
  if (explicit === undefined) return hashOfKey(key);
  if (!EXPLICIT.test(explicit))
    throw constraint(
      explicit,
      `${path}explicitHashKey`,
      "Member must satisfy regular expression pattern: 0|([1-9]\\d{0,38})",
    );
  const hash = hashOfExplicit(explicit);
  if (hash !== null) return hash;
  throw invalidArgument(
    "Invalid ExplicitHashKey. ExplicitHashKey must be in the range: [0, 2^128-1]. " +
      `Specified value was ${explicit}`,
  );
}

/** What a Base64 text stands for, without decoding it. */
function decodedBytes(base64: string): number {
  if (base64.length % 4 !== 0 || !BASE64.test(base64))
    throw serializationError("Data can not be converted to a Blob: it is not Base64");
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

const absent = (value: unknown, path: string, type: string) =>
  value === undefined || value === null
    ? notNull(path)
    : serializationError(`${path} can not be converted to a ${type}`);

const badKeyLength = (key: string, path: string) =>
  constraint(
    key,
    `${path}partitionKey`,
    key.length === 0
      ? "Member must have length greater than or equal to 1"
      : `Member must have length less than or equal to ${KEY_LENGTH_MAX}`,
  );
