// The account's streams: by name and ARN; what they keep in memory all together.
import { type Clock, US_PER_MS } from "../../core/time.ts";
import type { ShardLimits } from "../../model/shard-limits.ts";
import type { KinesisMetrics } from "./kinesis-metrics.ts";
import type { Moment, NewRecord, Shard, StoredRecord } from "./shard.ts";
import { Stream, type StreamSettings } from "./stream.ts";

/** CREATING and DELETING last this long; AWS takes some ten seconds. */
const TRANSITION_MS = 500;
/** Beyond it the oldest records of the fullest shard go, retention or not. */
const KEPT_BYTES_MAX = 512 * 1_024 * 1_024;
/** So that it is not looked for at each record. */
const FORGET_SHARE = 0.1;

export interface StreamTableDeps {
  readonly clock: Clock;
  readonly account: string;
  readonly region: string;
  readonly limits: ShardLimits;
  readonly metrics: KinesisMetrics;
}

export class StreamTable {
  readonly account: string;
  /** Records that went for want of memory; any makes a run worthless. */
  recordsDropped = 0;
  readonly metrics: KinesisMetrics;
  readonly #deps: StreamTableDeps;
  readonly #byName = new Map<string, Stream>();
  readonly #goneAtUs = new Map<string, number>();
  /** Grows only; set right when it comes near the limit. */
  #keptBytes = 0;

  constructor(deps: StreamTableDeps) {
    this.account = deps.account;
    this.metrics = deps.metrics;
    this.#deps = deps;
  }

  now(): Moment {
    const { clock } = this.#deps;
    return { us: clock.nowUs(), epochMs: clock.wallMs() };
  }

  arn(name: string): string {
    return `arn:aws:kinesis:${this.#deps.region}:${this.#deps.account}:stream/${name}`;
  }

  /** `ready`: without its time in CREATING, as a deployed template leaves it. */
  create(name: string, settings: StreamSettings, ready = false): Stream {
    const at = this.now();
    const activeFromUs = ready ? at.us : at.us + TRANSITION_MS * US_PER_MS;
    const made = { at, activeFromUs, limits: this.#deps.limits };
    const stream = new Stream(name, this.arn(name), settings, made);
    this.#byName.set(name, stream);
    this.#goneAtUs.delete(name);
    return stream;
  }

  delete(stream: Stream): void {
    stream.beginDeletion();
    this.#goneAtUs.set(stream.name, this.now().us + TRANSITION_MS * US_PER_MS);
  }

  get(name: string): Stream | undefined {
    const goneAtUs = this.#goneAtUs.get(name);
    if (goneAtUs !== undefined && this.now().us >= goneAtUs) {
      this.#byName.delete(name);
      this.#goneAtUs.delete(name);
    }
    return this.#byName.get(name);
  }

  /** By ARN; undefined when it is no stream of this account and region. */
  byArn(arn: string): Stream | undefined {
    const name = arn.slice(arn.lastIndexOf("/") + 1);
    return this.arn(name) === arn ? this.get(name) : undefined;
  }

  /** By name, in the order of names. */
  all(): Stream[] {
    const names = [...this.#byName.keys()].sort();
    return names.map((name) => this.get(name)).filter((found) => found !== undefined);
  }

  /** Stores the record if the shard takes it now; null = refused. */
  put(stream: Stream, shard: Shard, record: NewRecord, at: Moment): StoredRecord | null {
    if (!shard.writes.take(record.sizeBytes, at.us)) return null;
    stream.trim(shard, at.epochMs);
    this.#keptBytes += record.sizeBytes;
    if (this.#keptBytes > KEPT_BYTES_MAX) this.#makeRoom();
    return shard.put(record, at.epochMs);
  }

  #makeRoom(): void {
    const shards = [...this.#byName.values()].flatMap((stream) => stream.shards);
    const kept = (): number => shards.reduce((sum, shard) => sum + shard.keptBytes, 0);
    while (kept() > KEPT_BYTES_MAX * (1 - FORGET_SHARE)) {
      const fullest = shards.reduce((a, b) => (b.keptBytes > a.keptBytes ? b : a));
      const count = Math.ceil((fullest.tip - fullest.horizon) * FORGET_SHARE);
      fullest.forget(count);
      this.recordsDropped += count;
    }
    this.#keptBytes = kept();
  }
}
