// Virtual time that passes by itself: whenever nothing else happens, the earliest sleep ends.
import { type Clock, epochMs, type RunUs, runUs } from "../../src/core/time.ts";

interface Sleep {
  readonly atUs: number;
  readonly wake: () => void;
}

/** Turns of the event loop without which nothing counts as having had its chance. */
const IDLE_TURNS = 8;

export class AutoClock implements Clock {
  #nowUs = 0;
  #sleeps: Sleep[] = [];
  #running = false;

  nowUs(): RunUs {
    return runUs(this.#nowUs);
  }

  wallMs() {
    return epochMs(1_767_225_600_000 + Math.floor(this.#nowUs / 1_000));
  }

  sleepUntil(atUs: RunUs, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = (): void => {
        this.#sleeps = this.#sleeps.filter((other) => other !== sleep);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const sleep = { atUs, wake };
      signal?.addEventListener("abort", abort);
      this.#sleeps.push(sleep);
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#sleeps.length > 0) {
      for (let turn = 0; turn < IDLE_TURNS; turn++) await new Promise((go) => setImmediate(go));
      this.#sleeps.sort((a, b) => a.atUs - b.atUs);
      const next = this.#sleeps.shift();
      if (next === undefined) break;
      this.#nowUs = Math.max(this.#nowUs, next.atUs);
      next.wake();
    }
    this.#running = false;
  }
}
