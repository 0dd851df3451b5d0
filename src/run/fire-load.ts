// What firing needs to know about one load, and what it is given to work with.
import type { Arrival, BatchTarget, FormBatches, Target } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import type { Resend } from "../core/scenario.ts";
import type { Clock } from "../core/time.ts";
import type { LoadCounters } from "./live-counters.ts";
import type { Pacer } from "./pacer.ts";
import type { Recorder } from "./recorder.ts";

/** One load as a worker sees it. */
export interface FireLoad {
  /** Code of the load and of its arm in plan.json. */
  readonly code: number;
  readonly arm: number;
  /** All arrivals by due time; this worker sends those with index ≡ share.index (mod share.of). */
  readonly arrivals: Iterable<Arrival>;
  readonly share: { readonly index: number; readonly of: number };
  readonly target: Target;
  readonly resend: Resend | null;
  /** Attempts that may be on the wire at once, for this worker. */
  readonly inFlightMax: number;
  /** How long after the last send, or the stop, an answer is waited for: the load's timeout. */
  readonly graceUs: number;
  /**
   * Closed loop (`saturate`): this many at once from `fromUs` on, the next one due when one is
   * done, none from `untilUs` on; the arrivals' own due times do not count. Null: the open model.
   */
  readonly closed: ClosedLoop | null;
  /** Several arrivals go out in one call; absent: each has its own. */
  readonly batching?: { readonly target: BatchTarget; readonly form: FormBatches };
}

export interface Firing {
  /** Resolves when every arrival of this share is recorded as sent and ended, or as dropped. */
  readonly ended: Promise<void>;
  /** Sends nothing more: what is due later is dropped (stopped), what is open has its grace. */
  stop(): void;
}

export interface ClosedLoop {
  readonly connections: number;
  readonly fromUs: number;
  readonly untilUs: number;
}

export interface FireDeps {
  readonly clock: Clock;
  readonly pacer: Pacer;
  readonly recorder: Recorder;
  readonly counters: LoadCounters;
  readonly rng: Rng;
  /** Looked at on every wake-up; `Firing.stop` makes it felt at once. */
  readonly stopped: () => boolean;
}

/** One attempt on the wire. */
export interface Flight {
  readonly arrival: Arrival;
  readonly attempt: number;
  readonly readyUs: number;
  /** When the target was asked to send. */
  readonly askedUs: number;
}

/** The target's own timeout of the attempt sent last must come before the grace is over. */
const GRACE_SLACK_US = 250_000;
/** Longest wait for answers after a stop: what is open then stays unknown. */
const STOP_GRACE_US = 3_000_000;

/** Until when an answer is waited for, after the last send or the stop. */
export const graceEndUs = ({ graceUs }: FireLoad, lastUs: number, isStopped: boolean): number =>
  lastUs + (isStopped ? Math.min(graceUs, STOP_GRACE_US) : graceUs) + GRACE_SLACK_US;

/** The part of worker or slice `index` of `of`; nobody has to tell anybody anything. */
export function* shareOf(
  arrivals: Iterable<Arrival>,
  share: FireLoad["share"],
): Generator<Arrival, undefined> {
  for (const arrival of arrivals) if (arrival.index % share.of === share.index) yield arrival;
}

/** An in-flight limit split evenly; the first parts get what is left over. None may get nothing. */
export function limitOfShare(limit: number, share: FireLoad["share"]): number {
  if (limit < share.of) {
    throw new GatecrashError(
      "usage",
      `an in-flight limit of ${limit} cannot be split over ${share.of} workers`,
      { hint: "Use fewer workers or slices, or raise `limits: in-flight`." },
    );
  }
  return Math.floor(limit / share.of) + (share.index < limit % share.of ? 1 : 0);
}
