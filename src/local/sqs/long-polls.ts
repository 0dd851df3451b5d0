// Who waits for messages of one queue, first come first served, and the timer that wakes them.
import { setMaxListeners } from "node:events";
import { type Clock, runUs } from "../../core/time.ts";

export class LongPolls {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  /** When hidden messages become visible next; null = none are hidden. */
  readonly #nextDueUs: () => number | null;
  #armed: { readonly atUs: number; readonly cancel: AbortController } | null = null;

  constructor(clock: Clock, nextDueUs: () => number | null) {
    this.#clock = clock;
    this.#nextDueUs = nextDueUs;
  }

  /** Wakes as many as there are new messages; each looks for itself. */
  wake(count: number): void {
    let left = count;
    for (const wake of this.#waiting) {
      if (left-- <= 0) return;
      this.#waiting.delete(wake);
      wake();
    }
  }

  /** Until woken, `untilUs`, or the signal; never rejects. */
  async wait(untilUs: number, signal?: AbortSignal): Promise<void> {
    const ended = new AbortController();
    setMaxListeners(0, ended.signal);
    const stop = (): void => ended.abort();
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    let wake = stop;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
      this.#waiting.add(resolve);
    });
    const slept = this.#clock.sleepUntil(runUs(untilUs), ended.signal).catch(() => {});
    this.arm();
    await Promise.race([woken, slept]);
    this.#waiting.delete(wake);
    signal?.removeEventListener("abort", stop);
    stop();
  }

  /** To be called when a message has been hidden: somebody may wait for it. */
  arm(): void {
    const atUs = this.#waiting.size === 0 ? null : this.#nextDueUs();
    if (atUs === null || (this.#armed !== null && this.#armed.atUs <= atUs)) return;
    this.#armed?.cancel.abort();
    const armed = { atUs, cancel: new AbortController() };
    this.#armed = armed;
    this.#clock.sleepUntil(runUs(atUs), armed.cancel.signal).then(
      () => {
        this.#armed = null;
        this.wake(this.#waiting.size);
      },
      () => {},
    );
  }

  close(): void {
    this.#armed?.cancel.abort();
    this.wake(this.#waiting.size);
  }
}
