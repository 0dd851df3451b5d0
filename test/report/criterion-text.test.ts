// A value that is not its limit never looks like it.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Unit } from "../../src/core/criterion.ts";
import { showBeside, showValue } from "../../src/report/criterion-text.ts";
import { reportOf } from "../support/judged-run.ts";
import { type AttemptSpec, planFor, plannedLoad, quietEvents } from "../support/run-directory.ts";

test.each([
  [300_400, 300_000, "us", "300.4 ms"],
  [300_001, 300_000, "us", "300.001 ms"],
  [10_000_001, 10_000_000, "us", "10.000001 s"],
  [0.010_004, 0.01, "ratio", "1.0004 %"],
  [1.004, 1, "number", "1.00"],
  [0.840_01, 0.84, "usd", "$0.84001"],
  [300_000, 300_000, "us", "300 ms"],
  [280_000, 300_000, "us", "280 ms"],
  [Number.POSITIVE_INFINITY, 300_000, "us", "never"],
] as const)("%d against %d (%s) is written %s", (value, limit, unit, expected) => {
  expect(showBeside(value, limit, unit)).toBe(expected);
});

test("any two values that differ by a millionth are told apart", () => {
  const units: Unit[] = ["us", "ratio", "usd"];
  fc.assert(
    fc.property(
      fc.constantFrom(...units),
      fc.double({ min: 0.001, max: 1, noNaN: true }),
      (unit, share) => {
        const limit = unit === "us" ? Math.round(share * 1e7) : share;
        const value = unit === "us" ? limit + 1 : limit * (1 + 1e-6);
        expect(showBeside(value, limit, unit)).not.toBe(showValue(limit, unit));
      },
    ),
  );
});

test("a maximum just beyond its limit fails, and the reason shows why", async () => {
  const attempts = [0, 1, 2].map((index): AttemptSpec => {
    return { index, dueUs: index * 1e6, lagUs: 0, serviceUs: index === 1 ? 300_200 : 20_000 };
  });
  const criteria = { accept: ["max <= 300ms"], steady: [], stop_when: [] };
  const plan = planFor({ loads: [plannedLoad({ name: "shopper" })], criteria }, attempts);
  const { reason, verdict } = await reportOf({ plan, attempts, events: quietEvents(3, 3) });
  expect([verdict, reason]).toEqual(["fail", "max <= 300ms: 300.2 ms, at most 300 ms allowed"]);
});
