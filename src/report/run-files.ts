// The files of a run directory by folder: what is temporary or hidden is not there.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type ParquetColumns, readParquet } from "./parquet-columns.ts";

/** Files of a folder that end so, by name; an absent folder has none. */
export async function filesOf(folder: string, ending: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith(ending) && !name.startsWith("."))
      .sort()
      .map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** One Parquet file after another; `prefix` chooses those called `<prefix>-<seq>.parquet`. */
export async function* segments(
  folder: string,
  columns: readonly string[],
  prefix: string | null = null,
): AsyncIterable<ParquetColumns> {
  const files = await filesOf(folder, ".parquet");
  const start = prefix === null ? "" : join(folder, `${prefix}-`);
  for (const file of files) {
    const isPart = prefix === null || /^\d+\.parquet$/.test(file.slice(start.length));
    if (file.startsWith(start) && isPart) yield await readParquet(file, columns);
  }
}
