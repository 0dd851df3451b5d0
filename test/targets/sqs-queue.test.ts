// The sqs-queue target: what every target promises, and what becomes of each message of a call.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { FAKE_CREDENTIALS } from "../../src/aws/identity.ts";
import type { Answer, BatchTarget, ItemCall } from "../../src/core/arrival.ts";
import { systemClock } from "../../src/run/clock.ts";
import { messagesBytesMax, writeMessages } from "../../src/targets/send-message-batch.ts";
import { type SqsQueueOptions, sqsQueueTarget } from "../../src/targets/sqs-queue.ts";
import { overRawServer } from "../conformance/raw-target.ts";
import { describeTarget } from "../conformance/target.ts";
import { rawServer } from "../wire/raw-server.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const message = (text: string): ItemCall => ({ kind: "item", key: "", data: Buffer.from(text) });

function targetOf(endpoint: string, more: Partial<SqsQueueOptions> = {}): BatchTarget {
  return sqsQueueTarget({
    queue: "https://sqs.eu-west-1.amazonaws.com/000000000000/orders",
    endpoint,
    region: "eu-west-1",
    credentials: async () => FAKE_CREDENTIALS,
    clock: systemClock(),
    timeoutUs: 5_000_000,
    ...more,
  });
}

const sendAll = (target: BatchTarget, ...messages: ItemCall[]): Promise<readonly Answer[]> =>
  new Promise((resolve) => target.sendBatch(messages, resolve));

const response = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\nx-amzn-requestid: id-1\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const answered = (Successful: object[], Failed: object[] = []): string =>
  response("200 OK", JSON.stringify({ Successful, Failed }));

const stored = (Id: string) => ({ Id, MessageId: `m-${Id}`, MD5OfMessageBody: "d41d" });
const refused = (Id: string) => ({ Id, SenderFault: true, Code: "RequestThrottled" });
const failed = (Id: string) => ({ Id, SenderFault: true, Code: "InvalidMessageContents" });
const broken = (Id: string) => ({ Id, SenderFault: false, Code: "InternalError" });

describeTarget({
  name: "sqs-queue",
  open: overRawServer(
    message("m"),
    {
      ok: answered([stored("0")]),
      throttle: answered([], [refused("0")]),
      fail: answered([], [failed("0")]),
    },
    targetOf,
  ),
});

const endOf = ({ outcome, refusedBy, reason }: Answer) => [outcome, refusedBy, reason].join(" ");

/** How two messages of one call end when this is the answer. */
async function endsOf(answer: string) {
  await using server = await rawServer((_, socket) => socket.write(answer));
  await using target = targetOf(server.url);
  return (await sendAll(target, message("a"), message("b"))).map(endOf);
}

describe("an answer", () => {
  it("says for each message by its position how it ended, in whatever order it does", async () => {
    const text = answered([stored("3"), stored("0")], [broken("4"), refused("2"), failed("1")]);
    await using server = await rawServer((_, socket) => socket.write(text));
    await using target = targetOf(server.url);
    const answers = await sendAll(target, ...["a", "b", "c", "d", "e"].map(message));
    expect(answers.map((one) => `${endOf(one)} ${one.item?.sequence}`)).toEqual([
      "ok   m-0",
      "errored  service ",
      "throttled sqs  ",
      "ok   m-3",
      "unknown  service ",
    ]);
    expect(answers[3]).toMatchObject({
      requestId: "id-1",
      item: { call: 0, position: 3, items: 5, shard: -1 },
    });
  });

  const error = (status: string, type: string) =>
    response(status, JSON.stringify({ __type: `com.amazonaws.sqs#${type}` }));
  it.each([
    ["of a refused call is every message's", error("400 No", "RequestThrottled"), "throttled sqs "],
    ["with ended credentials is ours", error("400 No", "ExpiredToken"), "errored  credentials"],
    [
      "of a failed call is every message's",
      error("400 No", "QueueDoesNotExist"),
      "errored  service",
    ],
    ["with a server's error may be stored", error("500 No", "InternalError"), "unknown  service"],
    ["that leaves a message out is none", answered([stored("0")]), "unknown  parse"],
    ["that names one twice is none", answered([stored("0"), stored("0")]), "unknown  parse"],
    ["that names another one is none", answered([stored("0"), stored("2")]), "unknown  parse"],
    ["that is no JSON is none", response("200 OK", "<html>"), "unknown  parse"],
  ])("%s", async (_, answer, end) => {
    expect(await endsOf(answer)).toEqual([end, end]);
  });

  it("that cannot be asked for, as nothing can be signed, is our own failure", async () => {
    const credentials = () => Promise.reject(new Error("no credentials"));
    await using target = targetOf("http://127.0.0.1:1", { credentials });
    const [answer] = await sendAll(target, message("a"));
    expect(endOf(answer!)).toBe("errored  credentials");
  });
});

it("has room for a body in which every byte is escaped, or no UTF-8", () => {
  const queue = "\u0001".repeat(9);
  for (const byte of [0x01, 0x22, 0xff]) {
    const messages = Array.from({ length: 10 }, () => {
      return { ...message(""), data: Buffer.alloc(50, byte) };
    });
    const room = Buffer.alloc(messagesBytesMax(queue, messages));
    const text = room.toString("utf8", 0, writeMessages(room, 0, queue, messages));
    expect(JSON.parse(text).Entries.at(-1).MessageBody).toBe(messages[0]!.data.toString());
  }
});

it("asks with the body that the SDK would send", async () => {
  const queue = "https://sqs.eu-west-1.amazonaws.com/000000000000/orders";
  const texts = ['{"eventId":"e-1","depot":"KÖL"}', 'line\n"two"\u2028'];
  let body = "";
  const server = createServer((request, answer) => {
    request.setEncoding("utf8").on("data", (text) => {
      body += text;
    });
    request.on("end", () => answer.end("{}"));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const client = new SQSClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    useQueueUrlAsEndpoint: false,
    region: "eu-west-1",
    maxAttempts: 1,
    credentials: FAKE_CREDENTIALS,
  });
  const Entries = texts.map((MessageBody, i) => ({ Id: `${i}`, MessageBody }));
  await client.send(new SendMessageBatchCommand({ QueueUrl: queue, Entries }));
  client.destroy();
  server.close();
  const messages = texts.map(message);
  const room = Buffer.alloc(messagesBytesMax(queue, messages));
  expect(room.toString("utf8", 0, writeMessages(room, 0, queue, messages))).toBe(body);
});
