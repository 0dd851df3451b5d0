// How often the control plane is asked, and how long a promise is waited for.
import { AwsFailure } from "../core/change.ts";
import { type Clock, runUs, US_PER_MS, US_PER_S } from "../core/time.ts";

export interface Pace {
  /** Between two probes for onset or clearing. */
  readonly pollUs: number;
  /** Between the two equal readings that are believed when no write of ours explains them. */
  readonly settleUs: number;
  /** Between two tries of a call that failed. */
  readonly retryUs: number;
}

/** Local AWS answers at once and is never stale; AWS has a budget of 15 calls a second to share. */
export function paceOf(endpoint: string): Pace {
  return endpoint === "aws"
    ? { pollUs: US_PER_S, settleUs: 3 * US_PER_S, retryUs: US_PER_S }
    : { pollUs: 50 * US_PER_MS, settleUs: 100 * US_PER_MS, retryUs: 100 * US_PER_MS };
}

/** Sleeps `us`, at most until `untilUs`. */
export function pause(clock: Clock, us: number, untilUs: number): Promise<void> {
  return clock.sleepUntil(runUs(Math.min(clock.nowUs() + us, untilUs)));
}

/** Resolves to `"late"` when the promise has not settled at `atUs`; it is then left to itself. */
export async function settledBy<T>(
  promise: Promise<T>,
  clock: Clock,
  atUs: number,
): Promise<T | "late"> {
  const done = new AbortController();
  const late = clock.sleepUntil(runUs(atUs), done.signal).then(
    () => "late" as const,
    () => "late" as const, // the sleep was ended because the promise won
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    done.abort();
  }
}

/** Worth another try: no answer, throttled, another update in progress, or AWS's own error. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof AwsFailure)) return false;
  if (error.name === "ResourceInUseException") return true; // an event source mapping's 409
  return [0, 409, 429].includes(error.status) || error.status >= 500;
}
