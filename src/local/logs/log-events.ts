// The events of one log group, outside the JavaScript heap: a run leaves millions of lines, and as
// objects each of them would be copied by the collector while it holds up the load.

export interface LogEvent {
  readonly atEpochMs: number;
  readonly ingestedEpochMs: number;
  readonly stream: string;
  readonly message: string;
  /** Order of arrival over all groups: ties in time keep it. */
  readonly sequence: number;
}

const SEGMENT_BITS = 10;
const SEGMENT_EVENTS = 1 << SEGMENT_BITS;
const TEXT_BYTES = 256 * 1_024;

/** Columns of events that arrived one after the other; never moved, so growing copies nothing. */
class Segment {
  readonly atEpochMs = new Float64Array(SEGMENT_EVENTS);
  readonly ingestedEpochMs = new Float64Array(SEGMENT_EVENTS);
  readonly sequence = new Float64Array(SEGMENT_EVENTS);
  readonly stream = new Int32Array(SEGMENT_EVENTS);
  readonly text = new Int32Array(SEGMENT_EVENTS);
  readonly startByte = new Int32Array(SEGMENT_EVENTS);
  readonly endByte = new Int32Array(SEGMENT_EVENTS);
}

/** Appended in order of arrival, read in order of time. */
export class LogEvents {
  #length = 0;
  readonly #segments: Segment[] = [];
  readonly #texts: Buffer[] = [];
  #textEnd = 0;
  readonly #streams: string[] = [];
  readonly #streamCodes = new Map<string, number>();
  /** Arrivals in order of time; the newest ones may be missing. */
  readonly #order: number[] = [];

  get length(): number {
    return this.#length;
  }

  add(event: LogEvent): void {
    const slot = this.#length % SEGMENT_EVENTS;
    if (slot === 0) this.#segments.push(new Segment());
    const segment = this.#segments.at(-1)!;
    segment.atEpochMs[slot] = event.atEpochMs;
    segment.ingestedEpochMs[slot] = event.ingestedEpochMs;
    segment.sequence[slot] = event.sequence;
    segment.stream[slot] = this.#codeOf(event.stream);
    const sizeBytes = Buffer.byteLength(event.message);
    const text = this.#roomFor(sizeBytes);
    text.write(event.message, this.#textEnd);
    segment.text[slot] = this.#texts.length - 1;
    segment.startByte[slot] = this.#textEnd;
    this.#textEnd += sizeBytes;
    segment.endByte[slot] = this.#textEnd;
    this.#length++;
  }

  /** The event at `index` in order of time, then of arrival. */
  at(index: number): LogEvent {
    const arrival = this.#sorted()[index]!;
    const [segment, slot] = this.#place(arrival);
    const text = this.#texts[segment.text[slot]!]!;
    return {
      atEpochMs: segment.atEpochMs[slot]!,
      ingestedEpochMs: segment.ingestedEpochMs[slot]!,
      stream: this.#streams[segment.stream[slot]!]!,
      // Read by few of those who look at an event.
      get message() {
        return text.toString("utf8", segment.startByte[slot], segment.endByte[slot]);
      },
      sequence: segment.sequence[slot]!,
    };
  }

  /** Index of the first event at or after `atEpochMs`. */
  firstAtOrAfter(atEpochMs: number): number {
    return this.#firstIn(this.#sorted(), atEpochMs);
  }

  #place(arrival: number): readonly [Segment, number] {
    return [this.#segments[arrival >>> SEGMENT_BITS]!, arrival % SEGMENT_EVENTS];
  }

  #atOf(arrival: number): number {
    const [segment, slot] = this.#place(arrival);
    return segment.atEpochMs[slot]!;
  }

  /**
   * Lines of an invocation arrive at its end, so only the part that new events reach back into is
   * sorted again.
   */
  #sorted(): readonly number[] {
    const order = this.#order;
    if (order.length === this.#length) return order;
    const fresh: number[] = [];
    let earliestMs = Number.POSITIVE_INFINITY;
    for (let arrival = order.length; arrival < this.#length; arrival++) {
      fresh.push(arrival);
      earliestMs = Math.min(earliestMs, this.#atOf(arrival));
    }
    const tail = order.splice(this.#firstIn(order, earliestMs)).concat(fresh);
    tail.sort((a, b) => this.#atOf(a) - this.#atOf(b) || a - b);
    for (const arrival of tail) order.push(arrival);
    return order;
  }

  #firstIn(order: readonly number[], atEpochMs: number): number {
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#atOf(order[middle]!) < atEpochMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #codeOf(stream: string): number {
    const found = this.#streamCodes.get(stream);
    if (found !== undefined) return found;
    const code = this.#streams.push(stream) - 1;
    this.#streamCodes.set(stream, code);
    return code;
  }

  #roomFor(sizeBytes: number): Buffer {
    const last = this.#texts.at(-1);
    if (last !== undefined && this.#textEnd + sizeBytes <= last.length) return last;
    const text = Buffer.allocUnsafeSlow(Math.max(TEXT_BYTES, sizeBytes));
    this.#texts.push(text);
    this.#textEnd = 0;
    return text;
  }
}
