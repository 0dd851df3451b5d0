// A segment of items in memory, and the recorder that fills it beside the attempts.

import type { Answer, ItemAnswer } from "../core/arrival.ts";
import { SEGMENT_MAX_AGE_MS, SEGMENT_ROWS } from "../core/facts.ts";
import {
  ITEM_INTS,
  type ItemInt,
  type ItemSegment,
  SEQUENCE_LENGTH_MAX,
} from "../core/item-facts.ts";
import { outcomeCode, reasonCode, refuserCode } from "../core/outcome.ts";
import { US_PER_MS } from "../core/time.ts";

const INT_BYTES = 4;
export const SEQUENCE_BYTES = SEQUENCE_LENGTH_MAX + 1;

/** Bytes of the one ArrayBuffer below a segment of `capacity` rows; it changes threads whole. */
export const itemSegmentBytes = (capacity: number): number =>
  capacity * (ITEM_INTS.length * INT_BYTES + SEQUENCE_BYTES);

/** Lays a segment over a new or used buffer, which is not cleared: rows are written whole. */
export function itemSegmentOver(buffer: ArrayBuffer, capacity = SEGMENT_ROWS): ItemSegment {
  const column = (i: number) => new Int32Array(buffer, i * capacity * INT_BYTES, capacity);
  const ints = Object.fromEntries(ITEM_INTS.map((name, i) => [name, column(i)]));
  const sequencesAt = ITEM_INTS.length * capacity * INT_BYTES;
  return {
    rows: 0,
    ints: ints as { [name in ItemInt]: Int32Array },
    sequences: new Uint8Array(buffer, sequencesAt, capacity * SEQUENCE_BYTES),
  };
}

/** An empty segment, and where a full one goes. */
export interface ItemSource {
  take(): ItemSegment;
  give(segment: ItemSegment): void;
}

export interface ItemKey {
  readonly load: number;
  readonly index: number;
  readonly attempt: number;
}

export class ItemRecorder {
  rows = 0;
  readonly #worker: number;
  readonly #source: ItemSource;
  #segment: ItemSegment;
  #openedUs = 0;

  constructor(worker: number, source: ItemSource) {
    this.#worker = worker;
    this.#source = source;
    this.#segment = source.take();
  }

  item({ load, index, attempt }: ItemKey, answer: Answer, item: ItemAnswer): void {
    if (this.#segment.rows >= SEGMENT_ROWS) this.flush();
    if (this.#segment.rows === 0) this.#openedUs = answer.doneUs;
    const { ints, sequences } = this.#segment;
    const row = this.#segment.rows++;
    this.rows++;
    ints.load[row] = load;
    ints.index[row] = index;
    ints.attempt[row] = attempt;
    ints.call[row] = item.call;
    ints.position[row] = item.position;
    ints.outcome[row] = outcomeCode(answer.outcome);
    ints.refused_by[row] = refuserCode(answer.refusedBy);
    ints.error[row] = reasonCode(answer.reason);
    ints.shard[row] = item.shard;
    ints.worker[row] = this.#worker;
    putSequence(sequences, row * SEQUENCE_BYTES, item.sequence);
  }

  /** As the attempts' recorder does; to be called idle, too. */
  flushAged(nowUs: number): void {
    if (nowUs - this.#openedUs >= SEGMENT_MAX_AGE_MS * US_PER_MS) this.flush();
  }

  flush(): void {
    if (this.#segment.rows === 0) return;
    this.#source.give(this.#segment);
    this.#segment = this.#source.take();
  }
}

function putSequence(into: Uint8Array, at: number, sequence: string): void {
  const { length } = sequence;
  if (length > SEQUENCE_LENGTH_MAX) {
    into[at] = 0;
    return;
  }
  into[at] = length;
  for (let i = 0; i < length; i++) into[at + 1 + i] = sequence.charCodeAt(i);
}
