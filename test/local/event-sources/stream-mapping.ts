// A stream, a mapping and a scripted function in virtual time.
import { KinesisMapping } from "../../../src/local/event-sources/kinesis-mapping.ts";
import {
  KINESIS_MAPPING_DEFAULTS,
  type KinesisMappingSpec,
} from "../../../src/local/event-sources/kinesis-spec.ts";
import type { InvokeOutcome } from "../../../src/local/function-host.ts";
import { hashOfKey } from "../../../src/local/kinesis/hash-range.ts";
import { KinesisMetrics } from "../../../src/local/kinesis/kinesis-metrics.ts";
import { StreamTable } from "../../../src/local/kinesis/stream-table.ts";
import { MetricStore } from "../../../src/local/metrics/store.ts";
import { SHARD_LIMITS } from "../../../src/model/shard-limits.ts";
import { TestClock } from "../../support/test-clock.ts";

export interface Batch {
  readonly atMs: number;
  readonly keys: readonly string[];
  readonly event: { readonly Records: readonly { readonly [member: string]: unknown }[] };
}

/** What the function does with a batch; a number is how long it takes before it is done. */
export type Script = (keys: readonly string[], invoke: number) => Promise<Partial<InvokeOutcome>>;

export const OK: Partial<InvokeOutcome> = { kind: "ok", payload: "null" };
export const FAILS: Partial<InvokeOutcome> = { kind: "function-error", payload: "{}" };
export const THROTTLED: Partial<InvokeOutcome> = { kind: "throttled" };

/** Fails as a whole when one of these keys is in the batch. */
export const poisonedBy =
  (...poison: string[]): Script =>
  async (keys) =>
    keys.some((key) => poison.includes(key)) ? FAILS : OK;

const BLANK: InvokeOutcome = {
  requestId: "11111111-0000-4000-8000-000000000000",
  kind: "ok",
  reason: "",
  payload: "null",
  executedVersion: "$LATEST",
  tail: "",
};

export class StreamBench {
  readonly clock = new TestClock();
  readonly streams: StreamTable;
  readonly mapping: KinesisMapping;
  readonly batches: Batch[] = [];
  readonly failures: { readonly queue: string; readonly body: { [member: string]: unknown } }[] =
    [];
  readonly ages: number[] = [];
  running = 0;
  runningMax = 0;

  constructor(
    script: Script,
    spec: Partial<KinesisMappingSpec> = {},
    { shards = 1, retentionHours = 24 } = {},
  ) {
    const [account, region] = ["000000000000", "eu-west-1"];
    this.streams = new StreamTable({
      clock: this.clock,
      account,
      region,
      limits: SHARD_LIMITS,
      metrics: new KinesisMetrics(new MetricStore()),
    });
    const settings = { shardCount: shards, retentionHours, maxRecordBytes: 1_048_576 };
    const { arn: streamArn } = this.streams.create("clicks", settings, true);
    this.mapping = new KinesisMapping(
      {
        ...KINESIS_MAPPING_DEFAULTS,
        uuid: "u",
        streamArn,
        functionName: "count",
        startingPosition: { type: "TRIM_HORIZON" },
        ...spec,
      },
      {
        clock: this.clock,
        region,
        streams: this.streams,
        invoke: (_, text) => this.#invoke(text, script),
        functionArn: (name) => `arn:aws:lambda:${region}:${account}:function:${name}`,
        roleArn: `arn:aws:iam::${account}:role/local`,
        send: (queue, body) => this.failures.push({ queue, body: JSON.parse(body) }),
        iteratorAge: (_name, ageMs) => this.ages.push(ageMs),
      },
    );
  }

  put(...keys: string[]): string[] {
    const stream = this.streams.get("clicks")!;
    return keys.map((partitionKey) => {
      const shard = stream.shardOf(hashOfKey(partitionKey));
      const record = { partitionKey, data: "", sizeBytes: partitionKey.length };
      return this.streams.put(stream, shard, record, this.streams.now())!.sequenceNumber;
    });
  }

  /** `at: keys` of every batch so far, and forgets them. */
  seen(): string[] {
    return this.batches.splice(0).map(({ atMs, keys }) => `${atMs}: ${keys.join("")}`);
  }

  async #invoke(text: string, script: Script): Promise<InvokeOutcome> {
    const event = JSON.parse(text) as Batch["event"];
    const keys = event.Records.map(
      ({ kinesis }) => (kinesis as { partitionKey: string }).partitionKey,
    );
    this.batches.push({ atMs: this.clock.nowUs() / 1_000, keys, event });
    this.runningMax = Math.max(this.runningMax, ++this.running);
    try {
      return { ...BLANK, ...(await script(keys, this.batches.length)) };
    } finally {
      this.running--;
    }
  }
}
