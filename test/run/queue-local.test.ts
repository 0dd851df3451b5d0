// A load of messages over HTTP into local SQS: each is stored once, and known by its message id.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FAKE_CREDENTIALS } from "../../src/aws/identity.ts";
import type { Answer, Arrival } from "../../src/core/arrival.ts";
import { seededRng } from "../../src/core/rng.ts";
import { runUs } from "../../src/core/time.ts";
import { sendMessages } from "../../src/drivers/send-messages.ts";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";
import { systemClock } from "../../src/run/clock.ts";
import { fire } from "../../src/run/fire.ts";
import { liveBuffer, loadCounters } from "../../src/run/live-counters.ts";
import { createPacer } from "../../src/run/pacing.ts";
import { sqsQueueTarget } from "../../src/targets/sqs-queue.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const QUEUE = "arn:aws:sqs:eu-west-1:000000000000:orders";
const TEMPLATE =
  "Transform: AWS::Serverless-2016-10-31\nResources:\n  Orders:\n" +
  "    Type: AWS::SQS::Queue\n    Properties: { QueueName: orders }\n";

let folder: string;
let local: LocalAws;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatecrash-queue-"));
  const template = join(folder, "template.yaml");
  writeFileSync(template, TEMPLATE);
  local = await startLocalAws({ template });
});
afterAll(async () => {
  await local.stop();
  rmSync(folder, { recursive: true });
});

const MESSAGES = 95;
/** A character that no queue takes: these are refused for good. */
const BAD = [3, 40, 94];
const textOf = (index: number): string =>
  BAD.includes(index) ? `bad ${index}\u0000` : `order ${index} é`;

function* offered(): Generator<Arrival> {
  for (let index = 0; index < MESSAGES; index++) {
    const data = Buffer.from(textOf(index));
    yield { index, dueUs: runUs(index * 1_000), route: 0, call: { kind: "item", key: "", data } };
  }
}

async function storedMessages(): Promise<string[]> {
  const client = new SQSClient({
    endpoint: local.endpoint,
    region: "eu-west-1",
    credentials: FAKE_CREDENTIALS,
  });
  const QueueUrl = `${local.endpoint}/000000000000/orders`;
  const stored: string[] = [];
  for (;;) {
    const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
    const { Messages = [] } = await client.send(command);
    if (Messages.length === 0) break;
    stored.push(...Messages.map(({ Body, MessageId }) => `${Body} ${MessageId}`));
  }
  client.destroy();
  return stored.sort();
}

it("answers for each message by its index, and sends again only those that failed", async () => {
  const clock = systemClock();
  await using pacer = createPacer({ now: () => clock.nowUs(), mode: "timeout" });
  await using target = sqsQueueTarget({
    queue: QUEUE,
    endpoint: local.endpoint,
    region: "eu-west-1",
    credentials: async () => FAKE_CREDENTIALS,
    clock,
    timeoutUs: 5_000_000,
  });
  const rows: { readonly index: number; readonly attempt: number; readonly answer: Answer }[] = [];
  const resend = { attempts: 3, on: ["errored"], backoffUs: 5_000, maxUs: 20_000, jitter: "full" };
  const load = {
    ...{ code: 0, arm: 0, share: { index: 0, of: 1 }, closed: null },
    ...{ arrivals: offered(), target, batching: { target, form: sendMessages(20_000) } },
    ...{ resend: resend as typeof resend & { on: "errored"[]; jitter: "full" } },
    ...{ inFlightMax: 1_000, graceUs: 5_000_000 },
  };
  await fire(load, {
    ...{ clock, pacer, rng: seededRng(1), stopped: () => false },
    counters: loadCounters([1], liveBuffer([1]))[0]!,
    recorder: {
      attempt: ({ index, attempt }, answer) => rows.push({ index, attempt, answer }),
      dropped: () => {},
    },
  }).ended;

  const ends = (outcome: string) => rows.filter(({ answer }) => answer.outcome === outcome);
  const sequence = ({ index, answer }: (typeof rows)[number]) =>
    `${textOf(index)} ${answer.item?.sequence}`;
  expect(ends("ok").map(sequence).sort()).toEqual(await storedMessages());
  expect(ends("ok")).toHaveLength(MESSAGES - BAD.length);
  const again = ends("errored").map(({ index, attempt }) => `${index} ${attempt}`);
  expect(again.sort()).toEqual(BAD.flatMap((i) => [1, 2, 3].map((n) => `${i} ${n}`)).sort());
  expect(Math.max(...rows.map(({ answer }) => answer.item?.items ?? 0))).toBe(10);
}, 20_000);
