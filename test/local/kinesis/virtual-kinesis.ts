// Local Kinesis on a port of its own in virtual time, and an unmodified SDK client for it.
import { KinesisClient } from "@aws-sdk/client-kinesis";
import { createWorld } from "../../../src/local/create-world.ts";
import { dispatcher } from "../../../src/local/dispatch.ts";
import { KinesisMetrics } from "../../../src/local/kinesis/kinesis-metrics.ts";
import { StreamTable } from "../../../src/local/kinesis/stream-table.ts";
import { DEFAULTS } from "../../../src/local/options.ts";
import { listen } from "../../../src/local/wire/listener.ts";
import { SHARD_LIMITS } from "../../../src/model/shard-limits.ts";
import { TestClock } from "../../support/test-clock.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

export interface VirtualKinesis extends AsyncDisposable {
  readonly endpoint: string;
  readonly client: KinesisClient;
  readonly clock: TestClock;
  readonly streams: StreamTable;
  readonly metrics: ReturnType<typeof createWorld>["metrics"];
  /** A stream that is ACTIVE at once. */
  stream(name: string, shardCount: number): void;
}

export async function startVirtualKinesis(): Promise<VirtualKinesis> {
  const clock = new TestClock();
  const options = { ...DEFAULTS, template: "" };
  const { account, region } = options;
  const empty = createWorld(options);
  const metrics = new KinesisMetrics(empty.metrics);
  const streams = new StreamTable({ clock, account, region, limits: SHARD_LIMITS, metrics });
  const listener = await listen(0, dispatcher({ ...empty, clock, streams }));
  const endpoint = `http://127.0.0.1:${listener.port}`;
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
  const client = new KinesisClient({ endpoint, region, maxAttempts: 1, credentials });
  return {
    endpoint,
    client,
    clock,
    streams,
    metrics: empty.metrics,
    stream: (name, shardCount) => {
      streams.create(name, { shardCount, retentionHours: 24, maxRecordBytes: 1_048_576 }, true);
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await listener.close();
    },
  };
}
