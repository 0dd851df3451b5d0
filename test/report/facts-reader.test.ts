// Reading run directories: order-free, tolerant of a killed writer, strict about contradictions.
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { report } from "../../src/report/report.ts";
import { jsonReport } from "../../src/report/result-json.ts";
import { textReport } from "../../src/report/text.ts";
import { goldenRuns } from "../support/golden-runs.ts";
import { writeRun } from "../support/run-directory.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-facts-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const bytes = async (): Promise<string> => {
  const judged = await report(dir);
  return textReport(judged) + jsonReport(judged);
};

describe("a run directory", () => {
  test("gives the same report when its segments are shuffled, cut anew and renamed", async () => {
    const run = goldenRuns().naive!();
    writeRun(dir, run);
    const expected = await bytes();
    const order = fc.shuffledSubarray([...run.attempts], {
      minLength: run.attempts.length,
      maxLength: run.attempts.length,
    });
    const cut = fc.integer({ min: 300, max: 2_000 });
    await fc.assert(
      fc.asyncProperty(order, cut, async (attempts, segmentRows) => {
        const platform = [...(run.platform ?? [])].reverse();
        const metrics = [...(run.metrics ?? [])].reverse();
        const sorted = attempts; // base is of the first row: differences may be negative
        writeRun(dir, { ...run, attempts: sorted, segmentRows, platform, metrics });
        const folder = join(dir, "attempts");
        for (const [i, name] of readdirSync(folder).entries())
          renameSync(join(folder, name), join(folder, `${(i * 7_919) % 997}-x.parquet`));
        renameSync(join(dir, "events", "0.jsonl"), join(dir, "events", "machine-b.jsonl"));
        expect(await bytes()).toBe(expected);
      }),
      { numRuns: 5 },
    );
  });

  test("is readable when the last event was torn by a kill", async () => {
    writeRun(dir, goldenRuns().killed!());
    const expected = await bytes();
    appendFileSync(join(dir, "events", "0.jsonl"), '{"t":7000000,"kind":"hea');
    expect(await bytes()).toBe(expected);
  });

  test("with a broken line in the middle is an error that names file and line", async () => {
    writeRun(dir, goldenRuns().killed!());
    writeFileSync(join(dir, "events", "1.jsonl"), '{"t":1,"kind":"start","pid":1}\nnonsense\n');
    await expect(report(dir)).rejects.toMatchObject({
      code: "facts",
      place: { file: join(dir, "events", "1.jsonl"), line: 2 },
    });
  });

  test("with a torn segment is an error that names the file", async () => {
    writeRun(dir, goldenRuns().unbalanced!());
    writeFileSync(join(dir, "attempts", "0-0-9.parquet"), "PAR1 and nothing else");
    await expect(report(dir)).rejects.toMatchObject({ code: "facts" });
  });

  test("skips the temporary file of a segment that was being written", async () => {
    writeRun(dir, goldenRuns().unbalanced!());
    const expected = await bytes();
    writeFileSync(join(dir, "attempts", "0-0-9.parquet.tmp"), "half");
    writeFileSync(join(dir, "attempts", ".0-0-9.parquet"), "half");
    expect(await bytes()).toBe(expected);
  });

  test("of another run among the segments is a contradiction", async () => {
    const run = goldenRuns().unbalanced!();
    writeRun(dir, { ...run, attempts: [...run.attempts, { index: 0, load: 3, dueUs: 0 }] });
    await expect(report(dir)).rejects.toMatchObject({ code: "facts" });
  });

  test("that is none is an input error with a hint", async () => {
    await expect(report(join(dir, "nowhere"))).rejects.toMatchObject({ code: "input" });
  });

  test("with an arrival twice does not balance", async () => {
    const run = goldenRuns()["too-few"]!();
    writeRun(dir, { ...run, attempts: [...run.attempts, run.attempts[3]!] });
    const found = await report(dir);
    expect(found.verdict).toBe("invalid");
    expect(found.invalid.join()).toContain("missing or doubled");
  });
});

describe("other criteria", () => {
  test("are read from a list, or from a scenario's accept", async () => {
    writeRun(dir, goldenRuns().unbalanced!());
    const criteriaFile = join(dir, "new.yaml");
    for (const text of ["- p50 <= 10ms\n", "title: x\naccept:\n  - p50 <= 10ms # strict\n"]) {
      writeFileSync(criteriaFile, text);
      const { criteria } = await report(dir, { criteriaFile });
      expect(criteria.map((c) => c.text)).toEqual(["p50 <= 10ms"]);
    }
  });

  test("that are wrong name their line", async () => {
    writeRun(dir, goldenRuns().unbalanced!());
    const criteriaFile = join(dir, "new.yaml");
    writeFileSync(criteriaFile, "accept:\n  - p50 <= 10ms\n  - p50 <= 10\n");
    await expect(report(dir, { criteriaFile })).rejects.toMatchObject({
      ...{ code: "scenario", place: { file: criteriaFile, line: 3 } },
    });
  });
});
