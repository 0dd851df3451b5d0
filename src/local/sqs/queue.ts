// One standard queue: what is visible, delayed and in flight; time is given, nothing here waits.
import { randomUUID } from "node:crypto";
import { US_PER_S } from "../../core/time.ts";
import { DueHeap } from "./due-heap.ts";
import { type Message, md5, type NewMessage } from "./message.ts";
import type { QueueSettings } from "./settings.ts";

/** Received and not yet deleted, at most (AWS quota for standard queues). */
export const IN_FLIGHT_MAX = 120_000;

export interface Moment {
  readonly us: number;
  readonly epochMs: number;
}

export interface Received {
  readonly message: Message;
  readonly receipt: string;
}

export interface QueueCounts {
  readonly visible: number;
  readonly delayed: number;
  readonly inFlight: number;
}

interface Shown {
  readonly message: Message;
  readonly stamp: number;
}

/** Of the message as it is now. */
const isValid = ({ message, stamp }: Shown): boolean => stamp === message.stamp;

/**
 * A deleted message leaves its entry behind until that comes up, which with a long visibility
 * timeout is hours later: with more than half of them out of date, they are thrown away.
 */
const roomFor = (valid: number): number => 1_000 + 2 * valid;

export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly createdEpochMs: number;
  modifiedEpochMs: number;
  purgedEpochMs = Number.NEGATIVE_INFINITY;
  settings: QueueSettings;
  /** Oldest first. */
  readonly #messages = new Map<string, Message>();
  readonly #due = new DueHeap();
  #visible: Shown[] = [];
  #head = 0;
  readonly #counts = { visible: 0, delayed: 0, "in-flight": 0, gone: 0 };

  constructor(name: string, arn: string, settings: QueueSettings, createdEpochMs: number) {
    this.name = name;
    this.arn = arn;
    this.settings = settings;
    this.createdEpochMs = createdEpochMs;
    this.modifiedEpochMs = createdEpochMs;
  }

  counts(): QueueCounts {
    const { visible, delayed, "in-flight": inFlight } = this.#counts;
    return { visible, delayed, inFlight };
  }

  /** When the oldest message that is still here was sent; null when the queue is empty. */
  oldestSentEpochMs(): number | null {
    for (const message of this.#messages.values()) return message.sentEpochMs;
    return null;
  }

  send(sent: NewMessage, at: Moment, delayS: number = this.settings.delayS): Message {
    const message: Message = {
      id: randomUUID(),
      md5OfBody: md5(sent.body),
      sentEpochMs: at.epochMs,
      receiveCount: 0,
      firstReceiveEpochMs: null,
      deadLetterSource: null,
      state: "gone",
      stamp: 0,
      dueUs: 0,
      ...sent,
    };
    this.#messages.set(message.id, message);
    if (delayS === 0) this.#show(message);
    else this.#hide(message, "delayed", at.us + delayS * US_PER_S);
    return message;
  }

  /** A message of another queue: id, age and receive count stay as they were. */
  adopt(message: Message): void {
    this.#messages.set(message.id, message);
    this.#show(message);
  }

  /** What is due becomes visible, what is too old goes. Returns the number that became visible. */
  advance(at: Moment): number {
    let shown = 0;
    for (let due = this.#due.take(at.us); due !== null; due = this.#due.take(at.us)) {
      this.#show(due);
      shown++;
    }
    const oldestKept = at.epochMs - this.settings.retentionS * 1_000;
    for (const message of this.#messages.values()) {
      if (message.sentEpochMs >= oldestKept) break;
      this.remove(message);
    }
    return shown;
  }

  /** Messages that are held by an entry, once or more; for tests of what a long run leaves. */
  get entries(): number {
    return this.#visible.length + this.#due.size;
  }

  /** When the next hidden message becomes visible; null = none is hidden. */
  nextDueUs(): number | null {
    return this.#due.nextUs();
  }

  /**
   * Up to `max` visible messages, hidden for `visibilityUs` from now. What has been received
   * `maxReceiveCount` times already is handed to `giveUp` instead, where there is one.
   */
  take(
    max: number,
    visibilityUs: number,
    at: Moment,
    giveUp: ((message: Message) => void) | null,
  ): Received[] {
    this.advance(at);
    const receivesMax = this.settings.redrive?.maxReceiveCount ?? Number.POSITIVE_INFINITY;
    const taken: Received[] = [];
    while (taken.length < max && this.#counts["in-flight"] < IN_FLIGHT_MAX) {
      const message = this.#nextVisible();
      if (message === undefined) break;
      if (giveUp !== null && message.receiveCount >= receivesMax) {
        this.remove(message);
        giveUp(message);
        continue;
      }
      message.receiveCount++;
      message.firstReceiveEpochMs ??= at.epochMs;
      this.#hide(message, "in-flight", at.us + visibilityUs);
      taken.push({ message, receipt: this.#receiptOf(message) });
    }
    return taken;
  }

  /** The message of a receipt. "stale": received again since, or gone; null: never ours. */
  find(receipt: string): Message | "stale" | null {
    const [name, id, count] = Buffer.from(receipt, "base64url").toString("latin1").split("/");
    if (name !== this.name || id === undefined || !/^\d+$/.test(count ?? "")) return null;
    const message = this.#messages.get(id);
    return message === undefined || message.receiveCount !== Number(count) ? "stale" : message;
  }

  /** Hidden for `visibilityUs` from now; 0 shows it at once. */
  hideFor(message: Message, visibilityUs: number, at: Moment): void {
    if (visibilityUs === 0) this.#show(message);
    else this.#hide(message, "in-flight", at.us + visibilityUs);
  }

  remove(message: Message): void {
    this.#messages.delete(message.id);
    this.#become(message, "gone");
  }

  purge(): void {
    for (const message of this.#messages.values()) this.remove(message);
    this.#due.clear();
    this.#visible = [];
    this.#head = 0;
  }

  #receiptOf(message: Message): string {
    return Buffer.from(`${this.name}/${message.id}/${message.receiveCount}`).toString("base64url");
  }

  #nextVisible(): Message | undefined {
    for (;;) {
      const next = this.#visible[this.#head];
      if (next === undefined) {
        this.#visible = [];
        this.#head = 0;
        return undefined;
      }
      this.#head++;
      if (this.#head > 10_000 && this.#head * 2 > this.#visible.length) {
        this.#visible = this.#visible.slice(this.#head);
        this.#head = 0;
      }
      if (isValid(next)) return next.message;
    }
  }

  #show(message: Message): void {
    this.#become(message, "visible");
    this.#visible.push({ message, stamp: message.stamp });
    if (this.#visible.length - this.#head <= roomFor(this.#counts.visible)) return;
    this.#visible = this.#visible.slice(this.#head).filter(isValid);
    this.#head = 0;
  }

  #hide(message: Message, state: "delayed" | "in-flight", dueUs: number): void {
    this.#become(message, state);
    message.dueUs = dueUs;
    this.#due.add(message);
    const hidden = this.#counts.delayed + this.#counts["in-flight"];
    if (this.#due.size > roomFor(hidden)) this.#due.tidy();
  }

  #become(message: Message, state: Message["state"]): void {
    this.#counts[message.state]--;
    message.state = state;
    message.stamp++;
    this.#counts[state]++;
  }
}
