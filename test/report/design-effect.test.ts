// Bursts: what a sample is worth when its exceedances come together.
import { describe, expect, test } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import { blockSeconds, effectiveSample } from "../../src/report/design-effect.ts";

const seconds = (n: number, each: number, k: (second: number) => number) => ({
  n: Array.from({ length: n }, () => each),
  k: Array.from({ length: n }, (_, second) => k(second)),
});

describe("the effective sample", () => {
  test("is the sample itself when events are spread evenly", () => {
    const counts = seconds(60, 200, () => 2);
    expect(effectiveSample(counts, 0)).toEqual({ blocks: 60, deff: 1, n: 12_000, k: 120 });
  });

  test("is the sample itself when nothing or everything is an event", () => {
    expect(
      effectiveSample(
        seconds(15, 40, () => 0),
        0,
      ).n,
    ).toBe(600);
    expect(
      effectiveSample(
        seconds(15, 40, () => 40),
        15e6,
      ),
    ).toEqual({
      ...{ blocks: 15, deff: 1 },
      ...{ n: 600, k: 600 },
    });
  });

  test("shrinks by the length of bursts", () => {
    const counts = seconds(100, 200, (second) => (second % 10 === 0 ? 20 : 0));
    const found = effectiveSample(counts, 100_000);
    expect(found.deff).toBeGreaterThan(10);
    expect(found.n).toBeLessThan(2_000);
    expect(found.k / found.n).toBeCloseTo(0.01, 12);
  });

  test("does not pay for the noise of independent events", () => {
    const rng = seededRng(3);
    const counts = seconds(100, 200, () => {
      let k = 0;
      for (let i = 0; i < 200; i++) if (rng.next() < 0.01) k++;
      return k;
    });
    expect(effectiveSample(counts, 5_000).deff).toBe(1);
  });

  test("leaves seconds without samples out of the blocks", () => {
    const counts = { n: [10, 0, 10, 0], k: [1, 0, 1, 0] };
    expect(effectiveSample(counts, 0)).toMatchObject({ blocks: 2, n: 20, k: 2 });
  });
});

describe("a block", () => {
  test("is a second, or twice the longest episode", () => {
    expect(blockSeconds(600, 0)).toBe(1);
    expect(blockSeconds(600, 2_400_000)).toBe(5);
  });

  test("leaves at least ten of them in ten seconds or more", () => {
    expect(blockSeconds(15, 15_000_000)).toBe(1);
    expect(blockSeconds(60, 60_000_000)).toBe(6);
    expect(blockSeconds(4, 4_000_000)).toBe(1);
  });
});
