// The rate driver: due times are the closed form of the integral, at any k.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import type { DriverSpec } from "../../src/core/scenario.ts";
import { rate } from "../../src/drivers/rate.ts";
import { driverConformance } from "../conformance/driver.ts";
import { testLoad } from "./load.ts";

type RateSpec = Extract<DriverSpec, { kind: "rate" }>;
type Step = RateSpec["steps"][number];

function dueOf(steps: readonly Step[], more: Partial<RateSpec> = {}, seed = 1): number[] {
  const driver: RateSpec = { kind: "rate", steps, arrivals: "uniform", count: null, ...more };
  const endUs = steps.reduce((sum, step) => sum + step.overUs, 0);
  const load = testLoad({ driver, endUs });
  return [...rate(load, seededRng(seed)).arrivals()].map((arrival) => arrival.dueUs);
}

const step = (fromPerSecond: number, toPerSecond: number, seconds: number): Step => ({
  fromPerSecond,
  toPerSecond,
  overUs: seconds * 1e6,
});

/** Ten-line reference: Λ at a moment, by adding up the trapezia below the rate. */
function areaAt(steps: readonly Step[], us: number): number {
  let area = 0;
  let from = 0;
  for (const { fromPerSecond, toPerSecond, overUs } of steps) {
    const t = Math.min(Math.max(0, us - from), overUs) / 1e6;
    const here = fromPerSecond + ((toPerSecond - fromPerSecond) * t) / (overUs / 1e6);
    area += ((fromPerSecond + here) / 2) * t;
    from += overUs;
  }
  return area;
}

describe("rate", () => {
  const load = testLoad({
    startUs: 2_000_000,
    driver: {
      kind: "rate",
      steps: [step(5, 50, 4), step(50, 0, 4)],
      arrivals: "poisson",
      count: null,
    },
    body: { template: '{"id":"{{uuid}}","depot":"{{pick a|b}}","n":{{int 1 9}}}', why: "test" },
    ledger: { id: "id", cell: ["depot"] },
  });
  driverConformance({ name: "poisson ramps", load, make: rate, seeded: true });
  driverConformance({
    name: "constant",
    load: testLoad({
      driver: { kind: "rate", steps: [step(40, 40, 10)], arrivals: "uniform", count: null },
    }),
    make: rate,
    seeded: false,
  });

  test("a constant rate is evenly spaced, also after an hour", () => {
    const due = dueOf([step(300, 300, 3600)]);
    expect(due.length).toBe(1_080_000);
    expect([due[0], due[1], due[3], due[30], due[1_079_999]]).toEqual([
      0, 3_333, 10_000, 100_000, 3_599_996_666,
    ]);
  });

  test("a rate given per minute has no arrival too many at the end", () => {
    expect(dueOf([step(40 / 60, 40 / 60, 60)]).length).toBe(40);
  });

  test("a ramp from 0 follows the square root", () => {
    const due = dueOf([step(0, 100, 10)]);
    expect(due.length).toBe(500);
    for (const k of [1, 7, 100, 499])
      expect(due[k]).toBe(Math.floor(Math.sqrt((2 * k) / 10) * 1e6 + 5e-4));
  });

  test("steps of 0 are idle and the count goes on behind them", () => {
    const due = dueOf([step(10, 10, 1), step(0, 0, 5), step(10, 10, 1)]);
    expect(due.slice(9, 12)).toEqual([900_000, 6_000_000, 6_100_000]);
    expect(due.length).toBe(20);
  });

  test("count ends the load early", () => {
    expect(dueOf([step(306, 306, 170)], { count: 52_000 }).length).toBe(52_000);
  });

  test("the k-th due time has k arrivals' area before it, whatever the steps", () => {
    const steps = fc.array(
      fc
        .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 }), fc.nat(8))
        .map(([from, to, seconds]) => step(from, to, seconds + 1)),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(steps, (list) => {
        const due = dueOf(list);
        const total = areaAt(list, Number.POSITIVE_INFINITY);
        expect(Math.abs(due.length - total)).toBeLessThanOrEqual(1);
        // Floored to whole µs, so at most the area of one µs is missing.
        due.forEach((us, k) => {
          expect(areaAt(list, us)).toBeLessThanOrEqual(k + 1e-5);
          expect(areaAt(list, us + 1)).toBeGreaterThanOrEqual(k - 1e-5);
        });
      }),
      { numRuns: 60 },
    );
  });

  test("poisson gaps have the mean and the variance of an exponential", () => {
    const due = dueOf([step(1000, 1000, 100)], { arrivals: "poisson" });
    const gaps = due.slice(1).map((us, i) => us - (due[i] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    expect(mean).toBeCloseTo(1000, -2);
    expect(Math.sqrt(variance) / mean).toBeGreaterThan(0.97);
    expect(Math.sqrt(variance) / mean).toBeLessThan(1.03);
  });

  test("the ledger's id and cell are the payload's own fields", () => {
    for (const { call, ledger } of rate(load, seededRng(3)).arrivals()) {
      if (call.kind !== "http" || call.body === null) throw new Error("no body");
      const body = JSON.parse(Buffer.from(call.body).toString()) as { id: string; depot: string };
      expect(ledger).toEqual({ id: body.id, cell: body.depot });
    }
  });

  test("a payload without the ledger's field is refused with the field's name", () => {
    const wrong = testLoad({ ...load, ledger: { id: "eventId", cell: ["depot"] } });
    expect(() => [...rate(wrong, seededRng(3)).arrivals()]).toThrow(/no field eventId/);
  });
});
