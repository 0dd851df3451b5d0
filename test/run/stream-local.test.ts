// A stream offered twice its limit, over HTTP: what it takes, and that nothing is lost.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetRecordsCommand, GetShardIteratorCommand, KinesisClient } from "@aws-sdk/client-kinesis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FAKE_CREDENTIALS } from "../../src/aws/identity.ts";
import type { Answer, Arrival } from "../../src/core/arrival.ts";
import { seededRng } from "../../src/core/rng.ts";
import { runUs } from "../../src/core/time.ts";
import { PUT_RECORDS, putRecords } from "../../src/drivers/put-records.ts";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";
import { systemClock } from "../../src/run/clock.ts";
import { fire } from "../../src/run/fire.ts";
import { liveBuffer, loadCounters } from "../../src/run/live-counters.ts";
import { createPacer } from "../../src/run/pacing.ts";
import type { AttemptKey } from "../../src/run/recorder.ts";
import { kinesisStreamTarget } from "../../src/targets/kinesis-stream.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const TEMPLATE =
  "Transform: AWS::Serverless-2016-10-31\nResources:\n  Clicks:\n" +
  "    Type: AWS::Kinesis::Stream\n    Properties: { Name: clicks, ShardCount: 1 }\n";

let folder: string;
let local: LocalAws;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatecrash-stream-"));
  const template = join(folder, "template.yaml");
  writeFileSync(template, TEMPLATE);
  local = await startLocalAws({ template, scale: 0.1 }); // 100 records a second
});
afterAll(async () => {
  await local.stop();
  rmSync(folder, { recursive: true });
});

const OFFERED_PER_SECOND = 200;
const SECONDS = 3;
const RATE_PER_SECOND = 100;

function* offered(): Generator<Arrival> {
  for (let index = 0; index < OFFERED_PER_SECOND * SECONDS; index++) {
    const data = Buffer.from(`event ${index}`);
    const dueUs = runUs((index * 1_000_000) / OFFERED_PER_SECOND);
    yield { index, dueUs, route: 0, call: { kind: "item", key: `${index}`, data } };
  }
}

async function storedRecords() {
  const credentials = { accessKeyId: "A", secretAccessKey: "b" };
  const client = new KinesisClient({ endpoint: local.endpoint, region: "eu-west-1", credentials });
  const { ShardIterator } = await client.send(
    new GetShardIteratorCommand({
      StreamName: "clicks",
      ShardId: "shardId-000000000000",
      ShardIteratorType: "TRIM_HORIZON",
    }),
  );
  const { Records = [] } = await client.send(new GetRecordsCommand({ ShardIterator }));
  client.destroy();
  return Records.map(({ Data, SequenceNumber, ApproximateArrivalTimestamp }) => ({
    text: Buffer.from(Data ?? []).toString(),
    sequence: SequenceNumber,
    atMs: ApproximateArrivalTimestamp?.getTime() ?? 0,
  }));
}

it("takes its bucket and its rate; the rest is refused by index and stored in the end, once", async () => {
  const clock = systemClock();
  await using pacer = createPacer({ now: () => clock.nowUs(), mode: "timeout" });
  await using target = kinesisStreamTarget({
    stream: "clicks",
    endpoint: local.endpoint,
    region: "eu-west-1",
    credentials: async () => FAKE_CREDENTIALS,
    clock,
    timeoutUs: 5_000_000,
  });
  const rows: { readonly key: AttemptKey; readonly answer: Answer }[] = [];
  const form = putRecords({ ...PUT_RECORDS, lingerUs: 50_000 });
  const resend = {
    attempts: 100,
    on: ["throttled"],
    backoffUs: 100_000,
    maxUs: 400_000,
    jitter: "full",
  } as const;
  const load = {
    ...{ code: 0, arm: 0, share: { index: 0, of: 1 }, closed: null },
    ...{ arrivals: offered(), target, batching: { target, form }, resend },
    ...{ inFlightMax: 10_000, graceUs: 5_000_000 },
  };
  await fire(load, {
    ...{ clock, pacer, rng: seededRng(1), stopped: () => false },
    counters: loadCounters([1], liveBuffer([1]))[0]!,
    recorder: { attempt: (key, answer) => rows.push({ key, answer }), dropped: () => {} },
  }).ended;

  const stored = await storedRecords();
  const startMs = stored[0]!.atMs;
  for (const [count, { atMs }] of stored.entries()) {
    const seconds = 1 + (atMs - startMs + 1) / 1_000;
    expect(count + 1).toBeLessThanOrEqual(Math.ceil(RATE_PER_SECOND * seconds));
  }
  expect(rows.some(({ answer }) => answer.outcome === "throttled")).toBe(true);
  const texts = stored.map(({ text }) => text);
  expect(new Set(texts).size).toBe(OFFERED_PER_SECOND * SECONDS);
  expect(texts.length).toBe(OFFERED_PER_SECOND * SECONDS);
  const told = rows.filter(({ answer }) => answer.outcome === "ok");
  expect(
    told.map(({ key, answer }) => `event ${key.index} ${answer.item?.sequence}`).sort(),
  ).toEqual(stored.map(({ text, sequence }) => `${text} ${sequence}`).sort());
}, 30_000);
