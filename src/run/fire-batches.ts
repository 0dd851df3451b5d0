// One load of a batch target in one worker: whole calls are sent, each of their items is booked.
import type { Answer, Arrival, Batch, BatchTarget } from "../core/arrival.ts";
import { type FireDeps, type FireLoad, type Flight, shareOf } from "./fire-load.ts";
import { type Held, InFlight } from "./in-flight.ts";
import { LoadLoop } from "./load-loop.ts";
import { backoffUs, isResent, type Waiting } from "./resend.ts";

/** Items of one call that are sent again, together: nobody waits for a call of one record each. */
interface WaitingCall {
  readonly items: readonly Waiting[];
  readonly readyUs: number;
}

type OpenCall = readonly Flight[];

/** Calls, of many items each. */
const TURN_MAX = 64;

/**
 * As `fire` for single calls, with these differences: an arrival's attempt is ready when its batch
 * is (full, or lingered), so that waiting for others is no lag; of one call only the items that
 * failed are sent again, in a call of their own after one backoff. The in-flight limit counts
 * items; of a batch that does not fit the rest is dropped.
 */
export class BatchLoop extends LoadLoop<Batch, WaitingCall> {
  readonly #target: BatchTarget;
  readonly #open = new InFlight<OpenCall>();
  #openItems = 0;

  constructor(load: FireLoad, deps: FireDeps, batching: NonNullable<FireLoad["batching"]>) {
    const batches = batching.form(shareOf(load.arrivals, load.share));
    super(load, deps, batches[Symbol.iterator]() as Iterator<Batch, undefined>, TURN_MAX);
    this.#target = batching.target;
  }

  protected get open(): number {
    return this.#open.size;
  }

  protected readyUsOf({ readyUs }: Batch): number {
    return readyUs;
  }

  protected sendNext({ arrivals, readyUs }: Batch): void {
    const room = this.#room();
    for (const arrival of arrivals.slice(room)) this.ledger.dropped(arrival, "in-flight");
    this.#send(arrivals.slice(0, room), 1, readyUs);
  }

  protected sendAgain({ items, readyUs }: WaitingCall): void {
    const room = this.#room();
    for (const waiting of items.slice(room)) this.ledger.givenUp(waiting);
    const sent = items.slice(0, room);
    this.#send(
      sent.map(({ arrival }) => arrival),
      sent[0]?.attempt ?? 0,
      readyUs,
    );
  }

  protected dropStopped({ arrivals }: Batch): void {
    for (const arrival of arrivals) this.ledger.dropped(arrival, "stopped");
  }

  protected giveUp({ items }: WaitingCall): void {
    for (const waiting of items) this.ledger.givenUp(waiting);
  }

  protected abandonOpen(): void {
    for (const flights of this.#open) for (const flight of flights) this.ledger.unfinished(flight);
    this.#open.clear();
    this.#openItems = 0;
  }

  #room(): number {
    return Math.max(0, this.load.inFlightMax - this.#openItems);
  }

  #send(arrivals: readonly Arrival[], attempt: number, readyUs: number): void {
    if (arrivals.length === 0) return;
    const askedUs = this.deps.clock.nowUs();
    const flights = arrivals.map((arrival): Flight => ({ arrival, attempt, readyUs, askedUs }));
    const held = this.#open.add(flights);
    this.#openItems += flights.length;
    this.lastUs = askedUs;
    for (const flight of flights) this.ledger.began(flight);
    this.#target.sendBatch(
      arrivals.map(({ call }) => call),
      (answers) => this.guarded(() => this.#done(held, answers)),
    );
  }

  #done(held: Held<OpenCall>, answers: readonly Answer[]): void {
    if (!this.#open.remove(held)) return;
    const flights = held.item;
    this.#openItems -= flights.length;
    const again: Waiting[] = [];
    flights.forEach((flight, position) => {
      const answer = answers[position]!;
      this.ledger.answered(flight, answer);
      const { outcome, degraded, doneUs } = answer;
      const { arrival, attempt } = flight;
      if (this.stopping || !isResent(this.load.resend, attempt, outcome)) {
        this.ledger.settled(arrival, outcome, degraded, doneUs);
        return;
      }
      const last = { outcome, degraded, doneUs };
      again.push({ arrival, attempt: attempt + 1, readyUs: doneUs, last });
    });
    if (again.length === 0) return void this.endIfAllIsSaid();
    this.#wait(again);
    this.rearm();
  }

  /** One backoff for all: drawn by the first of them. */
  #wait(items: readonly Waiting[]): void {
    const { arrival, attempt, last } = items[0]!;
    const { resend } = this.load;
    if (resend === null) throw new Error("nothing is sent again without a policy");
    const waitUs = backoffUs(resend, this.deps.rng, arrival.index, attempt - 1);
    this.resends.push({ items, readyUs: last.doneUs + waitUs });
  }
}
