// Local Kinesis on a port of its own in virtual time, and an unmodified SDK client for it.
import { KinesisClient } from "@aws-sdk/client-kinesis";
import { createWorld } from "../../../src/local/create-world.ts";
import { dispatcher } from "../../../src/local/dispatch.ts";
import type { StreamTable } from "../../../src/local/kinesis/stream-table.ts";
import { DEFAULTS } from "../../../src/local/options.ts";
import { listen } from "../../../src/local/wire/listener.ts";
import type { World } from "../../../src/local/world.ts";
import { TestClock } from "../../support/test-clock.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

export interface VirtualKinesis extends AsyncDisposable {
  readonly endpoint: string;
  readonly client: KinesisClient;
  readonly clock: TestClock;
  readonly streams: StreamTable;
  readonly metrics: World["metrics"];
  /** A stream that is ACTIVE at once. */
  stream(name: string, shardCount: number): void;
}

export async function startVirtualKinesis(): Promise<VirtualKinesis> {
  const clock = new TestClock();
  const options = { ...DEFAULTS, template: "" };
  const { region } = options;
  const world = createWorld(options, clock);
  const { streams, metrics } = world;
  const listener = await listen(0, dispatcher(world));
  const endpoint = `http://127.0.0.1:${listener.port}`;
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
  const client = new KinesisClient({ endpoint, region, maxAttempts: 1, credentials });
  return {
    endpoint,
    client,
    clock,
    streams,
    metrics,
    stream: (name, shardCount) => {
      streams.create(name, { shardCount, retentionHours: 24, maxRecordBytes: 1_048_576 }, true);
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await listener.close();
    },
  };
}
