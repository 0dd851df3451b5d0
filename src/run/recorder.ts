// Rows of facts on the hot path: written into typed arrays, handed on whole, nothing allocated.
import type { Answer } from "../core/arrival.ts";
import { type AttemptSegment, SEGMENT_MAX_AGE_MS, SEGMENT_ROWS } from "../core/facts.ts";
import { outcomeCode, type Reason, reasonCode, refuserCode } from "../core/outcome.ts";
import { US_PER_MS } from "../core/time.ts";
import type { ItemRecorder } from "./item-segment.ts";
import { putRequestId, REQUEST_ID_BYTES } from "./segment.ts";

/** Who an attempt is; the times are the plan's. */
export interface AttemptKey {
  readonly load: number;
  readonly arm: number;
  readonly route: number;
  readonly index: number;
  /** 1 = first send. */
  readonly attempt: number;
  readonly dueUs: number;
  readonly readyUs: number;
  /** When `send` was called: stands in for `sentUs` of an attempt that got nothing on the wire. */
  readonly askedUs: number;
}

/** Synchronous; never throws, never blocks. */
export interface Recorder {
  attempt(key: AttemptKey, answer: Answer): void;
  /** An arrival that was never sent: one row with `attempt = 0`. */
  dropped(key: Omit<AttemptKey, "attempt" | "askedUs" | "readyUs">, reason: Reason): void;
}

export interface SegmentSource {
  /** An empty segment, from the pool of used ones if there is one. */
  take(): AttemptSegment;
  /** A filled segment; it is not touched again. */
  give(segment: AttemptSegment): void;
}

const INT32_MAX = 0x7fff_ffff;
/** A row may be due this long before its segment's first (Lambda's longest run: 15 min). */
const BASE_MARGIN_US = 900_000_000;
const NEVER = -1;
const DROPPED = outcomeCode("dropped");

export class SegmentRecorder implements Recorder {
  /** Rows handed on or in the open segment. */
  rows = 0;
  /** Differences beyond INT32 (35 min) that were cut to the largest value. */
  clamped = 0;
  readonly #worker: number;
  readonly #source: SegmentSource;
  readonly #items: ItemRecorder | null;
  #segment: AttemptSegment;
  #openedUs = 0;

  /** `items` gets a row for every answer of an item; without it they are in the attempts only. */
  constructor(worker: number, source: SegmentSource, items: ItemRecorder | null = null) {
    this.#worker = worker;
    this.#source = source;
    this.#items = items;
    this.#segment = source.take();
  }

  attempt(key: AttemptKey, answer: Answer): void {
    const sentUs = answer.sentUs >= 0 ? answer.sentUs : key.askedUs;
    const row = this.#open(key, answer.doneUs >= 0 ? answer.doneUs : key.askedUs);
    const { ints, requestIds } = this.#segment;
    const firstUs = answer.firstByteUs;
    ints.attempt[row] = key.attempt;
    ints.ready_d[row] = this.#difference(key.readyUs, key.dueUs);
    ints.sent_d[row] = this.#difference(sentUs, key.readyUs);
    ints.first_d[row] = firstUs < 0 ? NEVER : this.#difference(firstUs, sentUs);
    const beforeDoneUs = firstUs < 0 ? sentUs : firstUs;
    ints.done_d[row] = answer.doneUs < 0 ? NEVER : this.#difference(answer.doneUs, beforeDoneUs);
    ints.connect[row] = answer.connectUs;
    ints.tls[row] = answer.tlsUs;
    ints.outcome[row] = outcomeCode(answer.outcome);
    ints.refused_by[row] = refuserCode(answer.refusedBy);
    ints.error[row] = reasonCode(answer.reason);
    ints.degraded[row] = answer.degraded ? 1 : 0;
    ints.status[row] = answer.status;
    ints.bytes_out[row] = answer.bytesOut;
    ints.bytes_in[row] = answer.bytesIn;
    ints.new_connection[row] = answer.newConnection ? 1 : 0;
    ints.version[row] = answer.version ?? NEVER;
    ints.retry_after[row] = answer.retryAfterMs ?? NEVER;
    putRequestId(requestIds, row * REQUEST_ID_BYTES, answer.requestId);
    const { item } = answer;
    if (item === undefined) return;
    ints.items[row] = item.items;
    this.#items?.item(key, answer, item);
  }

  dropped(key: Omit<AttemptKey, "attempt" | "askedUs" | "readyUs">, reason: Reason): void {
    const row = this.#open(key, key.dueUs);
    const { ints, requestIds } = this.#segment;
    ints.attempt[row] = 0;
    ints.ready_d[row] = 0;
    ints.sent_d[row] = NEVER;
    ints.first_d[row] = NEVER;
    ints.done_d[row] = NEVER;
    ints.connect[row] = 0;
    ints.tls[row] = 0;
    ints.outcome[row] = DROPPED;
    ints.refused_by[row] = 0;
    ints.error[row] = reasonCode(reason);
    ints.degraded[row] = 0;
    ints.status[row] = 0;
    ints.bytes_out[row] = 0;
    ints.bytes_in[row] = 0;
    ints.new_connection[row] = 0;
    ints.version[row] = NEVER;
    ints.retry_after[row] = NEVER;
    putRequestId(requestIds, row * REQUEST_ID_BYTES, "");
  }

  /** Hands the open segment on when it is older than SEGMENT_MAX_AGE_MS; to be called idle, too. */
  flushAged(nowUs: number): void {
    this.#items?.flushAged(nowUs);
    if (nowUs - this.#openedUs >= SEGMENT_MAX_AGE_MS * US_PER_MS) this.#cut();
  }

  /** Hands on whatever is open, the items' segment too. */
  flush(): void {
    this.#items?.flush();
    this.#cut();
  }

  #cut(): void {
    if (this.#segment.rows === 0) return;
    this.#source.give(this.#segment);
    this.#segment = this.#source.take();
  }

  /** The next row, its identity filled in; cuts the segment when it is full or its base too far. */
  #open(key: Omit<AttemptKey, "attempt" | "askedUs" | "readyUs">, atUs: number): number {
    if (this.#segment.rows >= SEGMENT_ROWS) this.#cut();
    let dueD = key.dueUs - this.#segment.baseUs;
    if (this.#segment.rows === 0 || dueD < 0 || dueD > INT32_MAX) {
      this.#cut();
      this.#segment.baseUs = Math.max(0, key.dueUs - BASE_MARGIN_US);
      this.#openedUs = atUs;
      dueD = key.dueUs - this.#segment.baseUs;
    }
    const { ints } = this.#segment;
    const row = this.#segment.rows++;
    this.rows++;
    ints.load[row] = key.load;
    ints.arm[row] = key.arm;
    ints.route[row] = key.route;
    ints.index[row] = key.index;
    ints.items[row] = 1;
    ints.due_d[row] = dueD;
    ints.worker[row] = this.#worker;
    return row;
  }

  /** Never negative, so that −1 keeps its meaning; never beyond INT32. */
  #difference(laterUs: number, earlierUs: number): number {
    const us = laterUs - earlierUs;
    if (us <= INT32_MAX) return Math.max(us, 0);
    this.clamped++;
    return INT32_MAX;
  }
}
