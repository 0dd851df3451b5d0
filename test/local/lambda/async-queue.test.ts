// Asynchronous events on virtual time: when they are tried again, and when they are given up.
import { describe, expect, it } from "vitest";
import type { InvokeOutcome } from "../../../src/local/function-host.ts";
import { AsyncQueue, type QueuedEvent } from "../../../src/local/lambda/async-queue.ts";
import { TestClock } from "../../support/test-clock.ts";

const EVENT: QueuedEvent = { functionName: "f", event: "{}", requestId: "id-1", traceId: null };
const HOUR_MS = 3_600_000;

/** A queue whose attempts end as `kinds` says; the last one goes on for ever. */
function queueOf(kinds: readonly InvokeOutcome["kind"][], isOff = false) {
  const clock = new TestClock();
  const attemptsS: number[] = [];
  const dropped: string[] = [];
  const queue = new AsyncQueue({
    clock,
    run: async ({ requestId }) => {
      const kind = kinds[Math.min(attemptsS.length, kinds.length - 1)]!;
      attemptsS.push(clock.nowUs() / 1_000_000);
      return { requestId, kind, reason: "", payload: "", executedVersion: "$LATEST", tail: "" };
    },
    isOff: () => isOff,
    dropped: (queued, why) => dropped.push(`${queued.requestId} ${why}`),
  });
  return { clock, queue, attemptsS, dropped };
}

describe("an asynchronous event", () => {
  it("that runs well runs once", async () => {
    const { clock, queue, attemptsS, dropped } = queueOf(["ok"]);
    queue.accept(EVENT);
    await clock.advance(HOUR_MS);
    expect([attemptsS, dropped, queue.waiting]).toEqual([[0], [], 0]);
  });

  it("that fails is tried again after one minute and two more, then given up", async () => {
    const { clock, queue, attemptsS, dropped } = queueOf(["function-error"]);
    queue.accept(EVENT);
    await clock.advance(HOUR_MS);
    expect([attemptsS, dropped]).toEqual([[0, 60, 180], ["id-1 RetriesExhausted"]]);
  });

  it("that is throttled is tried again after 1, 2, 4, … seconds", async () => {
    const { clock, queue, attemptsS } = queueOf(["throttled", "throttled", "throttled", "ok"]);
    queue.accept(EVENT);
    await clock.advance(HOUR_MS);
    expect([attemptsS, queue.waiting]).toEqual([[0, 1, 3, 7], 0]);
  });

  it("that is throttled for six hours is given up, tried every five minutes by then", async () => {
    const { clock, queue, attemptsS, dropped } = queueOf(["throttled"]);
    queue.accept(EVENT);
    await clock.advance(7 * HOUR_MS);
    const [last = 0, before = 0] = attemptsS.toReversed();
    expect(last - before).toBe(300);
    expect(last).toBeLessThanOrEqual(6 * 3_600);
    expect(dropped).toEqual(["id-1 EventAgeExceeded"]);
  });

  it("to a function reserved at zero is given up at once and never tried", async () => {
    const { clock, queue, attemptsS, dropped } = queueOf(["ok"], true);
    queue.accept(EVENT);
    await clock.advance(HOUR_MS);
    expect([attemptsS, dropped]).toEqual([[], ["id-1 ZeroReservedConcurrency"]]);
  });
});
