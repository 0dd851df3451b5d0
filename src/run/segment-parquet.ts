// One segment as one Parquet file, in the layout that costs a tenth of the writer's defaults.
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { ATTEMPT_INTS, type AttemptSegment } from "../core/facts.ts";
import { REQUEST_ID_BYTES, segmentBytes, segmentOver } from "./segment.ts";

const SCHEMA: SchemaElement[] = [
  { name: "attempts", num_children: ATTEMPT_INTS.length + 2 },
  { name: "base", type: "INT64", repetition_type: "REQUIRED" },
  ...ATTEMPT_INTS.map(
    (name): SchemaElement => ({ name, type: "INT32", repetition_type: "REQUIRED" }),
  ),
  {
    name: "request_id",
    type: "FIXED_LEN_BYTE_ARRAY",
    type_length: REQUEST_ID_BYTES,
    repetition_type: "OPTIONAL",
  },
];

const FIRST_BUFFER_BYTES = 1 << 20;

/**
 * The bytes of the file. Differences as DELTA_BINARY_PACKED INT32, the base as a dictionary of one,
 * ids PLAIN, snappy, no statistics, one row group, one page a column.
 */
export function encodeSegment(segment: AttemptSegment): Uint8Array {
  const { rows } = segment;
  const columnData: ColumnSource[] = [
    {
      name: "base",
      data: new Array<bigint>(rows).fill(BigInt(segment.baseUs)),
      encoding: "RLE_DICTIONARY",
    },
    ...ATTEMPT_INTS.map(
      (name): ColumnSource => ({
        name,
        data: segment.ints[name].subarray(0, rows),
        encoding: "DELTA_BINARY_PACKED",
      }),
    ),
    { name: "request_id", data: idsOf(segment), encoding: "PLAIN" },
  ];
  const bytes = new ByteWriter(FIRST_BUFFER_BYTES);
  const writer = new ParquetWriter({
    writer: bytes,
    schema: SCHEMA,
    codec: "SNAPPY",
    statistics: false,
    createdBy: "gatecrash",
  });
  writer.write({ columnData, rowGroupSize: Math.max(1, rows), pageSize: 0 });
  writer.finish();
  return bytes.getBytes();
}

/** 16 bytes a row, null where they are all zero. */
function idsOf({ rows, requestIds }: AttemptSegment): (Uint8Array | null)[] {
  const words = new Int32Array(requestIds.buffer, requestIds.byteOffset, rows * 4);
  const ids = new Array<Uint8Array | null>(rows).fill(null);
  for (let row = 0, word = 0; row < rows; row++, word += 4) {
    if ((words[word]! | words[word + 1]! | words[word + 2]! | words[word + 3]!) === 0) continue;
    const at = row * REQUEST_ID_BYTES;
    ids[row] = requestIds.subarray(at, at + REQUEST_ID_BYTES);
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
