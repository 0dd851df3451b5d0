// Two runs with planted differences: what must be seen, and what must not.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import { type ComparedRow, type Comparison, compareRuns } from "../../src/report/compare.ts";
import { compareJson, compareMarkdown, compareText } from "../../src/report/compare-text.ts";
import {
  type AttemptSpec,
  planFor,
  plannedLoad,
  quietEvents,
  writeRun,
} from "../support/run-directory.ts";

let dir = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-compare-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

interface Shape {
  readonly seed: number;
  /** All service times are multiplied by this, and that share of arrivals fails. */
  readonly factor?: number;
  readonly errors?: number;
  readonly perSecond?: number;
  readonly seconds?: number;
  readonly blob?: string;
  readonly load?: string;
}

/** Skewed service times around 40 ms, 40 s of 100/s unless told otherwise. */
function runOf(shape: Shape): string {
  const { seed, factor = 1, errors = 0, perSecond = 100, seconds = 40 } = shape;
  const rng = seededRng(seed, "compare");
  const attempts = Array.from({ length: perSecond * seconds }, (_, index): AttemptSpec => {
    const serviceUs = Math.round(factor * (20_000 + 60_000 * rng.next() ** 3));
    const failed = rng.next() < errors;
    const dueUs = Math.floor((index * 1e6) / perSecond);
    const outcome = failed ? ({ outcome: "errored", reason: "status", status: 500 } as const) : {};
    return { index, dueUs, lagUs: 0, serviceUs, ...outcome };
  });
  const load = plannedLoad({ name: shape.load ?? "shop", end_us: seconds * 1e6 });
  const plan = planFor(
    { loads: [load], phases: [{ name: "before", start_us: 0, end_us: (seconds / 2) * 1e6 }] },
    attempts,
  );
  const scenario = { ...plan.scenario, blob: shape.blob ?? plan.scenario.blob };
  const path = join(dir, JSON.stringify(shape).replaceAll(/[^\w.]+/g, "-"));
  const events = quietEvents(seconds, attempts.length);
  writeRun(path, { plan: { ...plan, scenario, seed }, events, attempts });
  return path;
}

const compared = (a: Shape, b: Shape, phase: string | null = null): Promise<Comparison> =>
  compareRuns([runOf(a), runOf(b)], phase);
const row = ({ rows }: Comparison, measure: string): ComparedRow =>
  rows.find((one) => one.measure === measure)!;

describe("a planted difference", () => {
  it("of 15 % is slower at every percentile that has samples enough, beyond chance", async () => {
    const found = await compared({ seed: 1 }, { seed: 2, factor: 1.15 });
    for (const measure of ["p50", "p90", "p95", "p99"]) {
      const { word, standsOut, ratio } = row(found, measure);
      expect([measure, word, standsOut]).toEqual([measure, "slower", true]);
      expect(ratio!.low).toBeLessThan(1.15);
      expect(ratio!.high).toBeGreaterThan(1.13);
    }
  });

  it("the other way round is faster", async () => {
    const found = await compared({ seed: 2, factor: 1.15 }, { seed: 1 });
    expect(row(found, "p95")).toMatchObject({ word: "faster", standsOut: true });
  });

  it("of the error rate is more", async () => {
    const found = await compared({ seed: 1, errors: 0.005 }, { seed: 2, errors: 0.03 });
    expect(row(found, "errors.rate")).toMatchObject({ word: "more", standsOut: true });
    expect(row(found, "errors.rate").ratio!.estimate).toBeGreaterThan(3);
  });

  it("from no error at all has no ratio, and is seen by the difference", async () => {
    const found = await compared({ seed: 1 }, { seed: 2, errors: 0.03 });
    expect(row(found, "errors.rate")).toMatchObject({ a: 0, ratio: null, word: "more" });
  });
});

describe("two runs of one system", () => {
  it("stand out in at most one of twenty pairs", async () => {
    let stands = 0;
    for (let seed = 10; seed < 30; seed++) {
      const pair = { perSecond: 40, seconds: 20 };
      const { rows } = await compared({ seed, ...pair }, { seed: seed + 100, ...pair });
      if (rows.some(({ standsOut }) => standsOut)) stands++;
    }
    expect(stands).toBeLessThanOrEqual(1);
  });

  it("give the same answer each time", async () => {
    const [one, two] = [
      await compared({ seed: 1 }, { seed: 2 }),
      await compared({ seed: 1 }, { seed: 2 }),
    ];
    expect(compareJson(one)).toBe(compareJson(two));
  });
});

describe("too few", () => {
  it("samples for a percentile are said, not guessed from", async () => {
    const small = { perSecond: 5, seconds: 40 };
    const found = await compared({ seed: 1, ...small }, { seed: 2, ...small, factor: 3 });
    expect(row(found, "p95")).toMatchObject({ word: "slower" });
    expect(row(found, "p99")).toMatchObject({ word: "too few", ratio: null, nA: 200 });
  });

  it("seconds are too few as well", async () => {
    const short = { perSecond: 400, seconds: 9 };
    const found = await compared({ seed: 1, ...short }, { seed: 2, ...short, factor: 3 });
    expect(found.rows.map(({ word }) => word)).toEqual(Array(5).fill("too few"));
  });
});

describe("what is compared", () => {
  it("may be one phase", async () => {
    const found = await compared({ seed: 1 }, { seed: 2 }, "before");
    expect(row(found, "p50").nA).toBe(2_000);
    await expect(compared({ seed: 1 }, { seed: 2 }, "befor")).rejects.toThrow(/no phase or fault/);
  });

  it("is doubted when the scenarios are not the same", async () => {
    const found = await compared({ seed: 1 }, { seed: 1, blob: "abcdef0123" });
    expect(found.doubts).toEqual(["different scenarios: 7c1e9f4 in A, abcdef0 in B"]);
    const other = await compared({ seed: 1 }, { seed: 1, load: "other" });
    expect(other.rows).toEqual([]);
    expect(other.doubts.at(-1)).toBe("no load of A is in B: nothing can be compared");
  });
});

test("text, Markdown and JSON say the same", async () => {
  const found = await compared({ seed: 1 }, { seed: 2, factor: 1.15 });
  const { rows } = JSON.parse(compareJson(found));
  const p50 = rows.find((one: { measure: string }) => one.measure === "p50");
  expect(p50).toMatchObject({ unit: "ms", word: "slower", beyond_chance: true });
  const factor = p50.ratio.estimate.toFixed(2);
  const line = (text: string) => text.split("\n").find((one) => one.includes("p50"));
  for (const text of [compareText(found), compareMarkdown(found)]) {
    expect(line(text)).toContain(`${factor} (`);
    expect(line(text)).toContain("slower *");
  }
  for (const text of compareText(found).split("\n")) expect(text.length).toBeLessThanOrEqual(100);
  expect(compareMarkdown(found)).not.toContain(dir);
});
