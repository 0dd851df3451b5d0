// The timeouts of a client with one timer: all have the same length, so the first sent is due
// first.
import { US_PER_MS } from "../core/time.ts";
import type { OpenExchange } from "./exchange.ts";

/** Node's timers are 32-bit milliseconds. */
const TIMER_MS_MAX = 2_147_483_647;

export class Deadlines {
  private first: OpenExchange | null = null;
  private last: OpenExchange | null = null;
  private timer: NodeJS.Timeout | null = null;
  private readonly now: () => number;
  private readonly timeoutUs: number;
  private readonly expire: (exchange: OpenExchange) => void;

  constructor(now: () => number, timeoutUs: number, expire: (exchange: OpenExchange) => void) {
    this.now = now;
    this.timeoutUs = timeoutUs;
    this.expire = expire;
  }

  add(exchange: OpenExchange): void {
    exchange.previous = this.last;
    if (this.last === null) this.first = exchange;
    else this.last.next = exchange;
    this.last = exchange;
    if (this.timer === null) this.arm(this.timeoutUs);
  }

  remove(exchange: OpenExchange): void {
    const { previous, next } = exchange;
    if (previous === null) this.first = next;
    else previous.next = next;
    if (next === null) this.last = previous;
    else next.previous = previous;
    exchange.previous = null;
    exchange.next = null;
  }

  /** The exchanges still under way, oldest first. */
  open(): OpenExchange[] {
    const all: OpenExchange[] = [];
    for (let one = this.first; one !== null; one = one.next) all.push(one);
    return all;
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  /** Rings once per timeout at most, not once per request; Node's timers may ring early. */
  private arm(afterUs: number): void {
    const ms = Math.min(Math.ceil(afterUs / US_PER_MS), TIMER_MS_MAX);
    this.timer = setTimeout(() => this.ring(), ms);
    this.timer.unref(); // the sockets keep the process alive, and without them nothing can expire
  }

  private ring(): void {
    this.timer = null;
    const now = this.now();
    while (this.first !== null && this.first.sentUs + this.timeoutUs <= now)
      this.expire(this.first);
    if (this.first !== null && this.timer === null)
      this.arm(this.first.sentUs + this.timeoutUs - now);
  }
}
