// Puts what the platform said into a run directory: platform/*.parquet and metrics.jsonl.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ByteWriter, type ColumnSource, parquetWrite } from "hyparquet-writer";
import type { MetricPoint, PlatformRow } from "../core/facts.ts";

const TEXT = [
  "kind",
  "function",
  "version",
  "request_id",
  "front_request_id",
  "trace_id",
  "status",
  "error_type",
  "phase",
  "stream",
] as const satisfies readonly (keyof PlatformRow)[];
const NUMBERS = [
  "at",
  "duration",
  "billed",
  "memory",
  "init",
  "restore",
] as const satisfies readonly (keyof PlatformRow)[];

/**
 * Writes `platform/<name>.parquet` whole or not at all; columns as in PlatformRow: text as optional
 * UTF8, numbers as optional DOUBLE, `integration_status` as optional INT32. No rows, no file.
 */
export async function writePlatform(
  runDir: string,
  rows: readonly PlatformRow[],
  name = "0",
): Promise<void> {
  if (rows.length === 0) return;
  await mkdir(join(runDir, "platform"), { recursive: true });
  await writeWhole(join(runDir, "platform", `${name}.parquet`), encodePlatform(rows));
}

function encodePlatform(rows: readonly PlatformRow[]): Uint8Array {
  const columnData: ColumnSource[] = [
    ...TEXT.map(
      (column): ColumnSource => ({
        name: column,
        data: rows.map((row) => row[column]),
        type: "STRING",
        nullable: true,
      }),
    ),
    ...NUMBERS.map(
      (column): ColumnSource => ({
        name: column,
        data: rows.map((row) => row[column]),
        type: "DOUBLE",
        nullable: true,
      }),
    ),
    {
      name: "integration_status",
      data: rows.map((row) => row.integration_status),
      type: "INT32",
      nullable: true,
    },
  ];
  const bytes = new ByteWriter();
  parquetWrite({ writer: bytes, columnData });
  return bytes.getBytes();
}

/** `metrics.jsonl`, one point a line; empty = metrics were asked for and none came. */
export async function writeMetrics(runDir: string, points: readonly MetricPoint[]): Promise<void> {
  const text = points.map((point) => `${JSON.stringify(point)}\n`).join("");
  await writeWhole(join(runDir, "metrics.jsonl"), text);
}

async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${file}.part`, content);
  await rename(`${file}.part`, file);
}
