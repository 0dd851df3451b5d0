// Queues of failures that others use too: a whole run deletes its own messages there, and no other.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { KinesisClient, PutRecordsCommand } from "@aws-sdk/client-kinesis";
import {
  GetQueueAttributesCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { FAKE_CREDENTIALS } from "../../src/aws/identity.ts";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";
import { Workplace } from "../support/command-line.ts";
import { HoldingProxy } from "../support/holding-proxy.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";
import { SkipClock } from "../support/skip-clock.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const FIXTURE = fileURLToPath(new URL("../fixtures/failures/", import.meta.url));
const PATIENT = { timeout: 240_000 };
const LOOK = { timeout: 90_000, interval: 50 };
const HIDDEN_MAX_MS = 400_000; // at-most and five minutes: what a killed clean-up holds back

const place = new Workplace("gatecrash-clean-up-");
const folder = join(place.dir, "failures");
cpSync(FIXTURE, folder, { recursive: true });
let clock: SkipClock;
let local: LocalAws;
let sqs: SQSClient;

beforeAll(async () => {
  clock = new SkipClock();
  local = await startLocalAws({ template: join(folder, "template.yaml") }, clock);
  const where = { endpoint: local.endpoint, region: "eu-west-1", credentials: FAKE_CREDENTIALS };
  sqs = new SQSClient({ ...where, useQueueUrlAsEndpoint: false });
});
afterAll(async () => {
  sqs.destroy();
  await local.stop();
  await place[Symbol.asyncDispose]();
});

const urlOf = (name: string): string => `${local.endpoint}/000000000000/${name}`;
const send = (queue: string, MessageBody: string) =>
  sqs.send(
    new SendMessageCommand({
      ...{ QueueUrl: urlOf(queue), MessageBody },
      MessageAttributes: { of: { DataType: "String", StringValue: "somebody else" } },
    }),
  );

/** Everything visible in a queue, by id; received and shown again at once. */
async function look(queue: string): Promise<Message[]> {
  const input = { QueueUrl: urlOf(queue), MaxNumberOfMessages: 10, VisibilityTimeout: 600 };
  const names = { MessageSystemAttributeNames: ["All"], MessageAttributeNames: ["All"] } as const;
  const found: Message[] = [];
  for (;;) {
    const command = new ReceiveMessageCommand({
      ...{ ...input, MessageSystemAttributeNames: [...names.MessageSystemAttributeNames] },
      MessageAttributeNames: [...names.MessageAttributeNames],
    });
    const { Messages = [] } = await sqs.send(command);
    if (Messages.length === 0) break;
    found.push(...Messages);
  }
  await clock.skip(700_000);
  return found.sort((a, b) => (a.MessageId! < b.MessageId! ? -1 : 1));
}

async function depth(queue: string): Promise<number> {
  const names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"] as const;
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: urlOf(queue), AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes[name]), 0);
}

/** All but what a receive changes. */
function lasting({ MessageId, Body, MD5OfBody, MessageAttributes, Attributes }: Message) {
  const { SentTimestamp, SenderId } = Attributes ?? {};
  return { MessageId, Body, MD5OfBody, MessageAttributes, SentTimestamp, SenderId };
}

const STREAM = "arn:aws:kinesis:eu-west-1:000000000000:stream/events";
const batch = (fields: object): string =>
  JSON.stringify({
    KinesisBatchInfo: {
      ...{ shardId: "shardId-000000000000", batchSize: 6, streamArn: STREAM },
      ...{ startSequenceNumber: "1", endSequenceNumber: "9".repeat(56), ...fields },
    },
  });
const STRANGE = [
  "not ours at all",
  "null",
  '{"KinesisBatchInfo":null}',
  `${"[".repeat(50_000)}`,
  batch({}),
  batch({ shardId: "shardId-000000000001" }),
  batch({ batchSize: 1e9, streamArn: `${STREAM}-2` }),
  batch({ startSequenceNumber: "9", endSequenceNumber: "1", batchSize: -1 }),
  '{"__proto__":{"KinesisBatchInfo":{}},"KinesisBatchInfo":{"shardId":{"length":1}}}',
];

describe("clean-up", PATIENT, () => {
  it("deletes what this run left, and gives everybody else's back as it was", async () => {
    for (const body of STRANGE) await send("failed", body);
    await send("dead", '{"id":"somebody else\'s","kind":"poison"}');
    const kinesis = new KinesisClient({
      ...{ endpoint: local.endpoint, region: "eu-west-1", credentials: FAKE_CREDENTIALS },
    });
    const Data = Buffer.from("poison of somebody else");
    const Records = [{ PartitionKey: "k", Data }];
    await kinesis.send(new PutRecordsCommand({ StreamName: "events", Records }));
    kinesis.destroy();
    await vi.waitFor(async () => expect(await depth("failed")).toBe(STRANGE.length + 1), LOOK);
    const before = { failed: await look("failed"), dead: await look("dead") };

    const out = join(place.dir, "run");
    const ended = await place.run("run", folder, "--endpoint", local.endpoint, "--out", out);
    expect(ended.code, ended.out + ended.err).toBe(0);

    const result = RESULT_SCHEMA.parse(JSON.parse(readFileSync(join(out, "result.json"), "utf8")));
    const done = { end: "quiet", detail: "", ours: 6, deleted: 6 };
    expect(result.clean_ups).toEqual([
      { load: "records", queue: "failed", found: 16, given_back: 10, ...done },
      { load: "orders", queue: "dead", found: 7, given_back: 1, ...done },
    ]);
    expect(ended.out.replace(/\s+/g, " ")).toContain(
      "clean-up failed: 16 found, 6 ours and deleted, 10 given back (received once more); " +
        "dead: 7 found, 6 ours and deleted, 1 given back (received once more)",
    );
    const page = readFileSync(join(out, "report.html"), "utf8");
    expect(page).toContain('<section id="clean-up"');
    const markdown = await place.run("report", out, "--format", "markdown");
    expect(markdown.out).toMatch(/\| failed \| 16 \| 6 \| 6 \| 10 \|/);
    for (const queue of ["failed", "dead"] as const) {
      const after = await look(queue);
      expect(after.map(lasting)).toEqual(before[queue].map(lasting));
      const received = ({ Attributes }: Message) => Number(Attributes?.ApproximateReceiveCount);
      expect(after.map(received)).toEqual(before[queue].map((one) => received(one) + 2));
    }
  });

  it("that is killed while it holds all back has deleted nothing", async () => {
    for (const queue of ["failed", "dead"])
      await sqs.send(new PurgeQueueCommand({ QueueUrl: urlOf(queue) }));
    await send("failed", "somebody else's");
    const out = join(place.dir, "killed");
    const args = ["run", folder, "--endpoint", local.endpoint, "--out", out, "--seed", "9"];
    const running = place.start(args);
    // All have failed by then, and all are held back: the next step is to delete.
    await vi.waitFor(async () => expect(await hidden("failed")).toBe(7), LOOK);
    running.kill("SIGKILL");
    await running.ended;
    await clock.skip(2_000); // its last poll is over
    await clock.skip(HIDDEN_MAX_MS);
    const left = await look("failed");
    expect(left).toHaveLength(7);
    expect(left.map(({ Body }) => Body)).toContain("somebody else's");
  });

  it("that is killed in mid-delete has deleted its own at most; the others show themselves", async () => {
    await clock.skip(61_000); // a queue is purged once a minute at most
    for (const queue of ["failed", "dead"])
      await sqs.send(new PurgeQueueCommand({ QueueUrl: urlOf(queue) }));
    await send("failed", "somebody else's");
    await using proxy = await HoldingProxy.start(local.endpoint);
    const held = proxy.hold("POST", "after", "AmazonSQS.DeleteMessageBatch");
    const out = join(place.dir, "mid-delete");
    const args = ["run", folder, "--endpoint", proxy.endpoint, "--out", out, "--seed", "11"];
    const running = place.start(args);
    await held.met; // the queue has deleted them, and the run does not know
    running.kill("SIGKILL");
    await running.ended;
    held.release();
    await clock.skip(2_000);
    await clock.skip(HIDDEN_MAX_MS);
    expect((await look("failed")).map(({ Body }) => Body)).toEqual(["somebody else's"]);
    expect(await look("dead")).toHaveLength(6); // it had not come to these
    const report = await place.run("report", out);
    expect(report.out).toMatch(/^ {2}clean-up +failed: BEGUN, AND NEVER SEEN TO END/m);
  });

  it("is in the plan under CHANGES, with the permissions that it needs", async () => {
    const planned = await place.run("plan", folder, "--endpoint", local.endpoint);
    expect(planned.out.replace(/\s+/g, " ")).toContain(
      "CHANGES records (clean-up), arn:aws:sqs:eu-west-1:000000000000:failed: once sinks are read",
    );
    const iam = await place.run("plan", folder, "--endpoint", local.endpoint, "--iam");
    const { Statement } = JSON.parse(iam.out).load as { Statement: { Resource: string[] }[] };
    expect(Statement.filter(({ Resource }) => Resource[0]?.endsWith(":failed"))).toEqual([
      {
        Effect: "Allow",
        Action: [
          ...["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
          "sqs:ReceiveMessage",
        ],
        Resource: ["arn:aws:sqs:eu-west-1:000000000000:failed"],
      },
    ]);
  });

  it.each([
    ['change: ["{{outputs.FailedArn}}", ', "change: [", "which is not in allow.change"],
    ["FailedArn", "EventsArn", "which is no queue's ARN"],
    ["FailedArn", "OrdersArn", "it has a dead-letter queue of its own"],
    ['"{{outputs.FailedArn}}"', "arn:aws:sqs:eu-west-1:000000000000:gone", "cannot be cleaned up"],
    ['"{{outputs.FailedArn}}"', "arn:aws:sqs:eu-west-1:111111111111:failed", "is for account 0000"],
    ["quiet: 6s, at-most: 60s", "quiet: 6s, at-most: 5s", "`at-most` is shorter than `quiet`"],
    [
      'kinesis: { stream: "{{outputs.EventsArn}}", linger: 0ms',
      "lambda: { function: f",
      "`clean-up` is for loads to kinesis or sqs",
    ],
  ])("refuses before anything is sent: %s → %s", async (text, other, why) => {
    const wrong = join(place.dir, "wrong");
    cpSync(folder, wrong, { recursive: true });
    const file = join(wrong, "scenario.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(text, other));
    const before = await depth("orders");
    const ended = await place.run("run", wrong, "--endpoint", local.endpoint);
    expect(ended.code, ended.out + ended.err).toBe(64);
    expect(ended.err.replace(/\s+/g, " ")).toContain(why);
    expect(await depth("orders")).toBe(before);
  });
});

/** In flight: somebody has received them. */
async function hidden(queue: string): Promise<number> {
  const AttributeNames = ["ApproximateNumberOfMessagesNotVisible" as const];
  const command = new GetQueueAttributesCommand({ QueueUrl: urlOf(queue), AttributeNames });
  const { Attributes = {} } = await sqs.send(command);
  return Number(Attributes.ApproximateNumberOfMessagesNotVisible);
}
