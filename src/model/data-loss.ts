// What a fault costs in data: events dropped, messages received too often, records too old.

/** What a fault does to what a function is given: nothing is let in, or only so much at once. */
export type Refusal = "refused" | "capped";

/**
 * Seconds of the fault's end in which an asynchronous event is still saved; what came before has
 * left the queue for good. At reserved concurrency 0 nothing is kept at all: since August 2021
 * events go to the dead-letter queue or failure destination at once, or are dropped. With a cap, a
 * throttled event is tried again until it is too old.
 */
export const asyncSavedS = (refusal: Refusal, { ageMaxS }: { readonly ageMaxS: number }): number =>
  refusal === "refused" ? 0 : ageMaxS;

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
  /** null = as old as the stream keeps it. */
  readonly ageMaxS: number | null;
  readonly retentionS: number;
}

/**
 * The same for a stream: a throttled record is tried again until it is too old; neither retries nor
 * bisecting count, and one that waits for its mapping to be switched on ages alike.
 */
export const recordSavedS = ({ ageMaxS, retentionS }: StreamSettings): number =>
  Math.min(ageMaxS ?? retentionS, retentionS);

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
