// The cold starts that an undo causes: a window of their own, drawn, named, and never uncounted.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FaultEvent, PlatformRow, RunEvent } from "../../src/core/facts.ts";
import { chartData } from "../../src/report/html/chart-data.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import { markdownReport } from "../../src/report/markdown.ts";
import { report } from "../../src/report/report.ts";
import { resultOf } from "../../src/report/result-json.ts";
import { textReport } from "../../src/report/text.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";
import {
  EPOCH_MS,
  planFor,
  plannedLoad,
  platformRow,
  quietEvents,
  writeRun,
} from "../support/run-directory.ts";

const S = 1_000_000;
const ARN = "arn:aws:lambda:eu-west-1:000000000000:function:checkout";
const id = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-wave-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

interface Shape {
  /** Is the arrival of this tenth of a second a cold start? */
  readonly cold: (tenth: number) => boolean;
  readonly seconds?: number;
  readonly reports?: boolean;
  readonly accept?: string[];
}

/** Ten arrivals a second; the fault acts from 10 s, its undo is asked at 20 s, clear at 21 s. */
async function judged({ cold, seconds = 40, reports = true, accept = [] }: Shape) {
  const attempts = Array.from({ length: seconds * 10 }, (_, index) => {
    return { index, dueUs: index * 100_000, requestId: id(index) };
  });
  const platform = attempts.map(({ dueUs, requestId }, index): PlatformRow => {
    const more = cold(index) ? { init: 300 } : {};
    const at = EPOCH_MS + dueUs / 1_000 + 20;
    return platformRow({ function: "checkout", request_id: requestId, at, duration: 19, ...more });
  });
  const step = (t: number, of: FaultEvent["step"]): RunEvent => {
    return { t: t * S, kind: "fault", fault: "recycle", step: of, fields: {}, detail: "x 1 → 2" };
  };
  const events = [step(10, "asked"), step(10.5, "onset"), step(20, "restore-asked")];
  events.push(step(20.5, "verified"), step(21, "cleared"));
  const fault = { name: "recycle", kind: "recycle-environments", resources: [ARN] };
  const plan = planFor(
    {
      loads: [plannedLoad({ name: "shopper", routes: [""] })],
      phases: [
        { name: "before", start_us: 0, end_us: 10 * S },
        { name: "recycle", start_us: 10 * S, end_us: 20 * S },
        { name: "after", start_us: 20 * S, end_us: seconds * S },
      ],
      faults: [{ ...fault, during: "recycle", start_us: 10 * S, end_us: 20 * S, cold_wave: ARN }],
      criteria: { accept, steady: [], stop_when: [] },
      joins: true,
    },
    attempts,
  );
  const spec = { plan, attempts, events: quietEvents(seconds, attempts.length, events) };
  writeRun(dir, { ...spec, platform: reports ? platform : [] });
  return await report(dir);
}

/** Cold for every second arrival from 20.2 s to 24 s. */
const WAVE = (tenth: number): boolean => tenth >= 202 && tenth < 240 && tenth % 2 === 0;

describe("the cold wave of a fault", () => {
  test("lasts from its undo until cold starts are as few as before, for five seconds", async () => {
    const found = await judged({ cold: WAVE });
    expect(found.faults[0]?.coldWave).toEqual({
      ...{ name: "recycle", function: "checkout", startUs: 20 * S, endUs: 24 * S },
      ...{ coldStarts: 19, invocations: 40, end: "calm" },
    });
  });

  test("is over when they are as many as they always were", async () => {
    const always = (tenth: number): boolean => tenth % 10 === 5;
    const found = await judged({ cold: (tenth) => WAVE(tenth) || always(tenth) });
    expect(found.faults[0]?.coldWave).toMatchObject({ endUs: 24 * S, end: "calm" });
  });

  test("is no wave where no cold start came, and says so", async () => {
    const found = await judged({ cold: () => false });
    expect(found.faults[0]?.coldWave).toMatchObject({ endUs: 20 * S, end: "none" });
    expect(textReport(found).replaceAll(/\s+/g, " ")).toContain("no cold wave of recycle");
  });

  test("that outlasts the run, or a minute, is said to have no end", async () => {
    const run = await judged({ cold: (tenth) => tenth >= 200 });
    expect(run.faults[0]?.coldWave).toMatchObject({ endUs: 40 * S, end: "run" });
    const long = await judged({ cold: (tenth) => tenth >= 200, seconds: 100 });
    expect(long.faults[0]?.coldWave).toMatchObject({ endUs: 80 * S, end: "bound" });
    expect(textReport(long).replaceAll(/\s+/g, " ")).toContain("no end seen within a minute");
  });

  test("is not seen without REPORT lines; what is asked of it is then undecided", async () => {
    const accept = ["cold.rate <= 90% during recycle-cold-wave"];
    const found = await judged({ cold: WAVE, reports: false, accept });
    expect(found.faults[0]?.coldWave).toMatchObject({ end: "unseen" });
    expect(found.criteria[0]).toMatchObject({ verdict: "inconclusive" });
  });
});

describe("a criterion", () => {
  test("may be about the wave, and about the time after it", async () => {
    const accept = [
      "cold.rate >= 20% during recycle-cold-wave",
      "cold.rate <= 1% within 16s after recycle-cold-wave",
    ];
    const { criteria } = await judged({ cold: WAVE, accept });
    expect(criteria.map(({ window, n }) => [window?.startUs, window?.endUs, n])).toEqual([
      [20 * S, 24 * S, 40],
      [24 * S, 40 * S, 160],
    ]);
    expect(criteria.map(({ estimate, reason }) => [estimate, reason.includes("undo of")])).toEqual([
      [19 / 40, false],
      [0, false],
    ]);
  });

  test("about the next phase begins when the wave is over, so holds none of it", async () => {
    const { criteria } = await judged({ cold: WAVE, accept: ["cold.rate <= 5% during after"] });
    expect(criteria[0]).toMatchObject({ estimate: 0, n: 160 });
    expect(criteria[0]?.window).toMatchObject({ startUs: 24 * S, endUs: 40 * S });
  });

  test("whose window holds a part of it says how many of its cold starts are the undo's", async () => {
    const accept = [
      "cold.rate <= 50% within 10s after recycle",
      "shopper.cold.p99 <= 5s",
      "p99 <= 5s",
    ];
    const { criteria } = await judged({ cold: WAVE, accept });
    expect(
      criteria.map(({ reason }) => /; (\d+) of its cold starts are/.exec(reason)?.[1]),
    ).toEqual(["15", "19", undefined]);
  });

  test("about the wave of a fault that has none is an error", async () => {
    await expect(
      judged({ cold: WAVE, accept: ["p99 <= 1s during zero-cold-wave"] }),
    ).rejects.toThrow("no phase or fault is called `zero-cold-wave`");
  });
});

describe("every output", () => {
  test("names the wave: text, Markdown, HTML, result.json, and the timeline shades it", async () => {
    const found = await judged({ cold: WAVE });
    const words = "cold wave of recycle for 4.0 s: 19 cold starts of 40";
    for (const text of [textReport(found), markdownReport(found)])
      expect(text.replaceAll(/\s+/g, " ")).toContain(words);
    expect(htmlReport(found)).toContain("Cold wave of recycle for 4.0 s: 19 cold starts of 40.");
    expect(chartData(found).faults[0]?.wave).toEqual([20, 24]);
    const { faults } = RESULT_SCHEMA.parse(JSON.parse(JSON.stringify(resultOf(found))));
    expect(faults[0]?.cold_wave).toEqual({
      ...{ window: "recycle-cold-wave", function: "checkout", start_ms: 20_000, end_ms: 24_000 },
      ...{ cold_starts: 19, invocations: 40, end: "calm" },
    });
  });
});
