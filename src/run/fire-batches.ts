// One load of a batch target in one worker: whole calls are sent, each of their items is booked.
import type { Answer, Arrival, Batch, BatchTarget } from "../core/arrival.ts";
import type { RunUs } from "../core/time.ts";
import { Alarm, NEVER } from "./alarm.ts";
import type { FireDeps, FireLoad, Firing, Flight } from "./fire-load.ts";
import { graceEndUs, shareOf } from "./fire-load.ts";
import { Ledger } from "./ledger.ts";
import { backoffUs, isResent, ResendQueue, type Waiting } from "./resend.ts";

/** Items of one call that are sent again, together: nobody waits for a call of one record each. */
interface WaitingCall {
  readonly items: readonly Waiting[];
  readonly readyUs: number;
}

type OpenCall = readonly Flight[];

/** Calls in one turn before replies are read again. */
const TURN_MAX = 64;

/**
 * As `fire` for single calls, with these differences: an arrival's attempt is ready when its batch
 * is (full, or lingered), so that waiting for others is no lag; of one call only the items that
 * failed are sent again, in a call of their own after one backoff. The in-flight limit counts
 * items; of a batch that does not fit the rest is dropped.
 */
export class BatchLoop implements Firing {
  readonly ended: Promise<void>;
  readonly #load: FireLoad;
  readonly #deps: FireDeps;
  readonly #target: BatchTarget;
  readonly #ledger: Ledger;
  readonly #alarm: Alarm;
  readonly #batches: Iterator<Batch, undefined>;
  readonly #resends = new ResendQueue<WaitingCall>();
  readonly #open = new Set<OpenCall>();
  #openItems = 0;
  #next: Batch | undefined;
  /** The grace counts from here: the last send, or the stop. */
  #lastUs = 0;
  #stopping = false;
  #over = false;
  #resolve: () => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor(load: FireLoad, deps: FireDeps, batching: NonNullable<FireLoad["batching"]>) {
    this.#load = load;
    this.#deps = deps;
    this.#target = batching.target;
    this.#ledger = new Ledger(load, deps.recorder, deps.counters);
    this.#alarm = new Alarm(deps.clock, deps.pacer, (nowUs) =>
      this.#guarded(() => this.#turn(nowUs)),
    );
    const batches = batching.form(shareOf(load.arrivals, load.share));
    this.#batches = batches[Symbol.iterator]() as Iterator<Batch, undefined>;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  start(): void {
    this.#guarded(() => {
      this.#advance();
      this.#rearm();
    });
  }

  stop(): void {
    this.#guarded(() => {
      this.#beginStop();
      this.#alarm.set(this.#deps.clock.nowUs());
    });
  }

  /** A bug in a driver or a target ends the run; a failing system never comes here. */
  #guarded(step: () => void): void {
    if (this.#over) return;
    try {
      step();
    } catch (bug) {
      this.#over = true;
      this.#reject(bug);
    }
  }

  #beginStop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#lastUs = this.#deps.clock.nowUs();
  }

  #advance(): void {
    this.#next = this.#batches.next().value;
  }

  #turn(nowUs: RunUs): void {
    if (this.#deps.stopped()) this.#beginStop();
    if (this.#stopping) this.#dropRest();
    else this.#sendReady(nowUs);
    if (this.#next === undefined && nowUs >= graceEndUs(this.#load, this.#lastUs, this.#stopping))
      this.#abandonOpen();
    this.#rearm();
  }

  #sendReady(nowUs: RunUs): void {
    for (let i = 0; i < TURN_MAX; i++) {
      const batchUs = this.#next?.readyUs ?? NEVER;
      const resendUs = this.#resends.peek()?.readyUs ?? NEVER;
      if (Math.min(batchUs, resendUs) > nowUs) return;
      if (resendUs < batchUs) this.#resend(this.#resends.pop()!);
      else this.#sendOrDrop(this.#next!);
    }
  }

  #sendOrDrop({ arrivals, readyUs }: Batch): void {
    const room = this.#room();
    for (const arrival of arrivals.slice(room)) this.#ledger.dropped(arrival, "in-flight");
    this.#send(arrivals.slice(0, room), 1, readyUs);
    this.#advance();
  }

  #resend({ items, readyUs }: WaitingCall): void {
    const room = this.#room();
    for (const waiting of items.slice(room)) this.#ledger.givenUp(waiting);
    const sent = items.slice(0, room);
    this.#send(
      sent.map(({ arrival }) => arrival),
      sent[0]?.attempt ?? 0,
      readyUs,
    );
  }

  #room(): number {
    return Math.max(0, this.#load.inFlightMax - this.#openItems);
  }

  #send(arrivals: readonly Arrival[], attempt: number, readyUs: number): void {
    if (arrivals.length === 0) return;
    const askedUs = this.#deps.clock.nowUs();
    const flights = arrivals.map((arrival): Flight => ({ arrival, attempt, readyUs, askedUs }));
    this.#open.add(flights);
    this.#openItems += flights.length;
    this.#lastUs = askedUs;
    for (const flight of flights) this.#ledger.began(flight);
    this.#target.sendBatch(
      arrivals.map(({ call }) => call),
      (answers) => this.#guarded(() => this.#done(flights, answers)),
    );
  }

  #done(flights: OpenCall, answers: readonly Answer[]): void {
    if (!this.#open.delete(flights)) return;
    this.#openItems -= flights.length;
    const again: Waiting[] = [];
    flights.forEach((flight, position) => {
      const answer = answers[position]!;
      this.#ledger.answered(flight, answer);
      const { outcome, degraded, doneUs } = answer;
      const { arrival, attempt } = flight;
      if (this.#stopping || !isResent(this.#load.resend, attempt, outcome)) {
        this.#ledger.settled(arrival, outcome, degraded, doneUs);
        return;
      }
      const last = { outcome, degraded, doneUs };
      again.push({ arrival, attempt: attempt + 1, readyUs: doneUs, last });
    });
    if (again.length === 0) return void this.#endIfAllIsSaid();
    this.#wait(again);
    this.#rearm();
  }

  /** One backoff for all: drawn by the first of them. */
  #wait(items: readonly Waiting[]): void {
    const { arrival, attempt, last } = items[0]!;
    const { resend } = this.#load;
    if (resend === null) throw new Error("nothing is sent again without a policy");
    const waitUs = backoffUs(resend, this.#deps.rng, arrival.index, attempt - 1);
    this.#resends.push({ items, readyUs: last.doneUs + waitUs });
  }

  /** After a stop: resends are given up, later batches dropped, a turn's worth at a time. */
  #dropRest(): void {
    for (let rest = this.#resends.pop(); rest !== undefined; rest = this.#resends.pop())
      for (const waiting of rest.items) this.#ledger.givenUp(waiting);
    for (let i = 0; i < TURN_MAX && this.#next !== undefined; i++) {
      for (const arrival of this.#next.arrivals) this.#ledger.dropped(arrival, "stopped");
      this.#advance();
    }
  }

  #abandonOpen(): void {
    for (const flights of this.#open) for (const flight of flights) this.#ledger.unfinished(flight);
    this.#open.clear();
    this.#openItems = 0;
  }

  #nothingToSend(): boolean {
    return this.#next === undefined && this.#resends.size === 0;
  }

  #endIfAllIsSaid(): boolean {
    if (!this.#nothingToSend() || this.#open.size > 0) return false;
    this.#over = true;
    this.#resolve();
    return true;
  }

  #rearm(): void {
    if (this.#endIfAllIsSaid()) return;
    if (this.#nothingToSend())
      this.#alarm.set(graceEndUs(this.#load, this.#lastUs, this.#stopping));
    else if (this.#stopping) this.#alarm.set(this.#deps.clock.nowUs());
    else
      this.#alarm.set(
        Math.min(this.#next?.readyUs ?? NEVER, this.#resends.peek()?.readyUs ?? NEVER),
      );
  }
}
