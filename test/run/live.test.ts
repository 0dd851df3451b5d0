// Criteria on live counters: what is counted, what cannot be followed, and when there is nothing.
import { describe, expect, test } from "vitest";
import { parseCriterion } from "../../src/core/parse-criterion.ts";
import { assertLive, evaluateLive, type LiveNames } from "../../src/run/live.ts";
import { liveBuffer, loadCounters, readLive } from "../../src/run/live-counters.ts";
import { answer } from "../support/answers.ts";

const REFUSED = answer({ outcome: "throttled", refusedBy: "gateway" });

const NAMES: LiveNames = [
  { name: "shopper", routes: ["", "checkout", "browse"] },
  { name: "noise", routes: [""] },
];
const SHAPE = NAMES.map((load) => load.routes.length);
const [CHECKOUT, BROWSE] = [1, 2];

/** Counters that start at zero; `judge` judges from then until now. */
function counting() {
  const buffer = liveBuffer(SHAPE);
  const [shopper, noise] = loadCounters(SHAPE, buffer);
  const sample = () => readLive(SHAPE, [buffer], 0);
  const first = sample();
  const judge = (text: string, between = [first]) => {
    const criterion = parseCriterion(text);
    assertLive(criterion, NAMES);
    const { holds, value } = evaluateLive(criterion, NAMES, [...between, sample()]);
    return [holds, value];
  };
  return { shopper: shopper!, noise: noise!, sample, first, judge };
}

describe("a criterion over a window", () => {
  test("counts one load, one route, or all of them", () => {
    const { shopper, noise, judge } = counting();
    for (let i = 0; i < 8; i++) shopper.settled(BROWSE, "ok", false, 10_000);
    for (let i = 0; i < 2; i++) shopper.settled(CHECKOUT, "errored", false, 10_000);
    for (let i = 0; i < 10; i++) {
      noise.settled(0, "throttled", false, 10_000);
      noise.ended(0, REFUSED);
    }
    expect(judge("shopper.errors.rate <= 20%")).toEqual([true, 0.2]);
    expect(judge("shopper.checkout.errors.rate <= 1%")).toEqual([false, 1]);
    expect(judge("browse.errors.rate <= 1%")).toEqual([true, 0]);
    expect(judge("errors.rate < 60%")).toEqual([false, 0.6]);
    expect(judge("noise.throttles.rate == 100%")).toEqual([true, 1]);
    expect(judge("noise.throttles > 9")).toEqual([true, 10]);
  });

  test("knows unknowns, drops, degraded answers and resends", () => {
    const { shopper, judge } = counting();
    shopper.began(CHECKOUT, true, 0);
    shopper.began(CHECKOUT, false, 0);
    shopper.dropped(BROWSE);
    shopper.settled(CHECKOUT, "unknown", false, 0);
    shopper.settled(CHECKOUT, "ok", true, 5);
    expect(judge("shopper.unknown.rate <= 1%")).toEqual([false, 0.5]);
    expect(judge("shopper.dropped == 0")).toEqual([false, 1]);
    expect(judge("shopper.degraded.rate >= 95%")).toEqual([false, 0.5]); // ÷ sent, as in a report
    expect(judge("shopper.amplification <= 1.1")).toEqual([false, 2]);
    expect(judge("shopper.count >= 1")).toEqual([true, 1]);
  });

  test("counts a refusal that a resend made good: throttles are of attempts", () => {
    const { shopper, judge } = counting();
    shopper.ended(CHECKOUT, REFUSED);
    shopper.ended(CHECKOUT, answer());
    shopper.settled(CHECKOUT, "ok", false, 5);
    expect(judge("shopper.throttles == 1")).toEqual([true, 1]);
    expect(judge("shopper.throttles.rate <= 10%")).toEqual([false, 0.5]);
    expect(judge("shopper.errors.rate <= 1%")).toEqual([true, 0]);
  });

  test("takes percentiles of the response and of the lag; an unknown is endless", () => {
    const { shopper, judge } = counting();
    for (let i = 0; i < 99; i++) shopper.settled(BROWSE, "ok", false, 10_000);
    shopper.settled(BROWSE, "unknown", false, 0);
    shopper.began(BROWSE, true, 50_000);
    expect(judge("shopper.p99 <= 11ms")[0]).toBe(true);
    expect(judge("shopper.p999 <= 1h")).toEqual([false, Number.POSITIVE_INFINITY]);
    expect(judge("shopper.lag.p99 <= 20ms")[0]).toBe(false);
  });

  test("in-flight is the most at any sample, and what went before the window does not count", () => {
    const { shopper, sample, judge } = counting();
    for (let i = 0; i < 5; i++) shopper.began(BROWSE, true, 0);
    const peak = sample();
    for (let i = 0; i < 4; i++) shopper.ended(BROWSE, answer());
    expect(judge("shopper.in-flight > 4", [peak])).toEqual([true, 5]);
    expect(judge("shopper.count >= 1", [peak])).toEqual([false, 0]);
  });

  test("a limit may be another operand", () => {
    const { shopper, noise, judge } = counting();
    for (let i = 0; i < 10; i++) shopper.settled(BROWSE, "ok", false, 30_000);
    for (let i = 0; i < 10; i++) noise.settled(0, "ok", false, 10_000);
    expect(judge("shopper.p50 <= 2 * noise.p50")[0]).toBe(false);
    expect(judge("shopper.p50 <= max(2 * noise.p50, 40ms)")[0]).toBe(true);
  });

  test("without a single arrival nothing holds and nothing is broken", () => {
    const { judge } = counting();
    expect(judge("shopper.p99 <= 300ms")).toEqual([null, null]);
    expect(judge("shopper.errors.rate <= 1%")).toEqual([null, null]);
    expect(judge("shopper.p50 <= 2 * noise.p50")[0]).toBeNull();
  });
});

test.each([
  ["shopper.warm.p99 <= 300ms", "no load or route"],
  ["function(CheckoutArn).throttles > 0", "no live counter"],
  ["shopper.errors.rate <= 1% during zero", "it has a window"],
  ["recovery(zero) <= 10s", "no live counter"],
  ["shopper.service.p99 <= 1s", "no live counter"],
  ["noise.checkout.p99 <= 1s", "no load or route"],
])("%s is refused before anything is sent: %s", (text, why) => {
  expect(() => assertLive(parseCriterion(text), NAMES)).toThrow(why);
});
