// Rows of ledger and effects as Parquet files of a bounded size, each written whole or not at all.
import { rename, writeFile } from "node:fs/promises";
import { ByteWriter, type ColumnSource, parquetWrite } from "hyparquet-writer";
import { LEDGER_FILE_ROWS } from "../../core/ledger-facts.ts";

/** A column: text (null allowed) or whole numbers. */
export interface PartColumn {
  readonly name: string;
  readonly type: "STRING" | "INT32";
}

type Value = string | number | null;

/** Collects rows and writes `<prefix>-<seq>.parquet`; memory holds one file's rows. */
export class PartWriter {
  rows = 0;
  readonly files: string[] = [];
  readonly #prefix: string;
  readonly #columns: readonly PartColumn[];
  #values: Value[][];

  constructor(prefix: string, columns: readonly PartColumn[]) {
    this.#prefix = prefix;
    this.#columns = columns;
    this.#values = columns.map(() => []);
  }

  /** Values in the order of the columns. True = call `flush` before the next row. */
  add(...row: Value[]): boolean {
    for (const [i, value] of row.entries()) this.#values[i]!.push(value);
    this.rows++;
    return this.#values[0]!.length >= LEDGER_FILE_ROWS;
  }

  async flush(): Promise<void> {
    const rows = this.#values[0]?.length ?? 0;
    if (rows === 0) return;
    const columnData = this.#columns.map(({ name, type }, i): ColumnSource => {
      const values = this.#values[i]!;
      if (type === "INT32") {
        const data = Int32Array.from(values as number[]);
        return { name, data, type, nullable: false, encoding: "DELTA_BINARY_PACKED" };
      }
      return { name, data: values, type, nullable: true };
    });
    const bytes = new ByteWriter();
    parquetWrite({ writer: bytes, columnData, statistics: false, rowGroupSize: rows });
    const file = `${this.#prefix}-${this.files.length}.parquet`;
    await writeFile(`${file}.part`, bytes.getBytes());
    await rename(`${file}.part`, file);
    this.files.push(file);
    this.#values = this.#columns.map(() => []);
  }
}
