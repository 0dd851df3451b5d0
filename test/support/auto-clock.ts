// Virtual time that passes by itself: a sleep ends at once, and the clock stands where it ended.
import { type Clock, epochMs, type RunUs, runUs } from "../../src/core/time.ts";

export class AutoClock implements Clock {
  #nowUs = 0;

  nowUs(): RunUs {
    return runUs(this.#nowUs);
  }

  wallMs() {
    return epochMs(1_767_225_600_000 + Math.floor(this.#nowUs / 1_000));
  }

  /** Waits a few turns of the loop, so that whatever could settle before this sleep ends, does. */
  async sleepUntil(atUs: RunUs, signal?: AbortSignal): Promise<void> {
    for (let turn = 0; turn < 8; turn++) {
      signal?.throwIfAborted();
      await new Promise((resolve) => setImmediate(resolve));
    }
    signal?.throwIfAborted();
    this.#nowUs = Math.max(this.#nowUs, atUs);
  }
}
