// Comparisons by resampling seconds: sure only where seconds are many, and paired where sides are.
import { describe, expect, test } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import { oldNewRatios } from "../../src/report/old-new.ts";
import { draw, measuresOf, secondsOf } from "../../src/report/seconds.ts";
import type { Tables } from "../../src/report/tables.ts";
import { reportOf } from "../support/judged-run.ts";
import {
  type AttemptSpec,
  planFor,
  plannedLoad,
  quietEvents,
  type RunSpec,
} from "../support/run-directory.ts";

const S = 1_000_000;

/** `seconds` × 200 arrivals in two phases; the second half takes twice as long. */
function halves(accept: string[], seconds: number): RunSpec {
  const half = (seconds / 2) * S;
  const attempts = Array.from({ length: seconds * 200 }, (_, index): AttemptSpec => {
    const dueUs = index * 5_000;
    return { index, dueUs, serviceUs: (dueUs < half ? 20_000 : 40_000) + (index % 7) * 100 };
  });
  const plan = planFor(
    {
      loads: [plannedLoad({ name: "shopper", end_us: seconds * S })],
      phases: [
        { name: "before", start_us: 0, end_us: half },
        { name: "after", start_us: half, end_us: 2 * half },
      ],
      criteria: { accept, steady: [], stop_when: [] },
    },
    attempts,
  );
  return { plan, attempts, events: quietEvents(seconds, attempts.length) };
}

describe("a comparison", () => {
  const texts = [
    "shopper.p50 during after <= 1.1 * shopper.p50 during before",
    "shopper.p50 during after <= 3 * shopper.p50 during before",
  ];

  test("of few seconds is not decided, however many samples they hold", async () => {
    const { criteria } = await reportOf(halves(texts, 6));
    expect(criteria.map(({ verdict, n, reason }) => [verdict, n, reason])).toEqual([
      ["inconclusive", 600, "only 3 seconds with samples, a comparison needs 10"],
      ["inconclusive", 600, "only 3 seconds with samples, a comparison needs 10"],
    ]);
  });

  test("of enough seconds is", async () => {
    const { criteria } = await reportOf(halves(texts, 20));
    expect(criteria.map(({ verdict }) => verdict)).toEqual(["fail", "pass"]);
  });
});

describe("a resampled measure", () => {
  const rng = seededRng(11, "samples");
  const value = Array.from({ length: 3_000 }, () => Math.floor(rng.next() ** 4 * 1e6));
  const second = Array.from(value, () => Math.floor(rng.next() * 37));
  const data = secondsOf({ value, second });

  test("is that of the samples written out as often as their second was drawn", () => {
    for (let round = 0; round < 20; round++) {
      const times = draw(data.blocks, rng);
      const out = value.flatMap((one, i) => new Array<number>(times[second[i]!]!).fill(one));
      out.sort((a, b) => a - b);
      const rank = (p: number): number => out[Math.ceil(p * out.length - 1e-9) - 1]!;
      const mean = out.reduce((sum, one) => sum + one, 0) / out.length;
      const found = measuresOf(data, [0.5, 0.99, null, 0.9], times);
      expect([found[0], found[1], found[3]]).toEqual([rank(0.5), rank(0.99), rank(0.9)]);
      expect(found[2]).toBeCloseTo(mean, 6);
    }
  });
});

describe("new against old", () => {
  /** Old times swing by the second; the new system takes nine tenths of each. */
  async function ratios(seconds: number) {
    const rng = seededRng(5, "old");
    const base = Array.from({ length: seconds }, () => 10_000 * Math.ceil(rng.next() * 40));
    const old = Array.from({ length: seconds * 100 }, (_, i) => ({
      ...{ status: 200, us: base[Math.floor(i / 100)]! + (i % 100) * 10 },
    }));
    const attempts = old.map(({ us }, index): AttemptSpec => {
      return { index, dueUs: index * 10_000, lagUs: 0, serviceUs: us * 0.9 };
    });
    const loads = [plannedLoad({ name: "shopper", end_us: seconds * S })];
    const plan = planFor({ loads }, attempts);
    const events = quietEvents(seconds, attempts.length);
    const found = await reportOf({ plan, attempts, events, recorded: [old] });
    return found.drawn.oldNewRatios.shopper!;
  }

  test("is of the same seconds on both sides: what they share is no uncertainty", async () => {
    for (const ratio of await ratios(20))
      for (const share of [ratio.estimate, ratio.low, ratio.high])
        expect(share).toBeCloseTo(0.9, 6);
  });

  test("has no interval where seconds are few", async () => {
    const found = await ratios(6);
    expect(found.map(({ estimate }) => Number(estimate.toFixed(6)))).toEqual([0.9, 0.9, 0.9]);
    expect(found.every(({ low, high }) => Number.isNaN(low) && Number.isNaN(high))).toBe(true);
  });

  test("is nothing where nothing was replayed", () => {
    const tables = { plan: { loads: [] }, recorded: [] } as unknown as Tables;
    expect(oldNewRatios(tables)).toEqual({});
  });
});
