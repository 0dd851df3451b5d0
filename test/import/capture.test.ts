// Importing as a whole: compression, formats, folders, selection, the canonical round trip.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import { importCapture } from "../../src/import/capture.ts";
import { parseBetween, parseWindow } from "../../src/import/select.ts";
import { writeCapture } from "../../src/import/write-capture.ts";
import { importText, reconciles, skippedOf } from "./memory-file.ts";

const at = (second: number, path = `/${second}`): string =>
  `203.0.113.9 - - [07/Sep/2026:09:30:${String(second).padStart(2, "0")} +0000] ` +
  `"GET ${path} HTTP/1.1" 200 1 "-" "ua"\n`;

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "gatecrash-capture-"));
});
afterEach(async () => rm(dir, { recursive: true }));

test("gzip is known by its bytes, and all its members are read", async () => {
  const members = Buffer.concat([at(1) + at(2), at(3), at(4)].map((text) => gzipSync(text)));
  const { records } = await importText(members);
  expect(records.map((one) => one.path)).toEqual(["/1", "/2", "/3", "/4"]);
});

test("a gzip file that is cut off is an error, never a shorter capture", async () => {
  const packed = gzipSync(at(1).repeat(2_000));
  await expect(importText(packed.subarray(0, packed.length - 20))).rejects.toMatchObject({
    code: "input",
  });
});

test("a byte order mark and Windows line ends are no part of the lines", async () => {
  const { fidelity } = await importText(`\ufeff${at(1).replace("\n", "\r\n")}${at(2).trim()}`);
  expect([fidelity.read, fidelity.replayable]).toEqual([2, 2]);
});

test("text of no known format names the formats", async () => {
  await expect(importText("hello\n")).rejects.toMatchObject({
    code: "input",
    hint: expect.stringContaining("combined"),
  });
});

test("a file that is not there is an error with its name", async () => {
  const file = join(dir, "none.log");
  await expect(importCapture({ file, rng: seededRng(1) })).rejects.toMatchObject({
    code: "input",
    place: { file },
  });
});

test("a folder is read in natural order of its names", async () => {
  await writeFile(join(dir, "log_10"), at(1, "/ten"));
  await writeFile(join(dir, "log_2"), at(1, "/two"));
  const { fidelity } = await importCapture({ file: dir, rng: seededRng(1) });
  expect([fidelity.files, fidelity.read]).toEqual([["log_2", "log_10"], 2]);
});

test("--between keeps a half-open span and counts the rest", async () => {
  const between = parseBetween("2026-09-07T09:30:02Z..2026-09-07T09:30:04Z");
  const imported = await importText([1, 2, 3, 4].map((s) => at(s)).join(""), { between });
  expect(imported.records.map((one) => one.path)).toEqual(["/2", "/3"]);
  expect(skippedOf(imported)).toEqual({ "outside --between": 2 });
  expect(reconciles(imported)).toBe(true);
});

test("--window keeps the busiest stretch", async () => {
  const text = at(1) + at(20) + at(21, "/a") + at(21, "/b") + at(40);
  const imported = await importText(text, { busiestUs: parseWindow("busiest:3s") });
  expect(imported.records.map((one) => one.path)).toEqual(["/20", "/a", "/b"]);
  expect(reconciles(imported)).toBe(true);
});

test.each(["busiest", "busiest:0s", "busiest:3 parsecs"])("--window %s is refused", (text) => {
  expect(() => parseWindow(text)).toThrow(/not a window/);
});

test.each(["yesterday", "2026-09-07T10:00:00Z..2026-09-07T09:00:00Z", "a..b"])(
  "--between %s is refused",
  (text) => {
    expect(() => parseBetween(text)).toThrow(/not two moments/);
  },
);

test.each(["traffic.ndjson", "traffic.ndjson.gz"])(
  "what %s holds is the same when it is read back, pseudonyms included",
  async (name) => {
    const text = at(1, "/a?token=abcdef") + at(2, "/b c");
    const { records } = await importText(text);
    const out = join(dir, name);
    await writeCapture(records, out);
    const again = await importCapture({ file: out, rng: seededRng(99) });
    expect(again.records).toEqual(records);
    expect(again.fidelity.format).toBe("ndjson");
    const raw = await readFile(out);
    const written = name.endsWith(".gz") ? gunzipSync(raw).toString() : raw.toString();
    expect(written).not.toContain("abcdef");
  },
);

test("a pipe is written to; it is not replaced by a file", async () => {
  const pipe = join(dir, "pipe");
  spawnSync("/bin/sh", ["-c", 'mkfifo "$0"', pipe]);
  const { records } = await importText(at(1));
  const [text] = await Promise.all([readFile(pipe, "utf8"), writeCapture(records, pipe)]);
  expect(text).toBe(`${JSON.stringify(records[0])}\n`);
  expect(statSync(pipe).isFIFO()).toBe(true);
});

test("canonical lines that do not keep the form are skipped by reason", async () => {
  const good = { t_start_us: 1, method: "GET", path: "/" };
  const lines = [
    good,
    { ...good, t_start_us: 1.5 },
    { ...good, method: "G E T" },
    { ...good, path: "nowhere" },
    { ...good, headers: [["a"]] },
    { ...good, t_meaning: "maybe" },
    [],
  ];
  const imported = await importText(lines.map((one) => JSON.stringify(one)).join("\n"));
  expect(skippedOf(imported)).toEqual({
    "t_start_us is no integer": 1,
    "not an HTTP method": 1,
    "no method or no path": 1,
    "headers are no list of pairs": 1,
    "t_meaning is unknown": 1,
    "not a JSON object": 1,
  });
});
