// Asynchronous events on virtual time: when they are tried again, and when they are given up.
import { describe, expect, it } from "vitest";
import type { InvokeOutcome } from "../../../src/local/function-host.ts";
import {
  ASYNC_DEFAULTS,
  type AsyncLimits,
  AsyncQueue,
  type QueuedEvent,
} from "../../../src/local/lambda/async-queue.ts";
import { TestClock } from "../../support/test-clock.ts";

const EVENT: QueuedEvent = { functionName: "f", event: "{}", requestId: "id-1", traceId: null };
const HOUR_MS = 3_600_000;

/** A queue whose attempts end as `kinds` says; the last one goes on for ever. */
function queueOf(
  kinds: readonly InvokeOutcome["kind"][],
  { isOff = false, ...limits }: Partial<AsyncLimits> & { isOff?: boolean } = {},
) {
  const clock = new TestClock();
  const attemptsS: number[] = [];
  const agesMs: number[] = [];
  const ends: string[] = [];
  const queue = new AsyncQueue({
    clock,
    run: async ({ requestId }) => {
      const kind = kinds[Math.min(attemptsS.length, kinds.length - 1)]!;
      attemptsS.push(clock.nowUs() / 1_000_000);
      return { requestId, kind, reason: "", payload: "", executedVersion: "$LATEST", tail: "" };
    },
    isOff: () => isOff,
    limitsOf: () => ({ ...ASYNC_DEFAULTS, ...limits }),
    attempted: (_, ageMs) => agesMs.push(ageMs),
    ended: ({ requestId }, { condition, attempts }) =>
      ends.push(`${requestId} ${condition} ${attempts}`),
  });
  return { clock, queue, attemptsS, agesMs, ends };
}

describe("an asynchronous event", () => {
  it("that runs well runs once", async () => {
    const { clock, queue, attemptsS, ends } = queueOf(["ok"]);
    queue.accept(EVENT);
    await clock.advance(HOUR_MS);
    expect([attemptsS, ends, queue.waiting]).toEqual([[0], ["id-1 Success 1"], 0]);
  });

  it("that fails is tried again after one minute and two more, then given up", async () => {
    const { clock, queue, attemptsS, agesMs, ends } = queueOf(["function-error"]);
    queue.accept(EVENT);
    await clock.advance(HOUR_MS);
    expect([attemptsS, ends]).toEqual([[0, 60, 180], ["id-1 RetriesExhausted 3"]]);
    expect(agesMs).toEqual([0, 60_000, 180_000]);
  });

  it.each([
    [0, [0]],
    [1, [0, 60]],
  ])("with %i retries is given up after as many", async (retriesMax, times) => {
    const { clock, queue, attemptsS, ends } = queueOf(["function-error"], { retriesMax });
    queue.accept(EVENT);
    await clock.advance(HOUR_MS);
    expect([attemptsS, ends]).toEqual([times, [`id-1 RetriesExhausted ${retriesMax + 1}`]]);
  });

  it("is not tried again when it would be too old by then", async () => {
    const { clock, queue, attemptsS, ends } = queueOf(["function-error"], { ageMaxS: 60 });
    queue.accept(EVENT);
    await clock.advance(HOUR_MS);
    expect([attemptsS, ends]).toEqual([[0, 60], ["id-1 EventAgeExceeded 2"]]);
  });

  it("that is throttled is tried again after 1, 2, 4, … seconds", async () => {
    const { clock, queue, attemptsS } = queueOf(["throttled", "throttled", "throttled", "ok"]);
    queue.accept(EVENT);
    await clock.advance(HOUR_MS);
    expect([attemptsS, queue.waiting]).toEqual([[0, 1, 3, 7], 0]);
  });

  it("that is throttled for six hours is given up, tried every five minutes by then", async () => {
    const { clock, queue, attemptsS, ends } = queueOf(["throttled"]);
    queue.accept(EVENT);
    await clock.advance(7 * HOUR_MS);
    const [last = 0, before = 0] = attemptsS.toReversed();
    expect(last - before).toBe(300);
    expect(last).toBeLessThanOrEqual(6 * 3_600);
    expect(ends).toEqual(["id-1 EventAgeExceeded 0"]);
  });

  it("to a function reserved at zero is given up at once and never tried", async () => {
    const { clock, queue, attemptsS, ends } = queueOf(["ok"], { isOff: true });
    queue.accept(EVENT);
    await clock.advance(HOUR_MS);
    expect([attemptsS, ends]).toEqual([[], ["id-1 ZeroReservedConcurrency 0"]]);
  });
});
