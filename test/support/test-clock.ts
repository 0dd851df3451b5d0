// Virtual time: nothing passes unless the test says so.
import { epochMs, type RunUs, runUs, US_PER_MS } from "../../src/core/time.ts";
import type { RunClock } from "../../src/run/clock.ts";
import type { Pacer } from "../../src/run/pacer.ts";

interface Timer {
  readonly atUs: number;
  readonly order: number;
  readonly fire: () => void;
}

/** Wall time of the test clock's 0: 2026-01-01T00:00:00Z. */
export const TEST_EPOCH_MS = 1_767_225_600_000;

export class TestClock implements RunClock, Pacer {
  epochHrNs = 0n;
  /** Added to the wall clock only: a test's clock step. */
  wallOffsetMs = 0;
  #nowUs: number;
  #wall0Ms = TEST_EPOCH_MS;
  #order = 0;
  #timers: Timer[] = [];

  constructor(startUs = 0) {
    this.#nowUs = startUs;
  }

  nowUs(): RunUs {
    return runUs(this.#nowUs);
  }

  wallMs() {
    return epochMs(Math.floor(this.#wall0Ms + this.#nowUs / US_PER_MS) + this.wallOffsetMs);
  }

  /** Moves 0; what was set to go off keeps its distance from now, and the wall clock its time. */
  startAt(epochHrNs: bigint): void {
    const byUs = Number(epochHrNs - this.epochHrNs) / 1_000;
    this.epochHrNs = epochHrNs;
    this.#nowUs -= byUs;
    this.#wall0Ms += byUs / US_PER_MS;
    this.#timers = this.#timers.map((timer) => ({ ...timer, atUs: timer.atUs - byUs }));
  }

  /** Calls `fire` when time reaches `atUs`; equal times in the order they were asked for. */
  at(atUs: number, fire: () => void): void {
    const timer = { atUs: Math.max(atUs, this.#nowUs), order: this.#order++, fire };
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#timers[middle]!.atUs <= timer.atUs) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, timer);
  }

  wakeAt(atUs: RunUs, wake: () => void): void {
    this.at(atUs, wake);
  }

  sleepUntil(atUs: RunUs, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (atUs <= this.#nowUs) return resolve();
      const abort = (): void => reject(signal?.reason);
      signal?.addEventListener("abort", abort, { once: true });
      this.at(atUs, () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      });
    });
  }

  /** Lets `ms` pass; between two timers everything that they set off is settled. */
  async advance(ms: number): Promise<void> {
    const endUs = this.#nowUs + Math.round(ms * US_PER_MS);
    await settled();
    while (this.#next(endUs)) await settled();
    this.#nowUs = Math.max(this.#nowUs, endUs);
    await settled();
  }

  /** Like `advance` for code that uses timers only and no promises; much faster. */
  advanceSync(ms: number): void {
    const endUs = this.#nowUs + Math.round(ms * US_PER_MS);
    while (this.#next(endUs));
    this.#nowUs = Math.max(this.#nowUs, endUs);
  }

  /** Time passes and nothing can run: a blocked event loop. What fell due comes late. */
  block(ms: number): void {
    this.#nowUs += Math.round(ms * US_PER_MS);
  }

  #next(endUs: number): boolean {
    const timer = this.#timers[0];
    if (timer === undefined || timer.atUs > endUs) return false;
    this.#timers.shift();
    this.#nowUs = Math.max(this.#nowUs, timer.atUs);
    timer.fire();
    return true;
  }
}

/** One turn of the event loop: all promise callbacks that are ready have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
