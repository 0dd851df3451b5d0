// Asynchronous invokes: Lambda's internal queue, its retries, and what it gives up on.
import { setMaxListeners } from "node:events";
import { type Clock, runUs, US_PER_MS, US_PER_S } from "../../core/time.ts";
import type { InvokeOutcome } from "../function-host.ts";

export interface QueuedEvent {
  /** May end in `:qualifier`. */
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
  /** As the function is set now; asked for at every attempt. */
  limitsOf(functionName: string): AsyncLimits;
  /** An attempt begins, so long after the event was accepted. */
  attempted(queued: QueuedEvent, ageMs: number): void;
  /** The event is done, or given up. */
  ended(queued: QueuedEvent, end: AsyncEnd): void;
}

export interface AsyncLimits {
  /** Retries after function errors, 0 to 2. */
  readonly retriesMax: number;
  readonly ageMaxS: number;
}

export interface AsyncEnd {
  readonly condition: AsyncCondition;
  /** Attempts that reached the function. */
  readonly attempts: number;
  /** The last attempt's; null when there was none. */
  readonly outcome: InvokeOutcome | null;
}

/** `condition` of destinations' records. */
export type AsyncCondition =
  | "Success"
  | "RetriesExhausted"
  | "EventAgeExceeded"
  | "ZeroReservedConcurrency";

/** Lambda's defaults: two retries, and six hours for events that are refused. */
export const ASYNC_DEFAULTS: AsyncLimits = { retriesMax: 2, ageMaxS: 6 * 3_600 };

/** Refused events are tried again 1 s apart at first and up to 5 min. */
const THROTTLE_FIRST_US = US_PER_S;
const THROTTLE_MAX_US = 300 * US_PER_S;
/** After a function error: one minute, then two more. */
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

  /** Takes the event; what becomes of it shows in logs, metrics and destinations only. */
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
    const end = (condition: AsyncCondition): void =>
      this.#deps.ended(queued, { condition, attempts, outcome });
    let outcome: InvokeOutcome | null = null;
    let attempts = 0;
    let throttleWaitUs = THROTTLE_FIRST_US;
    for (;;) {
      if (this.#deps.isOff(queued.functionName)) return end("ZeroReservedConcurrency");
      this.#deps.attempted(queued, (clock.nowUs() - acceptedUs) / US_PER_MS);
      const { retriesMax, ageMaxS } = this.#deps.limitsOf(queued.functionName);
      const answer = await this.#deps.run(queued);
      if (answer.kind === "not-found") return;
      let waitUs = throttleWaitUs;
      if (answer.kind === "throttled")
        throttleWaitUs = Math.min(THROTTLE_MAX_US, throttleWaitUs * 2);
      else {
        outcome = answer;
        if (answer.kind === "ok") {
          attempts++;
          return end("Success");
        }
        const retryUs = attempts < retriesMax ? ERROR_RETRIES_US[attempts] : undefined;
        attempts++;
        if (retryUs === undefined) return end("RetriesExhausted");
        waitUs = retryUs;
      }
      const untilUs = clock.nowUs() + waitUs;
      if (untilUs - acceptedUs > ageMaxS * US_PER_S) return end("EventAgeExceeded");
      await clock.sleepUntil(runUs(untilUs), this.#stop.signal);
    }
  }
}
