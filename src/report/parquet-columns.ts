// One Parquet file as columns: typed arrays for numbers, plain arrays for text and ids.
import { readFile } from "node:fs/promises";
import { parquetMetadata, parquetRead } from "hyparquet";
import { GatecrashError, messageOf } from "../core/error.ts";

type Values = ArrayLike<unknown>;

/** The columns of a file that were asked for; a column that the file lacks is an error. */
export class ParquetColumns {
  readonly file: string;
  readonly rows: number;
  readonly #columns: ReadonlyMap<string, Values>;

  constructor(file: string, rows: number, columns: ReadonlyMap<string, Values>) {
    this.file = file;
    this.rows = rows;
    this.#columns = columns;
  }

  /** Runs of an older version lack the columns that came later. */
  has(name: string): boolean {
    return this.#columns.has(name);
  }

  values(name: string): Values {
    const found = this.#columns.get(name);
    if (found?.length === this.rows) return found;
    const state = found === undefined ? "has no column" : `has ${found.length} of ${this.rows} in`;
    throw new GatecrashError("facts", `${this.file} ${state} ${name}`);
  }

  ints(name: string): Int32Array {
    const values = this.values(name);
    return values instanceof Int32Array ? values : Int32Array.from(values as ArrayLike<number>);
  }

  /** INT64 and DOUBLE alike; null becomes NaN. */
  numbers(name: string): Float64Array {
    const values = this.values(name);
    if (values instanceof Float64Array) return values;
    const numbers = new Float64Array(this.rows);
    for (let i = 0; i < this.rows; i++) {
      const value = values[i];
      numbers[i] = value === null || value === undefined ? Number.NaN : Number(value);
    }
    return numbers;
  }

  text(name: string, row: number): string | null {
    const value = this.values(name)[row];
    return typeof value === "string" ? value : null;
  }
}

/** Reads some columns of one file. Throws `facts` when it is torn or not Parquet. */
export async function readParquet(file: string, names: readonly string[]): Promise<ParquetColumns> {
  try {
    const bytes = await readFile(file);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const metadata = parquetMetadata(buffer);
    const pages = new Map<string, { start: number; data: Values }[]>();
    const there = new Set(metadata.schema.map(({ name }) => name));
    await parquetRead({
      file: buffer as ArrayBuffer,
      metadata,
      columns: names.filter((name) => there.has(name)),
      onChunk: ({ columnName, columnData, rowStart }) => {
        const list = pages.get(columnName) ?? [];
        list.push({ start: rowStart, data: columnData });
        pages.set(columnName, list);
      },
    });
    const columns = new Map([...pages].map(([name, list]) => [name, joined(list)] as const));
    return new ParquetColumns(file, Number(metadata.num_rows), columns);
  } catch (error) {
    if (error instanceof GatecrashError) throw error;
    throw new GatecrashError("facts", `${file} cannot be read: ${messageOf(error)}`, {
      hint: "a segment is written whole or not at all; restore the file or remove it",
      cause: error,
    });
  }
}

/** Pages of one column in row order; typed arrays stay typed. */
function joined(pages: { start: number; data: Values }[]): Values {
  if (pages.length === 1) return pages[0]!.data;
  pages.sort((a, b) => a.start - b.start);
  const length = pages.reduce((sum, page) => sum + page.data.length, 0);
  if (pages.every((page) => page.data instanceof Int32Array)) {
    const whole = new Int32Array(length);
    for (const { start, data } of pages) whole.set(data as Int32Array, start);
    return whole;
  }
  return pages.flatMap((page) => Array.from(page.data));
}
