// The planner against the gate itself: odds are those of the exact test, counted by brute force.
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { fewestToPass, oddsToPass, samplesWanted } from "../../src/report/odds.ts";
import { shareAtMost } from "../../src/report/statistics.ts";

describe("the odds of a pass at half the allowance", () => {
  test.each([
    [0.05, 434],
    [0.01, 2_185],
    [0.001, 21_883],
  ])("for %f are 80 %% from %i samples on, and stay so", (allowed, n) => {
    expect(samplesWanted(allowed)).toBe(n);
    expect(oddsToPass(n, allowed)).toBeGreaterThanOrEqual(0.8);
    for (let more = n; more < n + 400; more++)
      expect(oddsToPass(more, allowed)).toBeGreaterThanOrEqual(0.8);
  });

  it("are at least 75 % for p99 with 2,000 samples", () => {
    expect(oddsToPass(2_000, 0.01)).toBeGreaterThan(0.75);
  });

  it("are the sum of the binomial terms that the gate lets pass", () => {
    const cases = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.constantFrom(0.02, 0.05, 0.2));
    fc.assert(
      fc.property(cases, ([n, allowed]) => {
        let term = (1 - allowed / 2) ** n;
        let sum = 0;
        for (let k = 0; k <= n; k++) {
          if (shareAtMost(k, n) <= allowed) sum += term;
          term *= ((n - k) / (k + 1)) * (allowed / 2 / (1 - allowed / 2));
        }
        expect(oddsToPass(n, allowed)).toBeCloseTo(sum, 9);
      }),
    );
  });

  it("are none without samples, and certain where no event is allowed", () => {
    expect([oddsToPass(0, 0.01), oddsToPass(298, 0.01), oddsToPass(5, 0)]).toEqual([0, 0, 1]);
  });
});

describe("the fewest samples that can pass", () => {
  test.each([
    [0.05, 59],
    [0.01, 299],
    [0.001, 2_995],
    [0, 1],
  ])("an allowance of %f are %i", (allowed, n) => expect(fewestToPass(allowed)).toBe(n));
});
