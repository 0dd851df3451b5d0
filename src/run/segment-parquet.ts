// One segment of attempts as one Parquet file.
import type { ColumnSource, SchemaElement } from "hyparquet-writer";
import { ATTEMPT_INTS, type AttemptSegment, SEGMENT_ROWS } from "../core/facts.ts";
import { intColumn, intData, parquetFile } from "./parquet-file.ts";
import { REQUEST_ID_BYTES, segmentBytes, segmentOver } from "./segment.ts";

const COLUMNS: readonly SchemaElement[] = [
  { name: "base", type: "INT64", repetition_type: "REQUIRED" },
  ...ATTEMPT_INTS.map(intColumn),
  {
    name: "request_id",
    type: "FIXED_LEN_BYTE_ARRAY",
    type_length: REQUEST_ID_BYTES,
    repetition_type: "OPTIONAL",
  },
];

/** The bytes of the file: the base as a dictionary of one, ids PLAIN. */
export function encodeSegment(segment: AttemptSegment): Uint8Array {
  const { rows, ints } = segment;
  const base: ColumnSource = {
    name: "base",
    data: new Array<bigint>(rows).fill(BigInt(segment.baseUs)),
    encoding: "RLE_DICTIONARY",
  };
  const ids: ColumnSource = { name: "request_id", data: idsOf(segment), encoding: "PLAIN" };
  return parquetFile("attempts", COLUMNS, [base, ...intData(ATTEMPT_INTS, ints, rows), ids], rows);
}

/** Room for the ids of one segment, and a view of each: made once, to make none for each row. */
const room = new Uint8Array(SEGMENT_ROWS * REQUEST_ID_BYTES);
const views: Uint8Array[] = [];

/** 16 bytes a row, null where they are all zero; they hold until the next call. */
function idsOf({ rows, requestIds }: AttemptSegment): (Uint8Array | null)[] {
  room.set(requestIds.subarray(0, rows * REQUEST_ID_BYTES));
  for (let at = views.length * REQUEST_ID_BYTES; views.length < rows; at += REQUEST_ID_BYTES)
    views.push(room.subarray(at, at + REQUEST_ID_BYTES));
  const words = new Int32Array(room.buffer, 0, rows * 4);
  const ids = new Array<Uint8Array | null>(rows).fill(null);
  for (let row = 0, word = 0; row < rows; row++, word += 4) {
    if ((words[word]! | words[word + 1]! | words[word + 2]! | words[word + 3]!) === 0) continue;
    ids[row] = views[row]!;
  }
  return ids;
}

/** Encodes a few small segments: the first ones are 3 to 10 times slower than the rest. */
export function warmEncoder(): void {
  const rows = 4_096;
  const segment = segmentOver(new ArrayBuffer(segmentBytes(rows)), rows);
  segment.rows = rows;
  for (let i = 0; i < rows; i++) {
    segment.ints.index[i] = i;
    segment.ints.done_d[i] = (i * 7_919) % 50_000;
    segment.requestIds[i * REQUEST_ID_BYTES] = i | 1;
  }
  for (let i = 0; i < 6; i++) encodeSegment(segment);
}
