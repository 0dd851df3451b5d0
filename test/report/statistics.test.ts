// The gate's statistics against published tables: docs and the first report of the users' draft.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { logGamma, regularisedBeta, studentQuantile } from "../../src/report/beta.ts";
import {
  binomialAtLeast,
  binomialAtMost,
  fewestToFail,
  holm,
  mostToPass,
  nearestRank,
  quantileRanks,
  samplesForBound,
  samplesToPass,
  shareAtLeast,
  shareAtMost,
  shareInterval,
} from "../../src/report/statistics.ts";

/** Sum of exact terms, for small n. */
function binomialSum(k: number, n: number, share: number): number {
  let sum = 0;
  let term = (1 - share) ** n;
  for (let i = 0; i <= k; i++) {
    sum += term;
    term *= ((n - i) / (i + 1)) * (share / (1 - share));
  }
  return sum;
}

describe("the incomplete beta function", () => {
  test("agrees with the sum of binomial terms", () => {
    const cases = fc.tuple(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 0, max: 200 }),
      fc.double({ min: 0.01, max: 0.9, noNaN: true }), // 0.1^200 is no denormal: the sum is exact
    );
    fc.assert(
      fc.property(cases, ([n, any, share]) => {
        const k = any % n;
        expect(binomialAtMost(k, n, share)).toBeCloseTo(binomialSum(k, n, share), 9);
      }),
    );
  });

  test("stays exact at ten million samples", () => {
    expect(regularisedBeta(0.5, 5e6, 5e6)).toBeCloseTo(0.5, 9);
    expect(shareAtMost(100_000, 1e7)).toBeCloseTo(0.0100519, 6); // normal: 0.01 + 1.645 × 3.146e-5
  });

  test("gives factorials and Student's t", () => {
    expect(logGamma(11)).toBeCloseTo(Math.log(3_628_800), 10);
    expect(studentQuantile(0.975, 9)).toBeCloseTo(2.262157, 5);
    expect(studentQuantile(0.95, 29)).toBeCloseTo(1.699127, 5);
  });
});

describe("percentiles", () => {
  test.each([
    [0.5, 5],
    [0.9, 29],
    [0.95, 59],
    [0.99, 299],
    [0.999, 2_995],
  ])("p%f has an upper bound from %i samples on", (p, n) => {
    expect(samplesForBound(p)).toBe(n);
  });

  test.each([
    [0.5, 6],
    [0.9, 36],
    [0.95, 72],
    [0.99, 368],
    [0.999, 3_688],
  ])("p%f has a two-sided interval from %i samples on", (p, n) => {
    expect(samplesForBound(p, 0.025)).toBe(n);
    expect(quantileRanks(p, n).high).toBeLessThanOrEqual(n);
    expect(quantileRanks(p, n - 1).high).toBe(n);
  });

  test.each([
    [0.95, 100, 90, 100],
    [0.95, 1_000, 936, 964],
    [0.95, 10_000, 9_457, 9_543],
    [0.99, 300, 293, 301],
    [0.99, 500, 490, 500],
    [0.99, 1_000, 983, 997],
    [0.99, 10_000, 9_880, 9_920],
    [0.999, 5_000, 4_990, 5_000],
    [0.999, 10_000, 9_983, 9_997],
  ])("the interval of p%f of %i samples is of ranks %i to %i", (p, n, low, high) => {
    expect(quantileRanks(p, n)).toEqual({ low, high });
  });

  test("are nearest ranks", () => {
    expect(nearestRank(0.99, 1_001)).toBe(991);
    expect(nearestRank(0.99, 100)).toBe(99);
    expect(nearestRank(0.25, 5)).toBe(2);
    expect(nearestRank(0.2, 5)).toBe(1);
    expect(nearestRank(0.999, 10_000_000)).toBe(9_990_000);
  });
});

describe("the gate on 1 % at 95 %", () => {
  test.each([
    [300, 0, 7],
    [500, 1, 10],
    [1_000, 4, 16],
    [2_000, 12, 29],
    [5_000, 38, 63],
    [10_000, 83, 118],
  ])("of %i samples passes up to %i events and fails from %i", (n, most, fewest) => {
    expect([mostToPass(n, 0.01), fewestToFail(n, 0.01)]).toEqual([most, fewest]);
    expect(shareAtMost(most, n)).toBeLessThanOrEqual(0.01);
    expect(shareAtMost(most + 1, n)).toBeGreaterThan(0.01);
    expect(shareAtLeast(fewest, n)).toBeGreaterThanOrEqual(0.01);
    expect(shareAtLeast(fewest - 1, n)).toBeLessThan(0.01);
  });

  test("plans about 420, 2,000 and 21,000 samples for p95, p99 and p99.9", () => {
    const plans = [0.05, 0.01, 0.001].map((limit) => samplesToPass(limit));
    expect(plans).toEqual([434, 2_185, 21_883]);
    for (const [i, about] of [420, 2_000, 21_000].entries())
      expect(Math.abs(plans[i]! / about - 1)).toBeLessThan(0.1);
  });

  test("never plans to pass what is not better than the limit", () => {
    expect(samplesToPass(0.01, 0.01)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("intervals", () => {
  test("are those of the first report", () => {
    const answers = shareInterval(236_109 - 519, 236_109); // 99.78 % (99.76–99.80)
    expect([answers.low, answers.high].map((x) => (100 * x).toFixed(2))).toEqual([
      "99.76",
      "99.80",
    ]);
    const cold = shareInterval(312, 235_876); // 0.13 % (0.12–0.15)
    expect([cold.low, cold.high].map((x) => (100 * x).toFixed(2))).toEqual(["0.12", "0.15"]);
    expect((100 * (0.01 - shareAtMost(312, 235_876))).toFixed(2)).toBe("0.85"); // margin
    const warm = 0.01 - shareAtMost(1_218, 235_564);
    expect((100 * warm).toFixed(2)).toBe("0.46");
    const agreement = 1 - shareAtLeast(519, 236_109) - 0.999; // the bound that decides a FAIL
    expect((100 * agreement).toFixed(2)).toBe("-0.10");
  });

  test("of nothing at all follow the rule of three", () => {
    expect(shareAtMost(0, 300)).toBeCloseTo(1 - 0.05 ** (1 / 300), 12);
    expect(shareAtLeast(0, 300)).toBe(0);
    expect(shareAtMost(300, 300)).toBe(1);
  });

  test("hold the share and shrink with the sample", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.nat(5_000), (n, any) => {
        const k = any % (n + 1);
        const { low, high } = shareInterval(k, n);
        expect(low).toBeLessThanOrEqual(k / n);
        expect(high).toBeGreaterThanOrEqual(k / n);
        const larger = shareInterval(k * 4, n * 4);
        expect(larger.high - larger.low).toBeLessThan(high - low);
      }),
    );
  });

  test("and tests say the same", () => {
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 5_000 }), fc.nat(5_000), (n, any) => {
        const k = any % Math.ceil(n / 10);
        const passes = shareAtMost(k, n) <= 0.01;
        expect(binomialAtMost(k, n, 0.01) <= 0.05).toBe(passes);
        const fails = shareAtLeast(k, n) > 0.01;
        expect(binomialAtLeast(k, n, 0.01) < 0.05).toBe(fails);
      }),
    );
  });
});

describe("Holm's correction", () => {
  test("lets through what is beyond chance when all are asked at once", () => {
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([true, false, false, true]);
    expect(holm([0.04])).toEqual([true]);
    expect(holm([0.04, 0.04])).toEqual([false, false]);
    expect(holm([])).toEqual([]);
  });
});
