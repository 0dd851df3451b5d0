// platform/*.parquet and metrics.jsonl: what is written is what any Parquet reader finds.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { PlatformRow } from "../../src/core/facts.ts";
import { emptyRow } from "../../src/observe/platform-event.ts";
import { writeMetrics, writePlatform } from "../../src/observe/write-platform.ts";

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "gatecrash-platform-"));
});
afterEach(async () => rm(dir, { recursive: true }));

const PLACE = { function: "arn:f", stream: "2026/09/07/[3]aa", atMs: 1_788_773_400_123 };
const ROWS: PlatformRow[] = [
  { ...emptyRow("report", PLACE), request_id: "r1", duration: 12.34, billed: 13, memory: 512 },
  { ...emptyRow("init", PLACE), init: 300.5, phase: "init", error_type: "Runtime.X" },
  {
    ...emptyRow("access", { ...PLACE, function: null, stream: null }),
    front_request_id: "f=é",
    status: "503",
    integration_status: 429,
  },
];

test("rows come back as they were, nulls included", async () => {
  await writePlatform(dir, ROWS);
  const file = await asyncBufferFromFile(join(dir, "platform", "0.parquet"));
  expect(await parquetReadObjects({ file })).toEqual(ROWS);
});

test("another reader sees the same columns", async () => {
  await writePlatform(dir, ROWS);
  const connection = await (await DuckDBInstance.create()).connect();
  const found = await connection.runAndReadAll(
    `select kind, "at", duration, integration_status from '${join(dir, "platform", "*.parquet")}'`,
  );
  expect(found.getRows()).toEqual([
    ["report", 1_788_773_400_123, 12.34, null],
    ["init", 1_788_773_400_123, null, null],
    ["access", 1_788_773_400_123, null, 429],
  ]);
});

test("no rows, no file; no temporary files are left", async () => {
  await writePlatform(dir, []);
  await writePlatform(dir, ROWS, "s1");
  expect(await readdir(join(dir, "platform"))).toEqual(["s1.parquet"]);
});

test("a column that is null throughout can be written", async () => {
  await writePlatform(dir, [emptyRow("report", { function: null, stream: null, atMs: 1 })]);
  const file = await asyncBufferFromFile(join(dir, "platform", "0.parquet"));
  const [row] = await parquetReadObjects({ file });
  expect(row).toEqual(emptyRow("report", { function: null, stream: null, atMs: 1 }));
});

test("metrics are a point a line", async () => {
  const point = {
    namespace: "AWS/Lambda",
    metric: "Throttles",
    dimensions: { FunctionName: "f" },
    stat: "Sum",
    period_s: 60,
    at: 60_000,
    value: 3,
  } as const;
  await writeMetrics(dir, [point, point]);
  const lines = (await readFile(join(dir, "metrics.jsonl"), "utf8")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([point, point]);
});
