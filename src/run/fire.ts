// One load in one worker: sends what is due, when it is due, and lets nothing pass unrecorded.
import type { Answer, Arrival } from "../core/arrival.ts";
import type { RunUs } from "../core/time.ts";
import { Alarm, NEVER } from "./alarm.ts";
import { BatchLoop } from "./fire-batches.ts";
import {
  type ClosedLoop,
  type FireDeps,
  type FireLoad,
  type Firing,
  type Flight,
  graceEndUs,
  shareOf,
} from "./fire-load.ts";
import { Ledger } from "./ledger.ts";
import { backoffUs, isResent, ResendQueue, type Waiting } from "./resend.ts";

/** Sends or drops in one turn before replies are read again. */
const TURN_MAX = 512;

/**
 * Starts at once; the first send is at the first due time. The schedule is absolute: what is late
 * is sent at once, neither spread out nor left out. A resend that is ready while the load is at its
 * in-flight limit is not made, and the arrival keeps its last outcome (counted as given up): to
 * wait would hide the wait, to send would break the limit.
 */
export function fire(load: FireLoad, deps: FireDeps): Firing {
  const { batching } = load;
  const loop =
    batching === undefined ? new FireLoop(load, deps) : new BatchLoop(load, deps, batching);
  loop.start();
  return loop;
}

class FireLoop implements Firing {
  readonly ended: Promise<void>;
  readonly #load: FireLoad;
  readonly #deps: FireDeps;
  readonly #ledger: Ledger;
  readonly #alarm: Alarm;
  readonly #arrivals: Iterator<Arrival, undefined>;
  readonly #resends = new ResendQueue();
  readonly #open = new Set<Flight>();
  #next: Arrival | undefined;
  /** The grace counts from here: the last send, or the stop. */
  #lastUs = 0;
  #stopping = false;
  #over = false;
  #resolve: () => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor(load: FireLoad, deps: FireDeps) {
    this.#load = load;
    this.#deps = deps;
    this.#ledger = new Ledger(load, deps.recorder, deps.counters);
    this.#alarm = new Alarm(deps.clock, deps.pacer, (nowUs) =>
      this.#guarded(() => this.#turn(nowUs)),
    );
    this.#arrivals = shareOf(load.arrivals, load.share);
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
    this.#next = this.#arrivals.next().value;
  }

  #turn(nowUs: RunUs): void {
    if (this.#deps.stopped()) this.#beginStop();
    if (this.#stopping) this.#dropRest();
    else if (this.#load.closed !== null) this.#fillSlots(this.#load.closed, nowUs);
    else this.#sendDue(nowUs);
    if (this.#next === undefined && nowUs >= this.#graceEndUs()) this.#abandonOpen();
    this.#rearm();
  }

  /** In the order of their times: arrivals at due, resends at ready. */
  #sendDue(nowUs: RunUs): void {
    for (let i = 0; i < TURN_MAX; i++) {
      const arrivalUs = this.#next?.dueUs ?? NEVER;
      const resendUs = this.#resends.peek()?.readyUs ?? NEVER;
      if (Math.min(arrivalUs, resendUs) > nowUs) return;
      if (resendUs < arrivalUs) this.#resend(this.#resends.pop()!);
      else this.#sendOrDrop(this.#next!);
    }
  }

  #sendOrDrop(arrival: Arrival): void {
    if (this.#open.size >= this.#load.inFlightMax) this.#ledger.dropped(arrival, "in-flight");
    else this.#send(arrival, 1, arrival.dueUs);
    this.#advance();
  }

  #resend(waiting: Waiting): void {
    const isFull = this.#open.size >= this.#load.inFlightMax;
    if (isFull) this.#ledger.givenUp(waiting);
    else this.#send(waiting.arrival, waiting.attempt, waiting.readyUs);
  }

  #fillSlots(closed: ClosedLoop, nowUs: RunUs): void {
    if (nowUs < closed.fromUs) return;
    if (nowUs >= closed.untilUs) this.#next = undefined;
    for (let i = 0; i < TURN_MAX && this.#open.size < closed.connections; i++) {
      const resendUs = this.#resends.peek()?.readyUs ?? NEVER;
      if (resendUs <= nowUs) this.#resend(this.#resends.pop()!);
      else if (this.#next === undefined) return;
      else {
        const dueUs = this.#deps.clock.nowUs();
        this.#send({ ...this.#next, dueUs }, 1, dueUs);
        this.#advance();
      }
    }
  }

  #send(arrival: Arrival, attempt: number, readyUs: number): void {
    const askedUs = this.#deps.clock.nowUs();
    const flight: Flight = { arrival, attempt, readyUs, askedUs };
    this.#open.add(flight);
    this.#lastUs = askedUs;
    this.#ledger.began(flight);
    this.#load.target.send(arrival.call, (answer) =>
      this.#guarded(() => this.#done(flight, answer)),
    );
  }

  #done(flight: Flight, answer: Answer): void {
    if (!this.#open.delete(flight)) return;
    this.#ledger.answered(flight, answer);
    const { outcome, degraded, doneUs } = answer;
    const { resend } = this.#load;
    if (!this.#stopping && resend !== null && isResent(resend, flight.attempt, outcome)) {
      const { arrival, attempt } = flight;
      const readyUs = doneUs + backoffUs(resend, this.#deps.rng, arrival.index, attempt);
      const last = { outcome, degraded, doneUs };
      this.#resends.push({ arrival, attempt: attempt + 1, readyUs, last });
      this.#rearm();
    } else {
      this.#ledger.settled(flight.arrival, outcome, degraded, doneUs);
    }
    if (this.#load.closed !== null) this.#turn(this.#deps.clock.nowUs());
    else this.#endIfAllIsSaid();
  }

  /** After a stop: resends are given up, later arrivals dropped, a turn's worth at a time. */
  #dropRest(): void {
    for (let rest = this.#resends.pop(); rest !== undefined; rest = this.#resends.pop())
      this.#ledger.givenUp(rest);
    if (this.#load.closed !== null) this.#next = undefined;
    for (let i = 0; i < TURN_MAX && this.#next !== undefined; i++) {
      this.#ledger.dropped(this.#next, "stopped");
      this.#advance();
    }
  }

  #nothingToSend(): boolean {
    return this.#next === undefined && this.#resends.size === 0;
  }

  #graceEndUs(): number {
    return graceEndUs(this.#load, this.#lastUs, this.#stopping);
  }

  #abandonOpen(): void {
    for (const flight of this.#open) this.#ledger.unfinished(flight);
    this.#open.clear();
  }

  #endIfAllIsSaid(): boolean {
    if (!this.#nothingToSend() || this.#open.size > 0) return false;
    this.#over = true;
    this.#resolve();
    return true;
  }

  #rearm(): void {
    if (!this.#endIfAllIsSaid()) this.#alarm.set(this.#nextWakeUs());
  }

  #nextWakeUs(): number {
    const nowUs = this.#deps.clock.nowUs();
    if (this.#nothingToSend()) return this.#graceEndUs();
    if (this.#stopping) return nowUs;
    const resendUs = this.#resends.peek()?.readyUs ?? NEVER;
    const { closed } = this.#load;
    if (closed === null) return Math.min(this.#next?.dueUs ?? NEVER, resendUs);
    if (nowUs < closed.fromUs) return closed.fromUs;
    const isFull = this.#open.size >= closed.connections; // then a reply brings the next turn
    if (isFull) return this.#next === undefined ? this.#graceEndUs() : closed.untilUs;
    return this.#next === undefined ? resendUs : nowUs;
  }
}
