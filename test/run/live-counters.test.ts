// Live counters and their histogram: shared between threads, and near enough for a live view.
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  liveBuffer,
  loadCounters,
  readLive,
  readSelf,
  setStop,
  stopFlag,
  sumSince,
  writeSelf,
} from "../../src/run/live-counters.ts";
import { BUCKETS, bucketOf, bucketTop, quantileIn } from "../../src/run/log-linear.ts";
import { answer } from "../support/answers.ts";

test("a bucket's top is at most 1/32 above any value in it, and buckets keep the order", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0x7fff_ffff }), (value) => {
      const bucket = bucketOf(value);
      const top = bucketTop(bucket);
      expect(bucket).toBeLessThan(BUCKETS);
      expect(top).toBeGreaterThanOrEqual(value);
      expect(bucket === BUCKETS - 1 ? 0 : top - value).toBeLessThanOrEqual(value / 32);
      expect(bucketOf(value + 1)).toBeGreaterThanOrEqual(bucket);
    }),
    { examples: [[31], [32], [63], [64], [0x7fff_ffff]] },
  );
});

test("no value is too odd to be counted: negative, 15 minutes, endless", () => {
  expect([-5, 0, Number.NaN].map(bucketOf)).toEqual([0, 0, 0]);
  expect(bucketTop(bucketOf(900e6))).toBeLessThan(930e6);
  expect([5e9, Number.POSITIVE_INFINITY].map(bucketOf)).toEqual([BUCKETS - 1, BUCKETS - 1]);
});

test("quantiles are by nearest rank", () => {
  const counts = new Int32Array(BUCKETS);
  expect(quantileIn(counts, 0.5)).toBeNull();
  for (const value of [1, 2, 2, 2, 2]) counts[bucketOf(value)]!++;
  expect([0.2, 0.25, 1].map((q) => quantileIn(counts, q))).toEqual([1, 2, 2]);
});

test("counters of several workers, loads and routes add up without a message", () => {
  const shape = [1, 2];
  const buffers = [liveBuffer(shape), liveBuffer(shape)];
  for (const buffer of buffers) {
    const [one, two] = loadCounters(shape, buffer);
    one!.began(0, true, 40);
    two!.began(1, true, 80);
    two!.began(1, false, 80);
    two!.ended(1, answer({ reason: "connect", outcome: "errored" }));
    two!.ended(1, answer());
    two!.settled(1, "ok", true, 5_000);
    two!.dropped(0);
  }
  const { loads } = readLive(shape, buffers, 0);
  expect(loads[0]![0]).toMatchObject({ sent: 2, attempts: 2, in_flight: 2, ok: 0 });
  expect(loads[1]![0]).toMatchObject({ sent: 0, dropped: 2 });
  expect(loads[1]![1]).toMatchObject({ sent: 2, attempts: 4, in_flight: 0, ok: 2, degraded: 2 });
  expect(loads[1]![1]).toMatchObject({ connect_failures: 2 });
  expect(quantileIn(loads[1]![1]!.response, 0.5)).toBe(bucketTop(bucketOf(5_000)));
  expect(quantileIn(loads[0]![0]!.lag, 1)).toBe(bucketTop(bucketOf(40)));
});

test("an unknown counts as endless, errored and throttled not at all", () => {
  const buffer = liveBuffer([1]);
  const counters = loadCounters([1], buffer)[0]!;
  for (const outcome of ["ok", "unknown", "errored", "throttled"] as const)
    counters.settled(0, outcome, false, 10);
  const { response } = readLive([1], [buffer], 0).loads[0]![0]!;
  expect(quantileIn(response, 0.5)).toBe(10);
  expect(quantileIn(response, 1)).toBe(Number.POSITIVE_INFINITY);
});

test("a difference holds what was counted since, and gauges as they are", () => {
  const buffer = liveBuffer([1]);
  const counters = loadCounters([1], buffer)[0]!;
  counters.began(0, true, 10);
  const before = readLive([1], [buffer], 0).loads[0]!;
  counters.began(0, true, 20);
  const since = sumSince(readLive([1], [buffer], 1).loads[0]!, before);
  expect(since).toMatchObject({ sent: 1, in_flight: 2 });
  expect(quantileIn(since.lag, 1)).toBe(20);
});

test("a worker's own figures and the stop flag share that memory and disturb nothing", () => {
  const buffer = liveBuffer([1]);
  const stopped = stopFlag(buffer);
  const self = { loopUs: 4_321, cpu: 0.75, rows: 12, encoderPending: 1, ownFailures: 3 };
  writeSelf(buffer, self);
  expect(stopped()).toBe(false);
  setStop(buffer);
  expect(stopped()).toBe(true);
  expect(readSelf(buffer)).toEqual(self);
  expect(readLive([1], [buffer], 0).loads[0]![0]).toMatchObject({ sent: 0, in_flight: 0 });
});
