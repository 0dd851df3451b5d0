// A closed loop sent by two programs: when they can be compared, and what follows if they differ.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { CrossCheckEvent, RunEvent } from "../../src/core/facts.ts";
import { report } from "../../src/report/report.ts";
import { resultOf } from "../../src/report/result-json.ts";
import { textReport } from "../../src/report/text.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";
import {
  type AttemptSpec,
  planFor,
  plannedLoad,
  quietEvents,
  writeRun,
} from "../support/run-directory.ts";

const dir = mkdtempSync(join(tmpdir(), "gatecrash-check-"));
afterAll(() => rmSync(dir, { recursive: true }));

const LOAD = { ...plannedLoad({ name: "ceiling" }), closed: { connections: 4 } };

/** 50 answers a second in the first five seconds, 100 in the last five: 500 of those. */
const ATTEMPTS: readonly AttemptSpec[] = Array.from({ length: 750 }, (_, index) => ({
  index,
  dueUs: index < 250 ? index * 20_000 : 5_000_000 + (index - 250) * 10_000 - 25_000,
}));

async function judged(
  check: Partial<CrossCheckEvent>,
  attempts = ATTEMPTS,
  more: readonly RunEvent[] = [],
) {
  const event: RunEvent = {
    ...{ t: 12e6, kind: "cross-check", load: "ceiling", by: "autocannon 9.0.0", seconds: 5 },
    ...{ answers: 500, failures: 0, cpu: 0.4, skipped: "" },
    ...check,
  };
  const plan = { ...planFor({ loads: [LOAD] }, []), loads: [LOAD] };
  const events = quietEvents(10, attempts.length, [event, ...more]);
  writeRun(dir, { plan, events, attempts });
  return await report(dir);
}

describe("the figures of two senders", () => {
  test("are compared over the same last seconds, and agree within five percent", async () => {
    const found = await judged({ answers: 510 });
    expect(found.crossChecks).toMatchObject([
      { oursPerSecond: 100, theirsPerSecond: 102, unsound: "", agrees: true },
    ]);
    expect(found.invalid).toEqual([]);
    expect(textReport(found)).toMatch(
      /^ {2}peer +ceiling: autocannon 9\.0\.0 found 102\/s over 5 s, we 100\/s: ratio 0\.980, within/m,
    );
    const json = RESULT_SCHEMA.parse(JSON.parse(JSON.stringify(resultOf(found))));
    expect(json.cross_checks).toMatchObject([{ ours_per_s: 100, ratio: 100 / 102, agrees: true }]);
  });

  test.each([520, 526, 475, 450])("with %i of their answers", async (answers) => {
    const { crossChecks, verdict, reason } = await judged({ answers });
    const agrees = Math.abs(500 / answers - 1) <= 0.05;
    expect(crossChecks[0]?.agrees).toBe(agrees);
    if (!agrees)
      expect([verdict, reason]).toEqual(["invalid", expect.stringContaining("found 1.")]);
  });

  test("that differ make the run invalid", async () => {
    const { verdict, invalid } = await judged({ answers: 400 });
    expect(verdict).toBe("invalid");
    expect(invalid).toEqual(["ceiling: our closed loop found 1.25 of what autocannon 9.0.0 found"]);
  });
});

describe("nothing follows from a difference when", () => {
  const busy = { kind: "health", lag_p99_us: 0, loop_us: 0, cpu: 0.95 } as const;
  const health: RunEvent = { t: 5.5e6, ...busy, connect_failures: 0, loads: [] };
  const lost: AttemptSpec = { index: 750, dueUs: 9e6, outcome: "unknown", reason: "timeout" };

  test.each([
    ["its sender was busy", { cpu: 0.97 }, ATTEMPTS, [], /it was at 97 % of a core/],
    ["its requests failed", { failures: 3 }, ATTEMPTS, [], /3 of its requests failed/],
    ["ours had no answer", {}, [...ATTEMPTS, lost], [], /1 of our attempts had no answer/],
    ["our sender was busy", {}, ATTEMPTS, [health], /our sender was at 95 % of a core/],
  ] as const)("%s", async (_, check, attempts, events, why) => {
    const found = await judged({ answers: 300, ...check }, attempts, events);
    expect(found.crossChecks).toMatchObject([
      { agrees: null, unsound: expect.stringMatching(why) },
    ]);
    expect(found.invalid.filter((text) => text.includes("closed loop"))).toEqual([]);
  });

  test("it was not made at all", async () => {
    const skipped = "limits.requests leaves too few for a second sender";
    const found = await judged({ answers: 0, skipped });
    expect(found.crossChecks).toMatchObject([{ ratio: null, agrees: null, unsound: skipped }]);
    expect(textReport(found)).toContain("was not asked: limits.requests leaves");
  });
});
