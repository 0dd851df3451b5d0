// What a fault costs in data: events dropped, messages received too often, records too old.

/** What a fault does to what a function is given. */
export type Refusal =
  | "refused" // nothing is let in
  | "capped" // only so much at once
  | "failing"; // everything is let in, and fails

/** Before the second and the third attempt of an asynchronous event whose function failed. */
const ASYNC_DELAYS_S = [60, 120];

/**
 * Seconds of the fault's end in which an asynchronous event is still saved; what came before has
 * left the queue for good. At reserved concurrency 0 nothing is kept at all: since August 2021
 * events go to the dead-letter queue or failure destination at once, or are dropped. With a cap, a
 * throttled event is tried again until it is too old; a failed one until its retries are used up.
 */
export function asyncSavedS(
  refusal: Refusal,
  { retries, ageMaxS }: { readonly retries: number; readonly ageMaxS: number },
): number {
  if (refusal === "refused") return 0;
  if (refusal === "capped") return ageMaxS;
  const delaysS = ASYNC_DELAYS_S.slice(0, retries).reduce((sum, delayS) => sum + delayS, 0);
  return Math.min(ageMaxS, delaysS);
}

export interface QueueSettings {
  readonly visibilityS: number;
  /** `maxReceiveCount`; null = the queue has no dead-letter queue. */
  readonly receivesMax: number | null;
  readonly retentionS: number;
}

/**
 * The same for a queue before the function. A refused message is received again after
 * each visibility timeout, and leaves for the dead-letter queue at the receive after the last one
 * allowed. Without a dead-letter queue it stays until its retention is over.
 */
export function messageSavedS({ visibilityS, receivesMax, retentionS }: QueueSettings): number {
  return receivesMax === null ? retentionS : Math.min(retentionS, visibilityS * receivesMax);
}

export interface StreamSettings {
  /** null = as often as it takes. */
  readonly retriesMax: number | null;
  /** null = as old as the stream keeps it. */
  readonly ageMaxS: number | null;
  readonly retentionS: number;
}

/**
 * The same for a stream. A throttled record is tried again until it is too old: neither retries nor
 * bisecting count, and one that waits for its mapping to be switched on ages alike. A failing batch
 * uses its retries up within seconds.
 */
export function recordSavedS(refusal: Refusal, settings: StreamSettings): number {
  const { retriesMax, ageMaxS, retentionS } = settings;
  if (refusal === "failing" && retriesMax !== null) return 0;
  return Math.min(ageMaxS ?? retentionS, retentionS);
}

/** Of arrivals by whole second, those due in [fromS, toS), parts of a second in proportion. */
export function arrivalsBetween(perSecond: readonly number[], fromS: number, toS: number): number {
  let sum = 0;
  for (let s = Math.max(0, Math.floor(fromS)); s < Math.min(perSecond.length, toS); s++) {
    const share = Math.min(toS, s + 1) - Math.max(fromS, s);
    sum += (perSecond[s] ?? 0) * Math.max(0, share);
  }
  return sum;
}

/**
 * What is lost of events that come all the time: those of the fault [fromS, toS) that are not
 * within its last `savedS`. A backlog that was there when it began is lost when nothing of it is.
 */
export function lostOf(
  events: {
    /** Of the plan, by second of the run. */
    readonly planned: readonly number[];
    /** Of others. */
    readonly perSecond: number;
    readonly backlog: number;
  },
  { fromS, toS, savedS }: { readonly fromS: number; readonly toS: number; readonly savedS: number },
): { readonly planned: number; readonly others: number } {
  const endS = toS - savedS;
  if (endS < fromS) return { planned: 0, others: 0 };
  return {
    planned: Math.round(arrivalsBetween(events.planned, fromS, endS)),
    others: Math.round(events.backlog + events.perSecond * (endS - fromS)),
  };
}

/** What reserving leaves to the functions without a reservation; less than 100 AWS refuses. */
export function poolLeft(unreserved: number, prior: number | null, to: number): number {
  return unreserved + (prior ?? 0) - to;
}
