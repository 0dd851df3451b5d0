// One shard: records in the order they came, its limits, and what is too old to keep.
import {
  SecondBucket,
  type ShardLimits,
  ShardReads,
  ShardWrites,
} from "../../model/shard-limits.ts";
import type { HashRange } from "./hash-range.ts";
import { SequenceWriter } from "./sequence-number.ts";

export interface Moment {
  readonly us: number;
  readonly epochMs: number;
}

export interface NewRecord {
  readonly partitionKey: string;
  /** Base64, as it travels. */
  readonly data: string;
  /** Decoded data and the key. */
  readonly sizeBytes: number;
}

export interface StoredRecord extends NewRecord {
  /** From 1, without gaps. */
  readonly position: number;
  readonly sequenceNumber: string;
  readonly arrivedEpochMs: number;
}

/** GetShardIterator: five calls per second and shard. */
const ITERATORS_PER_SECOND = 5;
/** The list is cut when this much of it is no longer needed. */
const CUT_AFTER = 10_000;

export class Shard {
  readonly id: string;
  readonly index: number;
  readonly range: HashRange;
  readonly createdS: number;
  readonly writes: ShardWrites;
  readonly reads: ShardReads;
  readonly iterators = new SecondBucket(ITERATORS_PER_SECOND);
  /** Data and keys of the records that are still here. */
  keptBytes = 0;
  readonly #sequence: SequenceWriter;
  #records: StoredRecord[] = [];
  /** Records before it in the list are gone. */
  #head = 0;
  #nextPosition = 1;

  constructor(index: number, range: HashRange, createdS: number, limits: ShardLimits) {
    this.id = shardIdOf(index);
    this.index = index;
    this.range = range;
    this.createdS = createdS;
    this.writes = new ShardWrites(limits);
    this.reads = new ShardReads(limits);
    this.#sequence = new SequenceWriter(createdS, index);
  }

  get startingSequenceNumber(): string {
    return this.#sequence.at(0, this.createdS);
  }

  /** The position that the next record will have. */
  get tip(): number {
    return this.#nextPosition;
  }

  /** The first position that is still here; the tip when nothing is. */
  get horizon(): number {
    return this.#nextPosition - (this.#records.length - this.#head);
  }

  put({ partitionKey, data, sizeBytes }: NewRecord, epochMs: number): StoredRecord {
    const position = this.#nextPosition++;
    const secondS = Math.max(this.createdS, Math.floor(epochMs / 1_000));
    const sequenceNumber = this.#sequence.at(position, secondS);
    const arrivedEpochMs = epochMs;
    const record = { position, sequenceNumber, partitionKey, data, sizeBytes, arrivedEpochMs };
    this.#records.push(record);
    this.keptBytes += sizeBytes;
    return record;
  }

  /** From `position` on; at least one record where there is one, however large. */
  read(position: number, max: number, maxBytes: number): StoredRecord[] {
    const from = this.#listIndex(position);
    let until = from;
    let sizeBytes = 0;
    while (until < this.#records.length && until - from < max) {
      sizeBytes += this.#records[until]!.sizeBytes;
      if (sizeBytes > maxBytes && until > from) break;
      until++;
    }
    return this.#records.slice(from, until);
  }

  /** The record there, or undefined: not yet, or no longer. */
  at(position: number): StoredRecord | undefined {
    return position < this.horizon ? undefined : this.#records[this.#listIndex(position)];
  }

  /** The first record that arrived at `epochMs` or later; the tip when there is none. */
  positionAt(epochMs: number): number {
    let low = this.#head;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#records[middle]!.arrivedEpochMs < epochMs) low = middle + 1;
      else high = middle;
    }
    return this.#nextPosition - (this.#records.length - low);
  }

  /** How far behind the tip somebody is who reads on at `position`. */
  millisBehind(position: number, nowEpochMs: number): number {
    const next = this.at(Math.max(position, this.horizon));
    return next === undefined ? 0 : Math.max(0, nowEpochMs - next.arrivedEpochMs);
  }

  /** Forgets what arrived before `epochMs`. */
  trim(epochMs: number): void {
    while (this.#records[this.#head] !== undefined) {
      if (this.#records[this.#head]!.arrivedEpochMs >= epochMs) return;
      this.forget(1);
    }
  }

  /** Forgets the oldest `count` records. */
  forget(count: number): void {
    const end = Math.min(this.#records.length, this.#head + count);
    for (; this.#head < end; this.#head++) this.keptBytes -= this.#records[this.#head]!.sizeBytes;
    if (this.#head < CUT_AFTER || this.#head * 2 < this.#records.length) return;
    this.#records = this.#records.slice(this.#head);
    this.#head = 0;
  }

  #listIndex(position: number): number {
    const index = this.#records.length - (this.#nextPosition - position);
    return Math.min(this.#records.length, Math.max(this.#head, index));
  }
}

export const shardIdOf = (index: number): string => `shardId-${String(index).padStart(12, "0")}`;

/** `shardId-000000000003`, or its number alone; null = no shard id. */
export function shardIndexOf(id: string): number | null {
  const digits = /^(?:shardId-)?(\d{1,12})$/.exec(id)?.[1];
  return digits === undefined ? null : Number(digits);
}
