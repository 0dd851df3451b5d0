// What API Gateway counted against what was sent: by minute, with what neither side can know.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { MetricPoint, RunEvent } from "../../src/core/facts.ts";
import type { PlannedFront } from "../../src/core/front-facts.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import { markdownReport } from "../../src/report/markdown.ts";
import { report } from "../../src/report/report.ts";
import { textReport } from "../../src/report/text.ts";
import {
  type AttemptSpec,
  EPOCH_MS,
  planFor,
  plannedLoad,
  quietEvents,
  writeRun,
} from "../support/run-directory.ts";

const S = 1_000_000;
const MINUTE_MS = 60_000;
const dir = mkdtempSync(join(tmpdir(), "gatecrash-fronts-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const dimensions = { ApiId: "a1b2", Stage: "$default" };
const FRONT: PlannedFront = { name: "HTTP API shop, stage $default", dimensions, loads: ["shop"] };

/** The run begins at a whole minute; `at` in minutes of it. */
const point = (metric: string, at: number, value: number): MetricPoint => ({
  ...{ namespace: "AWS/ApiGateway", metric, dimensions, stat: "Sum", period_s: 60, value },
  at: EPOCH_MS + at * MINUTE_MS,
});
/** `Count` of each minute; null = no point. */
const counts = (...values: (number | null)[]): MetricPoint[] =>
  values.flatMap((value, at) => (value === null ? [] : [point("Count", at, value)]));

interface Case {
  readonly metrics: readonly MetricPoint[];
  readonly end?: "quiet" | "waited";
  readonly front?: Partial<PlannedFront>;
  readonly smoked?: number;
}

/** 1,800 arrivals over three minutes, 600 in each; an attempt each unless `shape` says more. */
async function judged(
  shape: (i: number) => Partial<AttemptSpec>,
  { metrics, end = "quiet", front = {}, smoked = 0 }: Case,
) {
  const attempts = Array.from({ length: 1_800 }, (_, index): AttemptSpec => {
    // Kept away from the ends of minutes, where clocks decide.
    const dueUs = Math.floor(index / 600) * 60 * S + 5 * S + (index % 600) * 80_000;
    return { index, dueUs, ...shape(index) };
  });
  const load = plannedLoad({ name: "shop", routes: [""], end_us: 180 * S });
  const phases = [{ name: "all", start_us: 0, end_us: 180 * S }];
  const criteria = { accept: ["shop.count >= 1"], steady: [], stop_when: [] };
  const fronts = [{ ...FRONT, ...front }];
  const plan = planFor({ loads: [load], phases, criteria, fronts }, attempts);
  const metered: RunEvent = { t: 190 * S, kind: "metered", end, smoked: { shop: smoked } };
  writeRun(dir, { plan, attempts, metrics, events: quietEvents(180, 1_800, [metered]) });
  const found = await report(dir);
  return { ...found, front: found.fronts[0]!, text: textReport(found).replaceAll(/\s+/g, " ") };
}

const fine = (): Partial<AttemptSpec> => ({});

describe("what an API's gateway counted", () => {
  test("agrees minute by minute, errors included", async () => {
    const shape = (i: number): Partial<AttemptSpec> =>
      i % 100 === 0 ? { outcome: "errored", reason: "status", status: i % 200 ? 404 : 500 } : {};
    const errors = [point("4xx", 0, 9), point("5xx", 1, 9)];
    const found = await judged(shape, { metrics: [...counts(600, 600, 600), ...errors] });
    expect(found.invalid).toEqual([]);
    expect(found.front).toEqual({
      ...{ name: FRONT.name, loads: ["shop"], sent: 1_800, resent: 0, answered: 1_800 },
      ...{ turned_away: 0, unanswered: 0, smoked: 0, counted: 1_800, others: 0, others_share: 0 },
      ...{ missing: 0, minutes_off: 0, unsound: "" },
      client_errors: { ours: 9, counted: 9 },
      server_errors: { ours: 9, counted: 9 },
      minutes: [0, 1, 2].map((at) => ({
        ...{ at_ms: EPOCH_MS + at * MINUTE_MS, low: 600, high: 600, counted: 600 },
      })),
    });
    expect(found.text).toContain(
      "counted HTTP API shop, stage $default: counted 1,800, we sent 1,800; 4xx 9, ours 9",
    );
  });

  test("beyond what we sent is somebody else's, with its share, and no reason to be invalid", async () => {
    const { front, invalid, text } = await judged(fine, { metrics: counts(600, 1_200, 600) });
    expect([front.others, front.others_share, front.minutes_off]).toEqual([600, 0.25, 1]);
    expect(invalid).toEqual([]);
    expect(text).toContain("600 more (25.00 %) are somebody else's");
  });

  test("is less than was answered: the load went elsewhere, and the run is INVALID", async () => {
    const { front, verdict, reason } = await judged(fine, { metrics: counts(600, 300, 600) });
    expect([front.missing, front.minutes_off, verdict]).toEqual([300, 1, "invalid"]);
    expect(reason).toContain(
      "HTTP API shop, stage $default, counted fewer requests than shop had answers: " +
        "300 of 1,800 answers (16.67 %) came from something before it",
    );
  });

  test.each<[string, Partial<Case>, string]>([
    ["points were still coming", { end: "waited" }, "points were still coming"],
    ["the last minute has no point", { metrics: counts(600, 600, null) }, "its last minute has no"],
    ["a distribution answers", { front: { behind: "distribution E1" } }, "distribution E1 stands"],
  ])("proves nothing where %s", async (_, change, why) => {
    const { invalid, front, text } = await judged(fine, {
      metrics: counts(600, 300, 600),
      ...change,
    });
    expect(invalid).toEqual([]);
    expect(front.unsound).toContain(why);
    expect(text).toContain(`no proof: ${why}`);
  });

  test("says nothing where no point was read at all", async () => {
    const { invalid, front, text } = await judged(fine, { metrics: [] });
    expect([invalid, front.counted, front.missing]).toEqual([[], null, 0]);
    expect(text).toContain("no points of its Count were read, we sent 1,800");
  });

  test("tolerates one answer in a hundred that it does not know of", async () => {
    expect((await judged(fine, { metrics: counts(600, 582, 600) })).invalid).toEqual([]);
    expect((await judged(fine, { metrics: counts(600, 581, 600) })).invalid).toHaveLength(1);
  });

  test("may or may not have what was turned away, unanswered, or sent before the load", async () => {
    const shape = (i: number): Partial<AttemptSpec> => {
      if (i < 100) return { outcome: "throttled", refusedBy: "waf", status: 403 };
      if (i < 150) return { outcome: "unknown", reason: "timeout", serviceUs: -1, status: 0 };
      return i < 160 ? { outcome: "errored", reason: "connect", status: 0 } : {};
    };
    for (const first of [440, 590, 595]) {
      const metrics = counts(first, 600, 600);
      const { front, text } = await judged(shape, { metrics, smoked: 5 });
      expect(front).toMatchObject({ sent: 1_790, answered: 1_640, others: 0, missing: 0 });
      expect(front).toMatchObject({ turned_away: 100, unanswered: 50, smoked: 5, minutes_off: 0 });
      expect(text).toContain(
        "100 turned away at the edge and 50 without an answer and 5 of before",
      );
    }
    const { front } = await judged(shape, { metrics: counts(596, 600, 600), smoked: 5 });
    expect(front.others).toBe(1);
  });

  test("at the end of a minute may be in either: our clock is not AWS's", async () => {
    const late = (i: number): Partial<AttemptSpec> => (i === 599 ? { dueUs: 59 * S } : {});
    for (const metrics of [counts(599, 601, 600), counts(600, 600, 600)])
      expect((await judged(late, { metrics })).front.minutes_off).toBe(0);
    const { front, text } = await judged(fine, { metrics: counts(599, 601, 600) });
    expect(front.minutes_off).toBe(2);
    expect(text).toContain("2 of 3 minutes differ");
  });

  test("of another API or stage is not looked at", async () => {
    const other = { ...dimensions, Stage: "v2" };
    const metrics = counts(900, 900, 900).map((one) => ({ ...one, dimensions: other }));
    expect((await judged(fine, { metrics })).front.counted).toBe(null);
  });

  test("fewer errors than we saw were given by something before it", async () => {
    const shape = (i: number): Partial<AttemptSpec> =>
      i < 50 ? { outcome: "errored", reason: "status", status: 502 } : {};
    const metrics = [...counts(600, 600, 600), point("5xx", 0, 20)];
    expect((await judged(shape, { metrics })).text).toContain(
      "5xx 20, ours 50: the others were given before it",
    );
  });

  test("stands in every report", async () => {
    const found = await judged(fine, { metrics: counts(600, 600, 600) });
    expect(htmlReport(found)).toMatch(/Requests that the gateway counted[\s\S]*1,800 of 1,800/);
    expect(markdownReport(found)).toContain("counted 1,800, we sent 1,800");
  });
});
