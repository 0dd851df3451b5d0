// One segment of items as one Parquet file.
import type { SchemaElement } from "hyparquet-writer";
import { ITEM_INTS, type ItemSegment } from "../core/item-facts.ts";
import { SEQUENCE_BYTES } from "./item-segment.ts";
import { intColumn, intData, parquetFile } from "./parquet-file.ts";

const COLUMNS: readonly SchemaElement[] = [
  ...ITEM_INTS.map(intColumn),
  { name: "sequence", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
];

/** The bytes of the file. */
export function encodeItems(segment: ItemSegment): Uint8Array {
  const { rows, ints } = segment;
  const sequence = { name: "sequence", data: sequencesOf(segment), encoding: "PLAIN" } as const;
  return parquetFile("items", COLUMNS, [...intData(ITEM_INTS, ints, rows), sequence], rows);
}

function sequencesOf({ rows, sequences }: ItemSegment): (Uint8Array | null)[] {
  return Array.from({ length: rows }, (_, row) => {
    const at = row * SEQUENCE_BYTES;
    const length = sequences[at]!;
    return length === 0 ? null : sequences.subarray(at + 1, at + 1 + length);
  });
}
