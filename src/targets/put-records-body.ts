// The body of PutRecords, byte for byte as the SDK writes it, and what its answer says.
import type { ItemCall } from "../core/arrival.ts";
import { jsonObject } from "./json-answer.ts";

/** Characters that JSON leaves as they are, in one byte each. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** A character is six bytes at most: escaped as `\\u2028`, or three in UTF-8. */
const CHARACTER_BYTES_MAX = 6;
const RECORD_FRAME_BYTES = '},{"Data":"","PartitionKey":""'.length;
const FRAME_BYTES = '{"Records":[}],"StreamName":""}'.length;

/** Room that the body needs at most. */
export function bodyBytesMax(stream: string, records: readonly ItemCall[]): number {
  let sizeBytes = FRAME_BYTES + stream.length * CHARACTER_BYTES_MAX;
  for (const { data, key } of records) {
    sizeBytes += Math.ceil(data.byteLength / 3) * 4 + RECORD_FRAME_BYTES;
    sizeBytes += key.length * CHARACTER_BYTES_MAX;
  }
  return sizeBytes;
}

/**
 * Writes the body into `into` from `from` on and returns where it ends. Members in the order of the
 * service's model; an ARN names the stream as `StreamARN`.
 */
export function writeBody(
  into: Buffer,
  from: number,
  stream: string,
  records: readonly ItemCall[],
): number {
  let at = from + into.write('{"Records":[', from, "latin1");
  let separator = '{"Data":"';
  for (const { data, key } of records) {
    const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
    const text = `${separator}${base64}","PartitionKey":`;
    separator = '},{"Data":"';
    if (PLAIN.test(key)) at += into.write(`${text}"${key}"`, at, "latin1");
    else {
      at += into.write(text, at, "latin1");
      at += into.write(JSON.stringify(key), at, "utf8");
    }
  }
  const member = stream.startsWith("arn:") ? "StreamARN" : "StreamName";
  const end = `${records.length === 0 ? "" : "}"}],"${member}":${JSON.stringify(stream)}}`;
  return at + into.write(end, at, "utf8");
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
