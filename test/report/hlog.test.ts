// The HdrHistogram log, read back by the library itself: counts and values are those of the run.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HistogramLogReader, listTags } from "hdr-histogram-js";
import { afterAll, describe, expect, test } from "vitest";
import { hlogOf } from "../../src/report/hlog.ts";
import { report } from "../../src/report/report.ts";
import { goldenRuns } from "../support/golden-runs.ts";
import { writeRun } from "../support/run-directory.ts";

const GOLDEN = join(import.meta.dirname, "..", "golden");
const dir = mkdtempSync(join(tmpdir(), "gatecrash-hlog-"));
afterAll(() => rmSync(dir, { recursive: true }));

function countOf(text: string, tag: string): { count: number; maxUs: number; startsS: number[] } {
  const reader = new HistogramLogReader(text);
  const found = { count: 0, maxUs: 0, startsS: [] as number[] };
  for (;;) {
    const histogram = reader.nextIntervalHistogram();
    if (histogram === null) return found;
    if (histogram.tag !== tag) continue;
    found.count += histogram.totalCount;
    found.maxUs = Math.max(found.maxUs, histogram.maxValue);
    found.startsS.push(histogram.startTimeStampMsec / 1_000);
  }
}

describe("the .hlog export", () => {
  test("holds every answer of each start, second by second", async () => {
    const text = await hlogOf(join(GOLDEN, "naive"));
    const { latencies, plan } = await report(join(GOLDEN, "naive"));
    expect(listTags(text).sort()).toEqual(["shopper/cold", "shopper/warm"]);
    for (const start of ["cold", "warm"] as const) {
      const { count, maxUs, startsS } = countOf(text, `shopper/${start}`);
      const row = latencies.find((one) => one.start === start)!;
      expect(count).toBe(row.n);
      expect(Math.abs(maxUs / row.max - 1)).toBeLessThan(0.001);
      expect(startsS[0]).toBe(plan.epoch_ms / 1_000);
      expect(startsS).toEqual([...startsS].sort((a, b) => a - b));
    }
  });

  test("says its start and unit, whatever the time zone", async () => {
    const lines = (await hlogOf(join(GOLDEN, "naive"))).split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "#[Histogram log format version 1.3]",
      "#[StartTime: 1796065320.000 (seconds since epoch), 2026-11-30T19:02:00.000Z]",
      "#[Values: response time in µs, from due to the end of the last attempt]",
    ]);
  });

  test("does not depend on how the facts are cut", async () => {
    const run = goldenRuns().naive!();
    writeRun(dir, { ...run, attempts: [...run.attempts].reverse(), segmentRows: 97 });
    expect(await hlogOf(dir)).toBe(await hlogOf(join(GOLDEN, "naive")));
  });
});
