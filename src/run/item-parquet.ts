// One segment of items as one Parquet file.
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { ITEM_INTS, type ItemSegment } from "../core/item-facts.ts";
import { SEQUENCE_BYTES } from "./item-segment.ts";

const SCHEMA: SchemaElement[] = [
  { name: "items", num_children: ITEM_INTS.length + 1 },
  ...ITEM_INTS.map((name): SchemaElement => ({ name, type: "INT32", repetition_type: "REQUIRED" })),
  { name: "sequence", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
];
const FIRST_BUFFER_BYTES = 1 << 20;

/** The bytes of the file. */
export function encodeItems(segment: ItemSegment): Uint8Array {
  const { rows } = segment;
  const columnData: ColumnSource[] = [
    ...ITEM_INTS.map(
      (name): ColumnSource => ({
        name,
        data: segment.ints[name].subarray(0, rows),
        encoding: "DELTA_BINARY_PACKED",
      }),
    ),
    { name: "sequence", data: sequencesOf(segment), encoding: "PLAIN" },
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

function sequencesOf({ rows, sequences }: ItemSegment): (Uint8Array | null)[] {
  return Array.from({ length: rows }, (_, row) => {
    const at = row * SEQUENCE_BYTES;
    const length = sequences[at]!;
    return length === 0 ? null : sequences.subarray(at + 1, at + 1 + length);
  });
}
