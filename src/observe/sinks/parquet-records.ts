// Parquet files as records, one row group after another, the needed columns only.
import { gunzipSync } from "node:zlib";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";

/** Beyond what hyparquet brings along. */
const COMPRESSORS = { GZIP: (bytes: Uint8Array): Uint8Array => gunzipSync(bytes) };

/** Throws an Error when the file is torn, or has none of the columns. */
export async function* parquetRecords(
  path: string,
  fields: readonly string[],
): AsyncIterable<readonly unknown[]> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  // Children of the root: nested columns are asked for as a whole.
  const known = new Set<string>();
  for (const { meta_data } of metadata.row_groups[0]?.columns ?? [])
    known.add(meta_data?.path_in_schema[0] ?? "");
  const columns = fields.map((name) => (known.has(name) ? name : (name.split(".")[0] ?? name)));
  const missing = columns.find((name) => !known.has(name));
  if (metadata.row_groups.length > 0 && missing !== undefined)
    throw new Error(`there is no column ${missing}`);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    yield await parquetReadObjects({
      ...{ file, metadata, rowStart, rowEnd },
      columns: [...new Set(columns)],
      compressors: COMPRESSORS,
    });
    rowStart = rowEnd;
  }
}
