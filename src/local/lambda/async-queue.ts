// Asynchronous invokes: Lambda's internal queue, its retries, and what it gives up on.
import { setMaxListeners } from "node:events";
import { type Clock, runUs, US_PER_S } from "../../core/time.ts";
import type { InvokeOutcome } from "../function-host.ts";

export interface QueuedEvent {
  readonly functionName: string;
  readonly event: string;
  readonly requestId: string;
  readonly traceId: string | null;
}

export interface QueueDeps {
  readonly clock: Clock;
  /** One attempt; every attempt has the event's own request id. */
  run(queued: QueuedEvent): Promise<InvokeOutcome>;
  /** True when the function's reserved concurrency is 0: then nothing is retried. */
  isOff(functionName: string): boolean;
  /** The event is given up; there are no destinations and no dead-letter queues here. */
  dropped(queued: QueuedEvent, why: Drop): void;
}

export type Drop = "RetriesExhausted" | "EventAgeExceeded" | "ZeroReservedConcurrency";

/** Throttled events are retried for six hours, 1 s apart at first and up to 5 min. */
const AGE_MAX_US = 6 * 3_600 * US_PER_S;
const THROTTLE_FIRST_US = US_PER_S;
const THROTTLE_MAX_US = 300 * US_PER_S;
/** A function error is retried twice: after one minute, then after two more. */
const ERROR_RETRIES_US = [60 * US_PER_S, 120 * US_PER_S];

export class AsyncQueue implements Disposable {
  readonly #deps: QueueDeps;
  readonly #stop = new AbortController();
  #waiting = 0;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
    setMaxListeners(0, this.#stop.signal); // every waiting event listens
  }

  /** Events accepted and neither done nor dropped. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Takes the event; what becomes of it shows in logs and metrics only. */
  accept(queued: QueuedEvent): void {
    this.#waiting++;
    this.#deliver(queued)
      .catch(() => {}) // only the stop ends a delivery early
      .finally(() => {
        this.#waiting--;
      });
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new Error("local AWS stops"));
  }

  async #deliver(queued: QueuedEvent): Promise<void> {
    const { clock } = this.#deps;
    const acceptedUs = clock.nowUs();
    let throttleWaitUs = THROTTLE_FIRST_US;
    let errors = 0;
    for (;;) {
      if (this.#deps.isOff(queued.functionName))
        return this.#deps.dropped(queued, "ZeroReservedConcurrency");
      const { kind } = await this.#deps.run(queued);
      let waitUs = throttleWaitUs;
      if (kind === "throttled") throttleWaitUs = Math.min(THROTTLE_MAX_US, throttleWaitUs * 2);
      else if (kind === "function-error") {
        const retryUs = ERROR_RETRIES_US[errors++];
        if (retryUs === undefined) return this.#deps.dropped(queued, "RetriesExhausted");
        waitUs = retryUs;
      } else return;
      const untilUs = clock.nowUs() + waitUs;
      if (untilUs - acceptedUs > AGE_MAX_US) return this.#deps.dropped(queued, "EventAgeExceeded");
      await clock.sleepUntil(runUs(untilUs), this.#stop.signal);
    }
  }
}
