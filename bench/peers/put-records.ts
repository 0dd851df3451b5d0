// One client that puts records in a closed loop: records and CPU time of a measured span, as JSON.
// usage: put-records.js <ours|sdk|sdk-http1> <port> <connections> <warm-up ms> <measured ms>
import { CreateStreamCommand, KinesisClient, PutRecordsCommand } from "@aws-sdk/client-kinesis";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { FAKE_CREDENTIALS } from "../../src/aws/identity.ts";
import type { ItemCall } from "../../src/core/arrival.ts";
import { US_PER_S } from "../../src/core/time.ts";
import { systemClock } from "../../src/run/clock.ts";
import { kinesisStreamTarget } from "../../src/targets/kinesis-stream.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const [client = "", port = "", ...numbers] = process.argv.slice(2);
const [connections = 2, warmUpMs = 500, measuredMs = 2_000] = numbers.map(Number);
const endpoint = `http://127.0.0.1:${port}`;
const region = "eu-west-1";
const clock = systemClock();

/** As many records in a call as there may be, of a kilobyte each. */
const RECORDS = 500;
const DATA = Buffer.alloc(1_024, "x");
const KEYS = Array.from({ length: RECORDS }, (_, i) => `article-${i}`);

const seen = { records: 0, failed: 0, all: 0 };

function counted(stored: number): void {
  seen.records += stored;
  seen.all += RECORDS;
  seen.failed += RECORDS - stored;
}

function ours(): () => void {
  const credentials = async () => FAKE_CREDENTIALS;
  const options = { stream: "clicks", endpoint, region, credentials, clock, timeoutUs: 10_000_000 };
  const target = kinesisStreamTarget(options);
  const calls = KEYS.map((key): ItemCall => ({ kind: "item", key, data: DATA }));
  const slot = (): void =>
    target.sendBatch(calls, (answers) => {
      let stored = 0;
      for (const { outcome } of answers) if (outcome === "ok") stored++;
      counted(stored);
      slot();
    });
  return slot;
}

function sdk(more: { requestHandler?: NodeHttpHandler }): () => void {
  const config = { endpoint, region, maxAttempts: 1, credentials: FAKE_CREDENTIALS, ...more };
  const kinesis = new KinesisClient(config);
  const Records = KEYS.map((PartitionKey) => ({ PartitionKey, Data: DATA }));
  const slot = async (): Promise<void> => {
    for (;;) {
      const command = new PutRecordsCommand({ StreamName: "clicks", Records });
      const { FailedRecordCount = 0 } = await kinesis.send(command);
      counted(RECORDS - FailedRecordCount);
    }
  };
  return () => void slot();
}

const CLIENTS: { readonly [name: string]: () => () => void } = {
  ours,
  sdk: () => sdk({}),
  "sdk-http1": () => sdk({ requestHandler: new NodeHttpHandler() }),
};

/** kinesalite has no stream yet; the other servers say that there is one. */
async function ensureStream(): Promise<void> {
  const config = { endpoint, region, maxAttempts: 1, credentials: FAKE_CREDENTIALS };
  const kinesis = new KinesisClient({ ...config, requestHandler: new NodeHttpHandler() });
  const create = new CreateStreamCommand({ StreamName: "clicks", ShardCount: 4 });
  await kinesis.send(create).catch(() => {});
  kinesis.destroy();
}

await ensureStream();
const slot = CLIENTS[client]?.();
if (slot === undefined) throw new Error(`no such client: ${client}`);
for (let i = 0; i < connections; i++) slot();
setTimeout(() => {
  seen.records = 0;
  const startUs = clock.nowUs();
  const cpu = process.cpuUsage();
  setTimeout(() => {
    const { user, system } = process.cpuUsage(cpu);
    const seconds = (clock.nowUs() - startUs) / US_PER_S;
    const { records, failed, all } = seen;
    const perCpuSecond = records / ((user + system) / US_PER_S);
    console.log(JSON.stringify({ perSecond: records / seconds, perCpuSecond, failed, all }));
    process.exit(0);
  }, measuredMs);
}, warmUpMs);
