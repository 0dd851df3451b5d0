// Real time that a test can let jump ahead: sockets stay real, minutes take no time.
import { type Clock, epochMs, type RunUs, runUs, US_PER_MS } from "../../src/core/time.ts";
import { systemClock } from "../../src/run/clock.ts";

export class SkipClock implements Clock {
  readonly #real = systemClock();
  #skippedUs = 0;
  #heldMs: number | null = null;
  #jump = new AbortController();

  nowUs(): RunUs {
    return runUs(this.#real.nowUs() + this.#skippedUs);
  }

  wallMs() {
    if (this.#heldMs !== null) return epochMs(this.#heldMs);
    return epochMs(this.#real.wallMs() + Math.round(this.#skippedUs / US_PER_MS));
  }

  /** It stays this minute until time is skipped, however slow the machine is. */
  holdWall(): void {
    this.#heldMs = this.wallMs();
  }

  async sleepUntil(atUs: RunUs, signal?: AbortSignal): Promise<void> {
    while (atUs > this.nowUs()) {
      signal?.throwIfAborted();
      const waited = [this.#jump.signal, ...(signal === undefined ? [] : [signal])];
      const realUs = runUs(atUs - this.#skippedUs);
      await this.#real.sleepUntil(realUs, AbortSignal.any(waited)).catch(() => {});
    }
    signal?.throwIfAborted();
  }

  /** What was set to go off in these milliseconds goes off now. */
  async skip(ms: number): Promise<void> {
    this.#heldMs = null;
    this.#skippedUs += Math.round(ms * US_PER_MS);
    const jumped = this.#jump;
    this.#jump = new AbortController();
    jumped.abort();
    for (let turn = 0; turn < 20; turn++) await new Promise((go) => setImmediate(go));
  }
}
