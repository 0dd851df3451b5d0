// Percentiles by counting equal percentiles by sorting.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ExactValues } from "../../src/report/exact-values.ts";

/** The reference: sort and take the nearest rank. */
function reference(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(p * sorted.length - 1e-9)) - 1]!;
}

const bag = (values: readonly number[]): ExactValues => {
  const exact = new ExactValues();
  for (const value of values)
    if (value === Number.POSITIVE_INFINITY) exact.addUnknown();
    else exact.add(value);
  return exact;
};

describe("exact values", () => {
  test("give the quantiles of 1,000 random lists, also above 8.4 s and with unknowns", () => {
    const small = fc.oneof(fc.nat(1_000), fc.nat(60_000), fc.constant(Number.POSITIVE_INFINITY));
    const large = fc.oneof(fc.nat(10_000_000), fc.integer({ min: 8_388_600, max: 900_000_000 }));
    const sized = { minLength: 1, maxLength: 200 };
    const lists = fc.oneof(
      { weight: 24, arbitrary: fc.array(small, sized) },
      { weight: 1, arbitrary: fc.array(fc.oneof(small, large), sized) },
    );
    fc.assert(
      fc.property(lists, (values) => {
        const found = bag(values);
        for (const p of [0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999])
          expect(found.quantile(p)).toBe(reference(values, p));
        expect(found.max()).toBe(Math.max(...values));
      }),
      { numRuns: 1_000 },
    );
  });

  test("of 1,000 ones and one ten million have a p99 of one", () => {
    const values = bag([...new Array(1_000).fill(1), 10_000_000]);
    expect([values.quantile(0.99), values.max()]).toEqual([1, 10_000_000]);
  });

  test("count a negative time, a clock step, as zero", () => {
    expect(bag([-5]).max()).toBe(0);
  });

  test("merged are those of both: a slow worker does not become the p95 of all", () => {
    const all = bag(new Array(1_000).fill(10_000));
    all.addAll(bag(new Array(10).fill(2_000_000)));
    expect([all.n, all.quantile(0.95), all.quantile(0.995)]).toEqual([1_010, 10_000, 2_000_000]);
  });

  test("of nothing are nothing", () => {
    expect([new ExactValues().quantile(0.5), new ExactValues().max()]).toEqual([NaN, NaN]);
  });
});
