// Wakes the sender when the next arrival is due: by a timer thread, by spinning, or by Node's
// timers.
import { Worker } from "node:worker_threads";
import { builtFile } from "../core/built-file.ts";
import { type RunUs, US_PER_MS } from "../core/time.ts";
import type { Pacer } from "./pacer.ts";
import { DUE, ORDER, SHARED_BYTES, STOP } from "./timer-thread.ts";

/**
 * `thread`: a thread that sleeps precisely; the default. `spin`: asks the clock on every turn of
 * the
 * loop, a whole core for a lag of microseconds on an idle machine. `timeout`: Node's timers, a
 * millisecond late; for rates where that does not matter.
 */
export type PacingMode = "thread" | "spin" | "timeout";

export interface PacingOptions {
  readonly now: () => RunUs;
  readonly mode: PacingMode;
}

/**
 * Wakes at or after the asked moment, never before. Each function has one wake-up outstanding:
 * asking again with the same function moves it, another function has its own. A wake-up that is
 * owed keeps the process alive, as a timer would; after disposal none is.
 */
export interface OwnPacer extends Pacer, AsyncDisposable {}

export function createPacer(options: PacingOptions): OwnPacer {
  const { now, mode } = options;
  return new AlarmPacer(now, (ring) => {
    if (mode === "thread") return new ThreadAlarm(ring);
    return mode === "spin" ? new SpinAlarm(now, ring) : new TimeoutAlarm(ring);
  });
}

/** Rings once, about when it was set for; setting it again replaces the earlier setting. */
interface Alarm extends AsyncDisposable {
  /** `leftUs` > 0 from now. */
  set(atUs: number, leftUs: number): void;
  clear(): void;
}

interface WakeUp {
  atUs: number;
  readonly wake: () => void;
}

const NEVER = Number.POSITIVE_INFINITY;

class AlarmPacer implements OwnPacer {
  private readonly now: () => RunUs;
  private readonly alarm: Alarm;
  /** As many as there are loads: a list is faster than anything ordered. */
  private readonly owed: WakeUp[] = [];
  private setForUs = NEVER;
  private immediate: NodeJS.Immediate | null = null;

  constructor(now: () => RunUs, alarmOf: (ring: () => void) => Alarm) {
    this.now = now;
    this.alarm = alarmOf(() => this.ring());
  }

  wakeAt(atUs: RunUs, wake: () => void): void {
    const known = this.owed.find((one) => one.wake === wake);
    if (known === undefined) this.owed.push({ atUs, wake });
    else known.atUs = atUs;
    this.setAlarm();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.owed.length = 0;
    this.setAlarm();
    await this.alarm[Symbol.asyncDispose]();
  }

  private setAlarm(): void {
    let atUs = NEVER;
    for (const one of this.owed) if (one.atUs < atUs) atUs = one.atUs;
    if (atUs === this.setForUs) return;
    this.setForUs = atUs;
    if (this.immediate !== null) clearImmediate(this.immediate);
    this.immediate = null;
    const leftUs = atUs - this.now();
    if (leftUs === NEVER) this.alarm.clear();
    else if (leftUs > 0) this.alarm.set(atUs, leftUs);
    else this.immediate = setImmediate(() => this.ring()); // due already, yet never synchronously
  }

  private ring(): void {
    const { setForUs } = this;
    this.setForUs = NEVER;
    this.immediate = null;
    // A ring may be early (Node's timers) or late for a setting that was replaced: the clock says.
    const now = this.now();
    if (setForUs <= now) this.wakeDue(now);
    this.setAlarm();
    if (this.setForUs === NEVER) this.alarm.clear();
  }

  private wakeDue(now: RunUs): void {
    const due = this.owed.filter((one) => one.atUs <= now);
    if (due.length > 1) due.sort((a, b) => a.atUs - b.atUs);
    for (const one of due) this.owed.splice(this.owed.indexOf(one), 1);
    for (const one of due) one.wake();
  }
}

const NS_PER_US = 1_000n;

/**
 * The thread answers by `postMessage`. `Atomics.waitAsync` in its place gave the same lag (0.08 to
 * 0.11 ms at p50, Node 20) and took a fifth more CPU time an arrival at 10,000/s.
 */
class ThreadAlarm implements Alarm {
  private readonly shared = new SharedArrayBuffer(SHARED_BYTES);
  private readonly cells = new Int32Array(this.shared);
  private readonly due = new BigInt64Array(this.shared);
  private readonly worker: Worker;
  private order = 0;
  private holding = false;

  constructor(ring: () => void) {
    this.worker = new Worker(builtFile("./timer-thread.js", import.meta.url), {
      workerData: { timer: this.shared },
      execArgv: [], // flags of the parent, such as --input-type, are not for this file
    });
    this.worker.on("message", (order: number) => {
      if (order === this.order) ring();
    });
    this.worker.unref();
  }

  set(_atUs: number, leftUs: number): void {
    this.hold(true);
    const dueNs = process.hrtime.bigint() + BigInt(Math.ceil(leftUs)) * NS_PER_US;
    Atomics.store(this.due, DUE, dueNs);
    this.give();
  }

  clear(): void {
    this.hold(false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    Atomics.store(this.cells, STOP, 1);
    this.give();
    await this.worker.terminate();
  }

  private give(): void {
    this.order = (this.order + 1) | 0;
    Atomics.store(this.cells, ORDER, this.order);
    Atomics.notify(this.cells, ORDER);
  }

  private hold(holding: boolean): void {
    if (holding === this.holding) return;
    this.holding = holding;
    if (holding) this.worker.ref();
    else this.worker.unref();
  }
}

class SpinAlarm implements Alarm {
  private readonly now: () => RunUs;
  private readonly ring: () => void;
  private immediate: NodeJS.Immediate | null = null;
  private atUs = NEVER;

  constructor(now: () => RunUs, ring: () => void) {
    this.now = now;
    this.ring = ring;
  }

  set(atUs: number): void {
    this.atUs = atUs;
    this.immediate ??= setImmediate(() => this.turn());
  }

  clear(): void {
    if (this.immediate !== null) clearImmediate(this.immediate);
    this.immediate = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.clear();
  }

  private turn(): void {
    this.immediate = null;
    if (this.now() >= this.atUs) this.ring();
    else this.set(this.atUs);
  }
}

/** Node's timers are 32-bit milliseconds; ringing once an hour is as good. */
const TIMER_MS_MAX = 3_600_000;

class TimeoutAlarm implements Alarm {
  private readonly ring: () => void;
  private timer: NodeJS.Timeout | null = null;

  constructor(ring: () => void) {
    this.ring = ring;
  }

  set(_atUs: number, leftUs: number): void {
    this.clear();
    this.timer = setTimeout(this.ring, Math.min(Math.ceil(leftUs / US_PER_MS), TIMER_MS_MAX));
  }

  clear(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.clear();
  }
}
