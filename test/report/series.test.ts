// The run over time against what was put into it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Drawn } from "../../src/report/drawn-result.ts";
import { report } from "../../src/report/report.ts";
import { BUCKETS_MAX } from "../../src/report/series.ts";
import {
  type AttemptSpec,
  planFor,
  plannedLoad,
  quietEvents,
  writeRun,
} from "../support/run-directory.ts";

const S = 1_000_000;
let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "gatecrash-series-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

async function drawnOf(
  attempts: readonly AttemptSpec[],
  endS = 4,
  names = ["shopper"],
): Promise<Drawn> {
  const loads = names.map((name) => plannedLoad({ name }));
  const phases = [{ name: "before", start_us: 0, end_us: endS * S }];
  const plan = planFor({ loads, phases }, attempts);
  writeRun(dir, { plan, attempts, events: quietEvents(endS, attempts.length), segmentRows: 2 });
  return (await report(dir)).drawn;
}

const OUTCOMES = ["ok", "throttled", "errored", "unknown"] as const;
const attempt = fc.record({
  dueUs: fc.integer({ min: 0, max: 4 * S - 1 }),
  outcome: fc.constantFrom(...OUTCOMES),
  degraded: fc.boolean(),
  serviceUs: fc.integer({ min: 1_001, max: 900_000 }),
});

describe("the series of a run", () => {
  test("count each arrival in its due second, and give its percentiles by nearest rank", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 60 }), async (specs) => {
        const attempts = specs.map((spec, index): AttemptSpec => ({ ...spec, index, lagUs: 0 }));
        const group = (await drawnOf(attempts)).series.groups[0]!;
        for (let second = 0; second < 4; second++) {
          const mine = specs.filter(({ dueUs }) => Math.floor(dueUs / S) === second);
          for (const outcome of OUTCOMES) {
            const all = mine.filter((one) => one.outcome === outcome);
            const plain = all.filter((one) => outcome !== "ok" || !one.degraded);
            expect(group.outcomes[outcome][second]).toBe(plain.length);
          }
          const values = mine
            .filter(({ outcome }) => outcome === "ok" || outcome === "unknown")
            .map(({ outcome, serviceUs }) =>
              outcome === "ok" ? serviceUs : Number.POSITIVE_INFINITY,
            )
            .sort((a, b) => a - b);
          const p95 =
            values.length === 0 ? Number.NaN : values[Math.ceil(0.95 * values.length) - 1];
          expect(group.p95Us[second]).toBe(p95);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("of several loads begin with their sum", async () => {
    const attempts = [0, 1].flatMap((load) =>
      Array.from({ length: 4 + load }, (_, index) => ({ load, index, dueUs: index * 500_000 })),
    );
    const { groups } = (await drawnOf(attempts, 4, ["shopper", "other"])).series;
    expect(groups.map(({ name, planned }) => [name, planned])).toEqual([
      ["all loads", [4, 4, 1, 0]],
      ["shopper", [2, 2, 0, 0]],
      ["other", [2, 2, 1, 0]],
    ]);
  });

  test("of a long run keep to a fixed number of buckets", async () => {
    const endS = 2 * BUCKETS_MAX + 1;
    const attempts = [0, 4, endS - 1, endS - 1].map((second, index) => ({
      index,
      dueUs: second * S,
    }));
    const { bucketUs, buckets, groups } = (await drawnOf(attempts, endS)).series;
    expect({ bucketUs, buckets }).toEqual({ bucketUs: 3 * S, buckets: Math.ceil(endS / 3) });
    const { ok } = groups[0]!.outcomes;
    expect([ok[0], ok[1], ok.at(-1)]).toEqual([1, 1, 2]);
  });

  test("have a curve that ends at the slowest answer", async () => {
    const attempts = Array.from({ length: 1_000 }, (_, index) => {
      return { index, dueUs: index * 4_000, serviceUs: 1_000 * (index + 2), lagUs: 0 };
    });
    const [curve] = (await drawnOf(attempts)).curves;
    const at = (tail: number) => curve!.points.find((point) => point.tail === tail)!;
    expect([at(2).us, at(100).us, at(1_000).us]).toEqual([501_000, 991_000, 1_001_000]);
    expect(at(100).lowUs).toBe(984_000);
    expect(at(100).highUs).toBe(998_000);
  });
});
