// The system clock against the system: the one file here that waits for real milliseconds.
import { expect, test } from "vitest";
import { runUs } from "../../src/core/time.ts";
import { systemClock } from "../../src/run/clock.ts";

test("counts integer microseconds from its epoch and never goes back", () => {
  const clock = systemClock();
  const seen = Array.from({ length: 1_000 }, () => clock.nowUs());
  expect(seen.every(Number.isInteger)).toBe(true);
  expect(seen.every((us, i) => i === 0 || us >= seen[i - 1]!)).toBe(true);
  expect(seen[0]).toBeGreaterThanOrEqual(0);
});

test("agrees with another clock of the same epoch", () => {
  const one = systemClock();
  const other = systemClock(one.epochHrNs);
  const [before, between, after] = [one.nowUs(), other.nowUs(), one.nowUs()];
  expect(between).toBeGreaterThanOrEqual(before);
  expect(between).toBeLessThanOrEqual(after);
});

test("is negative before a start that lies ahead", () => {
  const clock = systemClock();
  clock.startAt(process.hrtime.bigint() + 5_000_000_000n);
  expect(clock.nowUs()).toBeLessThan(-4_900_000);
});

test("never wakes a sleeper early", async () => {
  const clock = systemClock();
  for (let i = 0; i < 20; i++) {
    const atUs = runUs(clock.nowUs() + 1_300);
    await clock.sleepUntil(atUs);
    expect(clock.nowUs()).toBeGreaterThanOrEqual(atUs);
  }
});

test("gives up a sleep with the signal's reason", async () => {
  const clock = systemClock();
  const abort = new AbortController();
  const sleep = clock.sleepUntil(runUs(60_000_000), abort.signal);
  abort.abort(new Error("enough"));
  await expect(sleep).rejects.toThrow("enough");
  await expect(clock.sleepUntil(runUs(0), abort.signal)).rejects.toThrow("enough");
});
