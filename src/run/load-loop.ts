// The life of one load in one worker: turns at their times, a stop, a grace, an end.
import type { RunUs } from "../core/time.ts";
import { Alarm, NEVER } from "./alarm.ts";
import { type FireDeps, type FireLoad, type Firing, graceEndUs } from "./fire-load.ts";
import { Ledger } from "./ledger.ts";
import { ResendQueue } from "./resend.ts";

/**
 * `Next` is what the plan wants sent: an arrival, or a batch of them. `Again` is what is sent once
 * more. Nothing is decided here about how either is sent.
 */
export abstract class LoadLoop<Next, Again extends { readonly readyUs: number }> implements Firing {
  readonly ended: Promise<void>;
  protected readonly load: FireLoad;
  protected readonly deps: FireDeps;
  protected readonly ledger: Ledger;
  protected readonly resends = new ResendQueue<Again>();
  protected next: Next | undefined;
  /** The grace counts from here: the last send, or the stop. */
  protected lastUs = 0;
  protected stopping = false;
  readonly #plan: Iterator<Next, undefined>;
  readonly #alarm: Alarm;
  /** Sends or drops in one turn before replies are read again. */
  protected readonly turnMax: number;
  #over = false;
  #resolve: () => void = () => {};
  #reject: (reason: unknown) => void = () => {};

  constructor(load: FireLoad, deps: FireDeps, plan: Iterator<Next, undefined>, turnMax: number) {
    this.load = load;
    this.deps = deps;
    this.ledger = new Ledger(load, deps.recorder, deps.counters);
    this.#plan = plan;
    this.turnMax = turnMax;
    this.#alarm = new Alarm(deps.clock, deps.pacer, (nowUs) =>
      this.guarded(() => this.turn(nowUs)),
    );
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** When the plan, or the wait for others of its batch, allows it to be sent. */
  protected abstract readyUsOf(next: Next): number;
  /** Sends it, or drops it at the in-flight limit. */
  protected abstract sendNext(next: Next): void;
  protected abstract sendAgain(again: Again): void;
  protected abstract dropStopped(next: Next): void;
  protected abstract giveUp(again: Again): void;
  /** Calls on the wire. */
  protected abstract get open(): number;
  /** The grace is over: what is on the wire is recorded as unfinished. */
  protected abstract abandonOpen(): void;

  start(): void {
    this.guarded(() => {
      this.advance();
      this.rearm();
    });
  }

  stop(): void {
    this.guarded(() => {
      this.#beginStop();
      this.#alarm.set(this.deps.clock.nowUs());
    });
  }

  /** A bug in a driver or a target ends the run; a failing system never comes here. */
  protected guarded(step: () => void): void {
    if (this.#over) return;
    try {
      step();
    } catch (bug) {
      this.#over = true;
      this.#reject(bug);
    }
  }

  protected advance(): void {
    this.next = this.#plan.next().value;
  }

  protected turn(nowUs: RunUs): void {
    if (this.deps.stopped()) this.#beginStop();
    if (this.stopping) this.#dropRest();
    else this.sendReady(nowUs);
    if (this.next === undefined && nowUs >= this.graceEndUs()) this.abandonOpen();
    this.rearm();
  }

  /** In the order of their times. */
  protected sendReady(nowUs: RunUs): void {
    for (let i = 0; i < this.turnMax; i++) {
      const nextUs = this.#nextUs();
      const againUs = this.resends.peek()?.readyUs ?? NEVER;
      if (Math.min(nextUs, againUs) > nowUs) return;
      if (againUs < nextUs) this.sendAgain(this.resends.pop()!);
      else {
        this.sendNext(this.next!);
        this.advance();
      }
    }
  }

  /** When there is something to send again, and nothing was stopped. */
  protected wakeUs(_nowUs: RunUs): number {
    return Math.min(this.#nextUs(), this.resends.peek()?.readyUs ?? NEVER);
  }

  protected graceEndUs(): number {
    return graceEndUs(this.load, this.lastUs, this.stopping);
  }

  protected endIfAllIsSaid(): boolean {
    if (!this.#nothingToSend() || this.open > 0) return false;
    this.#over = true;
    this.#resolve();
    return true;
  }

  protected rearm(): void {
    if (this.endIfAllIsSaid()) return;
    const nowUs = this.deps.clock.nowUs();
    if (this.#nothingToSend()) this.#alarm.set(this.graceEndUs());
    else this.#alarm.set(this.stopping ? nowUs : this.wakeUs(nowUs));
  }

  #nextUs(): number {
    return this.next === undefined ? NEVER : this.readyUsOf(this.next);
  }

  #nothingToSend(): boolean {
    return this.next === undefined && this.resends.size === 0;
  }

  #beginStop(): void {
    if (this.stopping) return;
    this.stopping = true;
    this.lastUs = this.deps.clock.nowUs();
  }

  /** After a stop: resends are given up, what is due later dropped, a turn's worth at a time. */
  #dropRest(): void {
    for (let rest = this.resends.pop(); rest !== undefined; rest = this.resends.pop())
      this.giveUp(rest);
    if (this.load.closed !== null) this.next = undefined;
    for (let i = 0; i < this.turnMax && this.next !== undefined; i++) {
      this.dropStopped(this.next);
      this.advance();
    }
  }
}
