// Hostile input in every protocol: an error as AWS shapes it, never a crash, never our own fault.
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld } from "../../src/local/create-world.ts";
import { dispatcher } from "../../src/local/dispatch.ts";
import { DEFAULTS } from "../../src/local/options.ts";
import { DEFAULT_SETTINGS } from "../../src/local/sqs/settings.ts";
import { type Listener, listen } from "../../src/local/wire/listener.ts";
import type { WireAnswer, WireHandler } from "../../src/local/wire/request.ts";
import { TestClock } from "../support/test-clock.ts";

const RUNS = 2_000;
const AUTHORIZATION =
  "AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/any/aws4_request, " +
  "SignedHeaders=host, Signature=0";
const URL_OF_QUEUE = "http://127.0.0.1/000000000000/plain";

/** Virtual time stands still: a long poll just stays open. */
async function startWorld(): Promise<WireHandler> {
  const world = createWorld({ ...DEFAULTS, template: "" }, new TestClock());
  world.queues.create("plain", DEFAULT_SETTINGS);
  world.logs.ensureGroup("/g");
  world.logs.append("/g", "s", 0, "x");
  await world.tables.deployed({
    name: "table",
    request: {
      TableName: "table",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      BillingMode: "PAY_PER_REQUEST",
    },
  });
  return dispatcher(world);
}

const AN_ITEM = { TableName: "table", Item: { id: { S: "a" }, n: { N: "1" }, l: { L: [] } } };
const METRIC = {
  Namespace: "AWS/SQS",
  MetricName: "NumberOfMessagesSent",
  StartTime: 1_767_225_600,
  EndTime: 1_767_229_200,
  Period: 60,
};
const ATTRIBUTES = { a: { DataType: "String", StringValue: "x" } };
const JSON_SEEDS: readonly (readonly [target: string, input: object])[] = [
  [
    "AmazonSQS.SendMessage",
    { QueueUrl: URL_OF_QUEUE, MessageBody: "x", MessageAttributes: ATTRIBUTES },
  ],
  [
    "AmazonSQS.SendMessageBatch",
    { QueueUrl: URL_OF_QUEUE, Entries: [{ Id: "a", MessageBody: "x", DelaySeconds: 1 }] },
  ],
  ["AmazonSQS.ReceiveMessage", { QueueUrl: URL_OF_QUEUE, AttributeNames: ["All"] }],
  [
    "AmazonSQS.DeleteMessageBatch",
    { QueueUrl: URL_OF_QUEUE, Entries: [{ Id: "a", ReceiptHandle: "cGxhaW4vYS8x" }] },
  ],
  [
    "AmazonSQS.ChangeMessageVisibility",
    { QueueUrl: URL_OF_QUEUE, ReceiptHandle: "x", VisibilityTimeout: 3 },
  ],
  ["AmazonSQS.CreateQueue", { QueueName: "new", Attributes: { DelaySeconds: "3" } }],
  ["AmazonSQS.SetQueueAttributes", { QueueUrl: URL_OF_QUEUE, Attributes: { RedrivePolicy: "{}" } }],
  ["AmazonSQS.GetQueueAttributes", { QueueUrl: URL_OF_QUEUE, AttributeNames: ["All"] }],
  ["AmazonSQS.ListQueues", { QueueNamePrefix: "p", MaxResults: 3 }],
  ["DynamoDB_20120810.PutItem", { ...AN_ITEM, ConditionExpression: "attribute_not_exists(id)" }],
  [
    "DynamoDB_20120810.UpdateItem",
    {
      TableName: "table",
      Key: { id: { S: "a" } },
      UpdateExpression: "ADD n :one",
      ExpressionAttributeValues: { ":one": { N: "1" } },
    },
  ],
  [
    "DynamoDB_20120810.Query",
    {
      TableName: "table",
      KeyConditionExpression: "id = :id",
      ExpressionAttributeValues: { ":id": { S: "a" } },
    },
  ],
  ["DynamoDB_20120810.Scan", { TableName: "table", Limit: 2 }],
  ["DynamoDB_20120810.BatchGetItem", { RequestItems: { table: { Keys: [{ id: { S: "a" } }] } } }],
  ["GraniteServiceVersion20100801.GetMetricStatistics", { ...METRIC, Statistics: ["Sum"] }],
  [
    "GraniteServiceVersion20100801.GetMetricData",
    {
      StartTime: 1_767_225_600,
      EndTime: 1_767_229_200,
      MetricDataQueries: [{ Id: "m", MetricStat: { Metric: METRIC, Period: 60, Stat: "Sum" } }],
    },
  ],
  [
    "Logs_20140328.FilterLogEvents",
    { logGroupName: "/g", filterPattern: "x", startTime: 1, limit: 5 },
  ],
  ["Logs_20140328.GetLogEvents", { logGroupName: "/g", logStreamName: "s", nextToken: "f/1" }],
  ["Logs_20140328.DescribeLogGroups", { logGroupNamePrefix: "/" }],
  ["Logs_20140328.DescribeLogStreams", { logGroupName: "/g", orderBy: "LastEventTime" }],
  [
    "Kinesis_20131202.PutRecords",
    { StreamName: "s", Records: [{ Data: "eA==", PartitionKey: "k" }] },
  ],
  ["Kinesis_20131202.DescribeStreamSummary", { StreamName: "s" }],
  [
    "Kinesis_20131202.GetShardIterator",
    { StreamName: "s", ShardId: "shardId-000000000000", ShardIteratorType: "LATEST" },
  ],
  ["GraniteServiceVersion20100801.DescribeAlarms", { AlarmNames: ["a"], MaxRecords: 1 }],
  ["GraniteServiceVersion20100801.ListMetrics", { Dimensions: [{ Name: "QueueName" }] }],
];

const QUERY_SEEDS = [
  `Action=SendMessage&Version=2012-11-05&QueueUrl=${URL_OF_QUEUE}&MessageBody=x` +
    "&MessageAttribute.1.Name=a&MessageAttribute.1.Value.DataType=String" +
    "&MessageAttribute.1.Value.StringValue=x",
  `Action=SendMessageBatch&Version=2012-11-05&QueueUrl=${URL_OF_QUEUE}` +
    "&SendMessageBatchRequestEntry.1.Id=a&SendMessageBatchRequestEntry.1.MessageBody=x",
  `Action=ReceiveMessage&Version=2012-11-05&QueueUrl=${URL_OF_QUEUE}&AttributeName.1=All`,
  "Action=CreateQueue&Version=2012-11-05&QueueName=q&Attribute.1.Name=DelaySeconds" +
    "&Attribute.1.Value=3",
  "Action=GetMetricStatistics&Version=2010-08-01&Namespace=AWS/SQS&MetricName=M&Period=60" +
    "&Statistics.member.1=Sum&StartTime=2026-01-01T00:00:00Z&EndTime=2026-01-01T01:00:00Z" +
    "&Dimensions.member.1.Name=QueueName&Dimensions.member.1.Value=plain",
  "Action=DescribeAlarms&Version=2010-08-01&AlarmNames.member.1=a&MaxRecords=1",
  "Action=GetCallerIdentity&Version=2011-06-15",
];

const REST_SEEDS: readonly (readonly [method: string, path: string, body: object])[] = [
  ["POST", "/2015-03-31/functions/f/invocations", { a: 1 }],
  ["PUT", "/2017-10-31/functions/f/concurrency", { ReservedConcurrentExecutions: 1 }],
  ["GET", "/2015-03-31/functions/f%3Alive", {}],
  [
    "POST",
    "/2015-03-31/event-source-mappings/",
    { EventSourceArn: "arn:aws:sqs:eu-west-1:000000000000:plain", FunctionName: "f", BatchSize: 5 },
  ],
  ["PUT", "/2015-03-31/event-source-mappings/0-0", { Enabled: false }],
  ["GET", "/2015-03-31/event-source-mappings", {}],
  ["PUT", "/2019-09-25/functions/f/event-invoke-config", { MaximumRetryAttempts: 1 }],
];

const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, -1, 0, 0.5, 1e300, "", "\u0000", "\ud800", true, [], {}, [[]], "__proto__"],
    ...["constructor", "x".repeat(300), "../..", "%", "arn:aws:sqs:::", "2026-99-99", -1e9, "NaN"],
  ),
  fc.string(),
  fc.integer(),
  fc.jsonValue(),
);
const change = fc.record({
  seed: fc.nat(999),
  /** Which member at each depth. */
  path: fc.array(fc.nat(9), { minLength: 1, maxLength: 5 }),
  how: fc.constantFrom("replace", "replace", "delete", "add", "cut", "flip"),
  value: hostile,
  key: fc.oneof(fc.string(), fc.constantFrom("__proto__", "toString", "QueueUrl", "member")),
  at: fc.nat(500),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** The input with one member hostile, missing or added. */
function mutated(input: unknown, path: readonly number[], { how, value, key }: Change): unknown {
  if (typeof input !== "object" || input === null) return value;
  const copy: { [key: string]: unknown } | unknown[] = Array.isArray(input)
    ? [...(input as unknown[])]
    : { ...(input as object) };
  const keys = Object.keys(copy);
  const chosen = keys[(path[0] ?? 0) % Math.max(1, keys.length)];
  const members = copy as { [key: string]: unknown };
  if (chosen === undefined || how === "add")
    Object.defineProperty(members, key, { value, enumerable: true, configurable: true });
  else if (path.length > 1)
    members[chosen] = mutated(members[chosen], path.slice(1), { how, value, key } as Change);
  else if (how === "delete") delete members[chosen];
  else members[chosen] = value;
  return copy;
}

/** The text, cut or with one byte changed where the change says so. */
function bent(text: string, { how, at }: Change): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length === 0) return bytes;
  if (how === "cut") return bytes.subarray(0, at % bytes.length);
  if (how === "flip") bytes[at % bytes.length]! ^= 1 << (at % 7);
  return bytes;
}

/** null: no answer yet, as for a long poll. */
async function answerOf(
  handle: WireHandler,
  request: { method?: string; path?: string; headers: object; body: Buffer },
): Promise<WireAnswer | null> {
  const { method = "POST", path = "/", headers, body } = request;
  const cut = path.indexOf("?");
  const answer = handle({
    method,
    path: cut < 0 ? path : path.slice(0, cut),
    query: new URLSearchParams(cut < 0 ? "" : path.slice(cut + 1)),
    headers: { authorization: AUTHORIZATION, ...headers },
    body,
  });
  let turns = 0;
  const late = async (): Promise<null> => {
    while (turns++ < 200) await new Promise((resolve) => setImmediate(resolve));
    return null;
  };
  return Promise.race([answer, late()]);
}

describe("hostile input", () => {
  let handle: WireHandler;
  beforeAll(async () => {
    handle = await startWorld();
  });

  it("in AWS JSON is answered with a type and a message", { timeout: 120_000 }, async () => {
    const one = fc.asyncProperty(change, async (how) => {
      const [target, input] = JSON_SEEDS[how.seed % JSON_SEEDS.length]!;
      const text = JSON.stringify(mutated(input, how.path, how)) ?? "";
      const version = target.startsWith("Kinesis") ? "1.1" : "1.0";
      const headers = {
        "x-amz-target": target,
        "content-type": `application/x-amz-json-${version}`,
      };
      const answer = await answerOf(handle, { headers, body: bent(text, how) });
      if (answer === null || answer.status === 200) return;
      const {
        __type: type,
        message,
        Message,
      } = JSON.parse(answer.body.toString()) as {
        [member: string]: unknown;
      };
      expect(
        [answer.status < 500, typeof type, typeof (message ?? Message)],
        `${text} ${answer.body}`,
      ).toEqual([true, "string", "string"]);
    });
    await fc.assert(one, { numRuns: RUNS });
  });

  it("in a Query form is answered with a code and a message", { timeout: 120_000 }, async () => {
    const one = fc.asyncProperty(change, async (how) => {
      const form = new URLSearchParams(QUERY_SEEDS[how.seed % QUERY_SEEDS.length]);
      const names = [...form.keys()];
      const name = names[how.path[0]! % names.length]!;
      if (how.how === "replace") form.set(name, JSON.stringify(how.value));
      if (how.how === "delete") form.delete(name);
      if (how.how === "add") form.set(`${name}.${how.key}`, JSON.stringify(how.value));
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const answer = await answerOf(handle, { headers, body: bent(form.toString(), how) });
      if (answer === null || answer.status === 200) return;
      expect(answer.status, `${form} ${answer.body}`).toBeLessThan(500);
      expect(answer.body.toString()).toMatch(
        /<Error><Type>Sender<\/Type><Code>[\w.]+<\/Code><Message>/,
      );
    });
    await fc.assert(one, { numRuns: RUNS });
  });

  it("in REST JSON is answered with a type and a message", { timeout: 120_000 }, async () => {
    const one = fc.asyncProperty(change, async (how) => {
      const [method, path, input] = REST_SEEDS[how.seed % REST_SEEDS.length]!;
      const text = JSON.stringify(mutated(input, how.path, how)) ?? "";
      const bentPath =
        how.how === "replace" ? path.replace("/f", `/${JSON.stringify(how.value)}`) : path;
      const query = how.how === "add" ? `?${how.key}=${JSON.stringify(how.value)}` : "";
      const request = { method, path: bentPath + query, headers: {}, body: bent(text, how) };
      const answer = await answerOf(handle, request);
      if (answer === null || answer.status < 300) return;
      const { message, Message } = JSON.parse(answer.body.toString()) as { [key: string]: unknown };
      const type = answer.headers["x-amzn-errortype"] ?? "";
      expect([answer.status < 500, typeof (message ?? Message)], `${path} ${answer.body}`).toEqual([
        true,
        "string",
      ]);
      expect(type).toMatch(/^[\w.]+$/);
    });
    await fc.assert(one, { numRuns: RUNS });
  });

  it.each(["%", "%zz", "%E0%A4%A", "%00"])("as the name %s is no function", async (name) => {
    const path = `/2015-03-31/functions/${name}/invocations`;
    const answer = await answerOf(handle, { path, headers: {}, body: Buffer.from("{}") });
    expect([answer?.status, answer?.headers["x-amzn-errortype"]]).toEqual([
      400,
      "ValidationException",
    ]);
  });

  it.each([
    "__proto__.x",
    "constructor.name",
    "toString",
    "",
    ".",
    "AmazonSQS.toString",
    "AmazonSQS.",
  ])("as the target %s is an unknown operation", async (target) => {
    const headers = { "x-amz-target": target };
    const answer = await answerOf(handle, { headers, body: Buffer.from("{}") });
    expect(JSON.parse(String(answer?.body))).toMatchObject({ __type: "UnknownOperationException" });
  });
});

describe("hostile bytes on the port", () => {
  let listener: Listener;
  beforeAll(async () => {
    listener = await listen(0, await startWorld());
  });
  afterAll(() => listener.close());

  /** Ends when the other side has answered or closed; what it said does not matter. */
  const sendRaw = (bytes: Buffer): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(listener.port, "127.0.0.1", () => socket.end(bytes));
      for (const event of ["data", "error", "close"] as const)
        socket.on(event, () => {
          socket.destroy();
          resolve();
        });
    });

  it("end the connection, and nobody else's", async () => {
    const head =
      "POST / HTTP/1.1\r\nHost: a\r\nX-Amz-Target: AmazonSQS.ListQueues\r\n" +
      `Authorization: ${AUTHORIZATION}\r\nContent-Length: 2\r\n\r\n{}`;
    const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const gzip =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc";
    const start = fc.constantFrom(head, preface, gzip);
    const one = fc.asyncProperty(
      start,
      change,
      fc.uint8Array({ maxLength: 40 }),
      async (text, how, tail) => {
        const flipped = bent(text, { ...how, how: how.how === "cut" ? "cut" : "flip" });
        await sendRaw(Buffer.concat([flipped, tail]));
      },
    );
    await fc.assert(one, { numRuns: 200 });
    const answer = await fetch(`http://127.0.0.1:${listener.port}/`, {
      method: "POST",
      headers: { authorization: AUTHORIZATION, "x-amz-target": "AmazonSQS.ListQueues" },
      body: "{}",
    });
    expect(await answer.json()).toEqual({ QueueUrls: [expect.stringMatching(/\/plain$/)] });
  });
});
