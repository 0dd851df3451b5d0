// What a driver wants done (Arrival), what a target does once (Call → Answer).
import type { Outcome, Reason, Refuser } from "./outcome.ts";
import type { RunUs } from "./time.ts";

/** One HTTP request, raw: the path keeps the capture's own encoding, query included. */
export interface HttpCall {
  readonly kind: "http";
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | null;
}

/** One synchronous or asynchronous Lambda invoke. */
export interface InvokeCall {
  readonly kind: "invoke";
  readonly payload: Uint8Array;
}

/** One item of a batch target: a Kinesis record or an SQS message. */
export interface ItemCall {
  readonly kind: "item";
  readonly key: string;
  readonly data: Uint8Array;
}

export type Call = HttpCall | InvokeCall | ItemCall;

/**
 * One thing the plan wants done. Drivers yield these ordered by `dueUs`, `index` from 0 without
 * gaps.
 */
export interface Arrival {
  readonly index: number;
  /** Intended send time. */
  readonly dueUs: RunUs;
  /** Position in the load's route list; 0 is `""` (no route). */
  readonly route: number;
  readonly call: Call;
  /**
   * Identity for the ledger: event id and cell, read from the payload's own fields; absent without
   * a ledger.
   */
  readonly ledger?: EventIdentity;
  /** What the recorded system answered; only in a replay of a capture that says so. */
  readonly recorded?: { readonly status: number | null; readonly latencyUs: number | null };
  /** All events of a packed record, `ledger` the first of them; absent: there is no other. */
  readonly events?: readonly EventIdentity[];
}

/** An event, and the aggregate that it counts in. */
export interface EventIdentity {
  readonly id: string;
  readonly cell: string;
}

/** When and what: pure, ordered, the same seed gives the same arrivals. */
export interface Driver {
  readonly name: string;
  arrivals(): Iterable<Arrival>;
}

/** How one attempt ended. Times are of the run's clock; `-1` = never. */
export interface Answer {
  readonly outcome: Exclude<Outcome, "dropped">;
  readonly refusedBy: Refuser;
  readonly reason: Reason;
  /** An ok answer that says it is second best (`degraded:` of the load). */
  readonly degraded: boolean;
  /** HTTP status, 0 = none. */
  readonly status: number;
  readonly sentUs: RunUs;
  readonly firstByteUs: RunUs;
  readonly doneUs: RunUs;
  /** Time spent connecting and in the TLS handshake for this attempt; 0 on a reused connection. */
  readonly connectUs: number;
  readonly tlsUs: number;
  readonly bytesOut: number;
  readonly bytesIn: number;
  readonly newConnection: boolean;
  /**
   * The front's or the service's request id as it came (`apigw-requestid`, `x-amzn-requestid`), or
   * "".
   */
  readonly requestId: string;
  /** How long the answer asks to wait before the next attempt, ms; absent = it does not. */
  readonly retryAfterMs?: number | undefined;
  /** Of the function, where the answer names it: a number, 0 = `$LATEST`; absent = it does not. */
  readonly version?: number | undefined;
  /** For an item of a batch target; times, status and bytes above are those of its call. */
  readonly item?: ItemAnswer | undefined;
}

/** Where an item was in the call that carried it, and where it ended. */
export interface ItemAnswer {
  /** Number of the call in its target, from 0. */
  readonly call: number;
  readonly position: number;
  /** Items in the call. */
  readonly items: number;
  /** Number of the shard that stored it; −1 = not stored, or not known. */
  readonly shard: number;
  /** Sequence number, or message id; "" = not stored, or not known. */
  readonly sequence: string;
}

/**
 * How: one attempt. A refusal is an answer; `done` is called exactly once and never synchronously.
 */
export interface Target extends AsyncDisposable {
  send(call: Call, done: (answer: Answer) => void): void;
  /** Attempts on the wire now. */
  readonly inFlight: number;
  /** Attempts not sent for want of something of this machine (ports, file handles, memory). */
  readonly ownFailures?: number;
}

/** A target whose calls carry several items; `answers` are in the order of `calls`. */
export interface BatchTarget extends Target {
  sendBatch(calls: readonly Call[], done: (answers: readonly Answer[]) => void): void;
}

/** Arrivals that go out in one call. */
export interface Batch {
  readonly arrivals: readonly Arrival[];
  /** When the batch is full, or its first arrival has waited for as long as it may. */
  readonly readyUs: RunUs;
}

/** Pure, as drivers are: the batches of one worker's arrivals, in the order of `readyUs`. */
export type FormBatches = (arrivals: Iterable<Arrival>) => Iterable<Batch>;
