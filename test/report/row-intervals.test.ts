// The intervals of the latency table, against a reimplementation that writes everything out.
import { describe, expect, test } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import { quantileRanks } from "../../src/report/statistics.ts";
import { reportOf } from "../support/judged-run.ts";
import { type AttemptSpec, planFor, plannedLoad, quietEvents } from "../support/run-directory.ts";

/** 60 s × 50 arrivals; slow ones (5 %) come one by one, or three whole seconds of them. */
async function allRow(inBursts: boolean) {
  const rng = seededRng(23, "slow");
  const attempts = Array.from({ length: 3_000 }, (_, index): AttemptSpec => {
    const second = Math.floor(index / 50);
    const slow = inBursts ? second % 20 === 7 : rng.next() < 0.05;
    const serviceUs = (slow ? 400_000 : 20_000) + Math.floor(rng.next() * 5_000);
    return { index, dueUs: index * 20_000, lagUs: 0, serviceUs };
  });
  const plan = planFor({ loads: [plannedLoad({ name: "shopper" })] }, attempts);
  const events = quietEvents(60, attempts.length);
  const { latencies } = await reportOf({ plan, attempts, events });
  const sorted = attempts.map(({ serviceUs }) => serviceUs!).sort((a, b) => a - b);
  return { row: latencies[0]!, sorted };
}

describe("the 95 % interval of a percentile in the table", () => {
  test("of independent samples is that of their order statistics", async () => {
    const { row, sorted } = await allRow(false);
    for (const [name, q] of [
      ["p50", 0.5],
      ["p95", 0.95],
      ["p99", 0.99],
    ] as const) {
      const { low, high } = quantileRanks(q, 3_000);
      expect(row.intervals[name]).toEqual({ low: sorted[low - 1], high: sorted[high - 1] });
    }
  });

  test("of samples that are slow in bursts is wider, without end where they are few", async () => {
    const { row, sorted } = await allRow(true);
    const { low, high } = quantileRanks(0.95, 3_000);
    expect(row.p95).toBe(sorted[2_849]);
    expect(row.intervals.p95.low).toBeLessThan(sorted[low - 1]!);
    const upper = row.intervals.p95.high;
    expect(Number.isNaN(upper) || upper >= sorted[high - 1]!).toBe(true);
    expect(row.intervals.p50.low).toBeGreaterThan(20_000);
  });
});
