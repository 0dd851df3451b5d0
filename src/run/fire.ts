// One load in one worker: sends what is due, when it is due, and lets nothing pass unrecorded.
import type { Answer, Arrival } from "../core/arrival.ts";
import type { RunUs } from "../core/time.ts";
import { NEVER } from "./alarm.ts";
import { BatchLoop } from "./fire-batches.ts";
import {
  type ClosedLoop,
  type FireDeps,
  type FireLoad,
  type Firing,
  type Flight,
  shareOf,
} from "./fire-load.ts";
import { type Held, InFlight } from "./in-flight.ts";
import { LoadLoop } from "./load-loop.ts";
import { isResent, type Waiting, waitUs } from "./resend.ts";

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

class FireLoop extends LoadLoop<Arrival, Waiting> {
  readonly #open = new InFlight<Flight>();

  constructor(load: FireLoad, deps: FireDeps) {
    super(load, deps, shareOf(load.arrivals, load.share), TURN_MAX);
  }

  protected get open(): number {
    return this.#open.size;
  }

  protected readyUsOf({ dueUs }: Arrival): number {
    return dueUs;
  }

  protected sendNext(arrival: Arrival): void {
    if (this.#isFull()) this.ledger.dropped(arrival, "in-flight");
    else this.#send(arrival, 1, arrival.dueUs);
  }

  protected sendAgain(waiting: Waiting): void {
    if (this.#isFull()) this.ledger.givenUp(waiting);
    else this.#send(waiting.arrival, waiting.attempt, waiting.readyUs);
  }

  protected dropStopped(arrival: Arrival): void {
    this.ledger.dropped(arrival, "stopped");
  }

  protected giveUp(waiting: Waiting): void {
    this.ledger.givenUp(waiting);
  }

  protected abandonOpen(): void {
    for (const flight of this.#open) this.ledger.unfinished(flight);
    this.#open.clear();
  }

  protected override sendReady(nowUs: RunUs): void {
    const { closed } = this.load;
    if (closed === null) super.sendReady(nowUs);
    else this.#fillSlots(closed, nowUs);
  }

  protected override wakeUs(nowUs: RunUs): number {
    const { closed } = this.load;
    if (closed === null) return super.wakeUs(nowUs);
    if (nowUs < closed.fromUs) return closed.fromUs;
    const isFull = this.#open.size >= closed.connections; // then a reply brings the next turn
    if (isFull) return this.next === undefined ? this.graceEndUs() : closed.untilUs;
    return this.next === undefined ? (this.resends.peek()?.readyUs ?? NEVER) : nowUs;
  }

  #isFull(): boolean {
    return this.#open.size >= this.load.inFlightMax;
  }

  #fillSlots(closed: ClosedLoop, nowUs: RunUs): void {
    if (nowUs < closed.fromUs) return;
    if (nowUs >= closed.untilUs) this.next = undefined;
    for (let i = 0; i < this.turnMax && this.#open.size < closed.connections; i++) {
      const resendUs = this.resends.peek()?.readyUs ?? NEVER;
      if (resendUs <= nowUs) this.sendAgain(this.resends.pop()!);
      else if (this.next === undefined) return;
      else {
        const dueUs = this.deps.clock.nowUs();
        this.#send({ ...this.next, dueUs }, 1, dueUs);
        this.advance();
      }
    }
  }

  #send(arrival: Arrival, attempt: number, readyUs: number): void {
    const askedUs = this.deps.clock.nowUs();
    const flight: Flight = { arrival, attempt, readyUs, askedUs };
    const held = this.#open.add(flight);
    this.lastUs = askedUs;
    this.ledger.began(flight);
    this.load.target.send(arrival.call, (answer) => this.guarded(() => this.#done(held, answer)));
  }

  #done(held: Held<Flight>, answer: Answer): void {
    if (!this.#open.remove(held)) return;
    const flight = held.item;
    this.ledger.answered(flight, answer);
    const { outcome, degraded, doneUs, retryAfterMs } = answer;
    const { resend, closed } = this.load;
    if (!this.stopping && resend !== null && isResent(resend, flight.attempt, outcome)) {
      const { arrival, attempt } = flight;
      const readyUs = doneUs + waitUs(resend, this.deps.rng, arrival.index, attempt, retryAfterMs);
      const last = { outcome, degraded, doneUs };
      this.resends.push({ arrival, attempt: attempt + 1, readyUs, last });
      this.rearm();
    } else {
      this.ledger.settled(flight.arrival, outcome, degraded, doneUs);
    }
    if (closed !== null) this.turn(this.deps.clock.nowUs());
    else this.endIfAllIsSaid();
  }
}
