// The body of PutRecords, byte for byte as the SDK writes it, and what its answer says.
import type { ItemCall } from "../core/arrival.ts";

/** Characters that JSON leaves as they are, in one byte each. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** Members in the order of the service's model; an ARN names the stream as `StreamARN`. */
export function putRecordsBody(stream: string, records: readonly ItemCall[]): Buffer {
  let body = '{"Records":[';
  for (const [index, { data, key }] of records.entries()) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    body += `${index === 0 ? "" : ","}{"Data":"${bytes.toString("base64")}"`;
    body += `,"PartitionKey":${quoted(key)}}`;
  }
  const member = stream.startsWith("arn:") ? "StreamARN" : "StreamName";
  return Buffer.from(`${body}],"${member}":${quoted(stream)}}`);
}

/** One record's part of an answer. */
export interface RecordResult {
  readonly SequenceNumber?: string;
  readonly ShardId?: string;
  readonly ErrorCode?: string;
}

/** Results in the order of the records; null = no answer of PutRecords for so many records. */
export function recordResults(body: Buffer, count: number): readonly RecordResult[] | null {
  const { Records: records } = jsonObject(body);
  return Array.isArray(records) && records.length === count ? records : null;
}

/** The error's name without its namespace; "" when the body names none. */
export function errorType(body: Buffer): string {
  const { __type: type } = jsonObject(body);
  return typeof type === "string" ? (type.split("#").at(-1) ?? "") : "";
}

function jsonObject(body: Buffer): { readonly [member: string]: unknown } {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
