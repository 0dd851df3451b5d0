// The vectors that HdrHistogram publishes for its ports (HistogramDataAccessTest, public domain).
import { build } from "hdr-histogram-js";
import { describe, expect, test } from "vitest";
import { ExactValues } from "../../src/report/exact-values.ts";

/** 10,000 answers of 1 ms, then one that took 100 s; µs. */
const RAW = [...new Array<number>(10_000).fill(1_000), 100_000_000];
/** The same where a request was due every 10 ms: those of the 100 s wait too, each a bit less. */
const CORRECTED = [...RAW, ...Array.from({ length: 9_999 }, (_, i) => (i + 1) * 10_000)];

const bag = (values: readonly number[]): ExactValues => {
  const exact = new ExactValues();
  for (const value of values) exact.add(value);
  return exact;
};
const library = (values: readonly number[]) => {
  const histogram = build({
    highestTrackableValue: 3_600_000_000,
    numberOfSignificantValueDigits: 3,
  });
  for (const value of values) histogram.recordValue(value);
  return histogram;
};

/** Percentile → published value; the originals allow 0.1 %, here nothing is lost. */
const PUBLISHED: readonly (readonly [string, readonly number[], readonly [number, number][]])[] = [
  [
    "raw",
    RAW,
    [
      [30, 1_000],
      [99, 1_000],
      [99.99, 1_000],
      [99.999, 100_000_000],
      [100, 100_000_000],
    ],
  ],
  [
    "corrected",
    CORRECTED,
    [
      [30, 1_000],
      [50, 1_000],
      [75, 50_000_000],
      [90, 80_000_000],
      [99, 98_000_000],
      [99.999, 100_000_000],
      [100, 100_000_000],
    ],
  ],
];

describe("the published percentiles of the", () => {
  test.each(PUBLISHED)(
    "%s data are ours, and the library's that writes .hlog",
    (_, values, rows) => {
      const exact = bag(values);
      const histogram = library(values);
      for (const [percent, value] of rows) {
        expect(exact.quantile(percent / 100)).toBe(value);
        expect(Math.abs(histogram.getValueAtPercentile(percent) / value - 1)).toBeLessThan(0.001);
      }
    },
  );

  test("data have the published counts", () => {
    expect([bag(RAW).n, bag(CORRECTED).n]).toEqual([10_001, 20_000]);
    const corrected = build({
      highestTrackableValue: 3_600_000_000,
      numberOfSignificantValueDigits: 3,
    });
    for (const value of RAW) corrected.recordValueWithExpectedInterval(value, 10_000);
    expect(corrected.totalCount).toBe(20_000);
  });
});
