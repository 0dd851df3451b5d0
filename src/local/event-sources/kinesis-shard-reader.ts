// Reads one shard for a mapping and hands its records to lanes, by partition key.
import { runUs, US_PER_S } from "../../core/time.ts";
import { READ_BYTES_MAX } from "../kinesis/get-records.ts";
import { hashOfKey } from "../kinesis/hash-range.ts";
import type { Shard } from "../kinesis/shard.ts";
import type { Stream } from "../kinesis/stream.ts";
import type { Delivery } from "./kinesis-deliver.ts";
import { waiting } from "./kinesis-event.ts";
import { Lane } from "./kinesis-lane.ts";

/** Lambda polls a shard once a second, and sooner while it is behind. */
const POLL_US = US_PER_S;
const CATCH_UP_US = US_PER_S / 5;
const READ_MAX = 10_000;
/** Batches per lane that are read ahead. */
const AHEAD = 2;

export class ShardReader {
  readonly shard: Shard;
  readonly #stream: Stream;
  readonly #delivery: Omit<Delivery, "settled">;
  readonly #lanes: readonly Lane[];
  #position: number;
  #hasRoom: () => void = () => {};

  /** Goes on at the lanes' positions `from`; one number when there were none before. */
  constructor(shard: Shard, from: readonly number[], delivery: Omit<Delivery, "settled">) {
    this.shard = shard;
    this.#stream = delivery.stream;
    this.#delivery = delivery;
    const { parallelization } = delivery.spec;
    const same = from.length === parallelization;
    const lowest = Math.min(...from);
    this.#lanes = Array.from(
      { length: parallelization },
      (_, index) => new Lane(same ? from[index]! : lowest, delivery, () => this.#hasRoom()),
    );
    this.#position = lowest;
  }

  /** Where each lane would go on. */
  get positions(): number[] {
    return this.#lanes.map(
      (lane) => lane.firstUndone ?? Math.max(lane.nextPosition, this.#position),
    );
  }

  /** Ends when the mapping was stopped and what was with the function has come back. */
  async run(): Promise<void> {
    await Promise.allSettled([this.#poll(), ...this.#lanes.map((lane) => lane.run())]);
  }

  async #poll(): Promise<void> {
    const { deps, signal } = this.#delivery;
    const { clock } = deps;
    for (;;) {
      await this.#room();
      signal.throwIfAborted();
      const nowUs = clock.nowUs();
      const caughtUp = this.#read(nowUs);
      await clock.sleepUntil(runUs(nowUs + (caughtUp ? POLL_US : CATCH_UP_US)), signal);
    }
  }

  /** One GetRecords; true when there is nothing more for now. A refused one is tried later. */
  #read(nowUs: number): boolean {
    const { spec, deps } = this.#delivery;
    const { metrics } = deps.streams;
    const nowMs = deps.clock.wallMs();
    if (!this.shard.reads.begin(nowUs)) {
      metrics.readRefused(this.#stream.name, nowMs);
      return true;
    }
    this.#stream.trim(this.shard, nowMs);
    this.#position = Math.max(this.#position, this.shard.horizon);
    const records = this.shard.read(
      this.#position,
      Math.min(READ_MAX, this.#free()),
      READ_BYTES_MAX,
    );
    const bytes = records.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    this.shard.reads.gave(bytes, nowUs);
    const newest = records.at(-1);
    const ageMs = newest === undefined ? 0 : nowMs - newest.arrivedEpochMs;
    metrics.read(this.#stream.name, nowMs, { records: records.length, bytes, ageMs });
    for (const record of records) {
      const lane = this.#laneOf(record.partitionKey);
      this.#position = record.position + 1;
      if (record.position >= lane.nextPosition)
        lane.offer(waiting(record, this.shard.id, spec, deps));
    }
    return this.#position >= this.shard.tip;
  }

  #laneOf(partitionKey: string): Lane {
    const { length } = this.#lanes;
    if (length === 1) return this.#lanes[0]!;
    return this.#lanes[Number.parseInt(hashOfKey(partitionKey).slice(-8), 16) % length]!;
  }

  #free(): number {
    const { batchMax, parallelization } = this.#delivery.spec;
    const held = this.#lanes.reduce((sum, lane) => sum + lane.waiting, 0);
    return AHEAD * batchMax * parallelization - held;
  }

  async #room(): Promise<void> {
    const { signal } = this.#delivery;
    while (this.#free() <= 0) {
      await new Promise<void>((resolve) => {
        const goOn = (): void => {
          signal.removeEventListener("abort", goOn); // else one would stay for each wait
          resolve();
        };
        this.#hasRoom = goOn;
        signal.addEventListener("abort", goOn);
      });
      signal.throwIfAborted();
    }
  }
}
