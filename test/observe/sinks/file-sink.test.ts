// Sinks in files: the formats, files that are still written, and what cannot be read.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import type { SinkSpec } from "../../../src/core/scenario.ts";
import { CsvParser } from "../../../src/observe/sinks/csv-parser.ts";
import { rowsOf, sinkPorts, sinkSpec, temporaryFolder } from "../../support/sinks.ts";

const TWO = [
  { id: "e-1", cell: "north", count: 1 },
  { id: "e-2", cell: "south", count: 1 },
];
const LINES = '{"eventId":"e-1","depot":"north"}\n{"eventId":"e-2","depot":"south"}\n';

/** Reads one file with this content. */
function read(name: string, content: string | Uint8Array, more: Partial<SinkSpec> = {}) {
  const dir = temporaryFolder();
  writeFileSync(join(dir, name), content);
  return rowsOf(sinkSpec("file", { path: name }, more), sinkPorts(dir));
}

describe("a file sink", () => {
  it("reads NDJSON", async () => expect(await read("a.ndjson", LINES)).toEqual(TWO));

  it("reads what is compressed", async () => {
    expect(await read("a.jsonl.gz", gzipSync(LINES))).toEqual(TWO);
  });

  it("leaves out a last line that is still being written", async () => {
    expect(await read("a.ndjson", `${LINES}{"eventId":"e-`)).toEqual(TWO);
    expect(await read("a.ndjson", LINES.trimEnd())).toEqual(TWO);
  });

  it("reads CSV by the names in its first row", async () => {
    const text = '\uFEFFdepot,note,eventId\r\nnorth,"a, ""b""\nc",e-1\r\nsouth,,e-2\r\nsouth,x';
    expect(await read("a.csv", text)).toEqual(TWO);
  });

  it("reads Parquet, row group by row group, numbers as text", async () => {
    const columnData = [
      { name: "eventId", data: [1n, 2n, 3n], type: "INT64" as const },
      { name: "depot", data: ["a", "b", null], type: "STRING" as const },
      { name: "times", data: [1, 0, 4], type: "INT32" as const },
    ];
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 2 }));
    const input = { path: "a.parquet", count: "times" };
    expect(await read("a.parquet", bytes, { input })).toEqual([
      { id: "1", cell: "a", count: 1 },
      { id: "2", cell: "b", count: 0 },
      { id: "3", cell: null, count: 4 },
    ]);
  });

  it("finds nested fields, and fields with a dot in their name", async () => {
    const text = '{"event":{"id":"e-1"},"at.depot":"north"}\n';
    const found = await read("a.ndjson", text, { id: "event.id", cell: ["at.depot"] });
    expect(found).toEqual([TWO[0]]);
  });

  it("reads every file that its pattern matches, and none is an empty sink", async () => {
    const dir = temporaryFolder();
    const [first = "", second = ""] = LINES.split(/(?<=\n)/);
    writeFileSync(join(dir, "part-0.ndjson"), first);
    writeFileSync(join(dir, "part-1.ndjson"), second);
    writeFileSync(join(dir, "other.ndjson"), second);
    const of = (path: string) => rowsOf(sinkSpec("file", { path }), sinkPorts(dir));
    expect(await of("part-*.ndjson")).toEqual(TWO);
    expect(await of("gone-*.ndjson")).toEqual([]);
  });

  it("leaves out rows that are no events", async () => {
    expect(await read("a.ndjson", `{"counter":5}\n${LINES}`)).toEqual(TWO);
  });

  it.each([
    ["a.ndjson", "{}\n{oops}\n", "sink deliveries: a.ndjson: line 2 is not JSON"],
    ["a.csv", "eventId,depot\ne-1\ne-2,x\n", "a.csv: row 2 has 1 fields, the first has 2"],
    ["a.ndjson", '{"id":"e-1"}\n', "none of 1 rows has a field eventId"],
    ["a.parquet", "PAR1", "sink deliveries: a.parquet: "],
    ["a.txt", LINES, "a.txt is of no known format"],
  ])("says why %s cannot be read: %j", async (name, content, message) => {
    await expect(read(name, content)).rejects.toThrow(message);
  });

  it("does not take a missing file for an empty one", async () => {
    const spec = sinkSpec("file", { path: "gone.csv" });
    await expect(rowsOf(spec, sinkPorts(temporaryFolder()))).rejects.toThrow("ENOENT");
  });

  it("does not count a row whose count is no number", async () => {
    const input = { path: "a.ndjson", count: "times" };
    const text = '{"eventId":"e-1","times":"many"}\n';
    await expect(read("a.ndjson", text, { input })).rejects.toThrow(
      "the row of e-1 has no whole number in times",
    );
  });
});

describe("the CSV parser", () => {
  const field = fc.string({ unit: fc.constantFrom("a", "b", ",", '"', "\n", "é") });
  const row = fc.array(field, { minLength: 2, maxLength: 4 });
  const written = (rows: string[][], end: string): string =>
    rows.map((one) => one.map((f) => `"${f.replaceAll('"', '""')}"`).join(",") + end).join("");

  it("gives back what was written, however it is cut", () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 5 }),
        fc.constantFrom("\n", "\r\n"),
        fc.array(fc.nat(60), { maxLength: 5 }),
        (rows, end, cuts) => {
          const text = written(rows, end);
          const parser = new CsvParser();
          const edges = [0, ...cuts.sort((a, b) => a - b), text.length];
          const parts = edges.slice(1).map((to, i) => text.slice(edges[i], to));
          const found = [...parts.flatMap((part) => parser.push(part)), ...parser.end()];
          expect(found).toEqual(rows);
        },
      ),
    );
  });
});
