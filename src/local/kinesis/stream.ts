// One stream: its settings, its shards, and which of them a hash belongs to.
import type { ShardLimits } from "../../model/shard-limits.ts";
import { evenRanges } from "./hash-range.ts";
import { type Moment, Shard } from "./shard.ts";

export interface StreamSettings {
  readonly shardCount: number;
  readonly retentionHours: number;
  /** Data and key of one record, at most. */
  readonly maxRecordBytes: number;
}

/** A stream's defaults, as CreateStream has them. */
export const STREAM_DEFAULTS = { retentionHours: 24, maxRecordKib: 1_024 } as const;
const MS_PER_HOUR = 3_600_000;

export type StreamStatus = "CREATING" | "ACTIVE" | "DELETING";

export class Stream {
  readonly name: string;
  readonly arn: string;
  readonly settings: StreamSettings;
  readonly createdEpochMs: number;
  readonly shards: readonly Shard[];
  readonly #activeFromUs: number;
  #deleting = false;

  constructor(
    name: string,
    arn: string,
    settings: StreamSettings,
    made: { readonly at: Moment; readonly activeFromUs: number; readonly limits: ShardLimits },
  ) {
    this.name = name;
    this.arn = arn;
    this.settings = settings;
    this.createdEpochMs = made.at.epochMs;
    this.#activeFromUs = made.activeFromUs;
    const createdS = Math.floor(made.at.epochMs / 1_000);
    this.shards = evenRanges(settings.shardCount).map(
      (range, index) => new Shard(index, range, createdS, made.limits),
    );
  }

  status(nowUs: number): StreamStatus {
    if (this.#deleting) return "DELETING";
    return nowUs < this.#activeFromUs ? "CREATING" : "ACTIVE";
  }

  beginDeletion(): void {
    this.#deleting = true;
  }

  /** The shard whose range holds a hash (32 hexadecimal digits). */
  shardOf(hashHex: string): Shard {
    let low = 0;
    let high = this.shards.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.shards[middle]!.range.startHex <= hashHex) low = middle;
      else high = middle - 1;
    }
    return this.shards[low]!;
  }

  /** What is older than the retention period is gone. */
  trim(shard: Shard, nowEpochMs: number): void {
    shard.trim(nowEpochMs - this.settings.retentionHours * MS_PER_HOUR);
  }
}
