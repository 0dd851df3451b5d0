// What retries and outages multiply to: attempts, backlogs, and how long they take to drain.

/** Attempts for one request in the worst case, when each of `layers` retries `retries` times. */
export function worstAttempts(layers: number, retries: number): number {
  return (1 + retries) ** layers;
}

/**
 * Mean attempts for one request when each attempt fails with this probability, independently:
 * 1 + p + p² + … up to the last attempt.
 */
export function meanAttempts(failShare: number, attemptsMax: number): number {
  let sum = 0;
  for (let attempt = 0; attempt < attemptsMax; attempt++) sum += failShare ** attempt;
  return sum;
}

export interface Outage {
  readonly perSecond: number;
  readonly outageS: number;
  /** What is served per second once it is over; new arrivals keep coming. */
  readonly capacityPerSecond: number;
}

export interface Backlog {
  readonly queued: number;
  /** Seconds until the queue is empty after the outage; +∞ when there is no headroom. */
  readonly drainS: number;
  /** From the outage's start until the queue is empty. */
  readonly incidentS: number;
  /** Longest wait of a message: the first one waits for about the outage. */
  readonly firstWaitS: number;
}

export function backlogOf({ perSecond, outageS, capacityPerSecond }: Outage): Backlog {
  const queued = perSecond * outageS;
  const headroom = capacityPerSecond - perSecond;
  const drainS = queued === 0 ? 0 : headroom > 0 ? queued / headroom : Number.POSITIVE_INFINITY;
  return { queued, drainS, incidentS: outageS + drainS, firstWaitS: queued === 0 ? 0 : outageS };
}

/** Least visibility timeout of a queue before a function (AWS's advice: six times, plus window). */
export function visibilityTimeoutMs(functionTimeoutMs: number, windowMs = 0): number {
  return 6 * functionTimeoutMs + windowMs;
}
