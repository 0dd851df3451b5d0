// Asynchronous events through the SDK: where they end, and how that is configured; function URLs.
import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import {
  DeleteFunctionConcurrencyCommand,
  DeleteFunctionEventInvokeConfigCommand,
  GetFunctionEventInvokeConfigCommand,
  InvokeCommand,
  PutFunctionConcurrencyCommand,
  PutFunctionEventInvokeConfigCommand,
  UpdateFunctionEventInvokeConfigCommand,
} from "@aws-sdk/client-lambda";
import { DeleteMessageCommand, type Message, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalAws } from "../../src/local/start.ts";
import { type Clients, clientsOf, QUEUES_TEMPLATE, refusalOf, startSystem } from "./clients.ts";

let local: LocalAws;
let clients: Clients;

beforeAll(async () => {
  local = await startSystem({ template: QUEUES_TEMPLATE });
  clients = clientsOf(local.endpoint);
});
afterAll(() => local.stop());

async function reserve(count: number | null): Promise<void> {
  const FunctionName = "echo";
  if (count === null)
    await clients.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
  else
    await clients.lambda.send(
      new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: count }),
    );
}

async function invokeEvent(event: object): Promise<string> {
  const { $metadata } = await clients.lambda.send(
    new InvokeCommand({
      FunctionName: "echo",
      InvocationType: "Event",
      Payload: JSON.stringify(event),
    }),
  );
  return $metadata.requestId ?? "";
}

/** The next `count` messages of the queue of endings. */
async function endings(count: number): Promise<Message[]> {
  const QueueUrl = local.outputs.EndsUrl;
  const got: Message[] = [];
  while (got.length < count) {
    const { Messages = [] } = await clients.sqs.send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 10, MessageAttributeNames: ["All"] }),
    );
    if (Messages.length === 0) break;
    for (const { ReceiptHandle } of Messages)
      await clients.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    got.push(...Messages);
  }
  return got;
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const contextOf = (requestId: string, condition: string, approximateInvokeCount: number) => ({
  requestId,
  functionArn: "arn:aws:lambda:eu-west-1:000000000000:function:echo:$LATEST",
  condition,
  approximateInvokeCount,
});

describe("an asynchronous event", () => {
  it("that was processed goes to the success destination with payloads", async () => {
    const requestId = await invokeEvent({ a: 1 });
    const [record] = await endings(1);
    expect(JSON.parse(record?.Body ?? "")).toEqual({
      version: "1.0",
      timestamp: TIME,
      requestContext: contextOf(requestId, "Success", 1),
      requestPayload: { a: 1 },
      responseContext: { statusCode: 200, executedVersion: "$LATEST" },
      responsePayload: { event: { a: 1 } },
    });
  });

  it("that failed goes to the failure destination, and itself to the dead-letter queue", async () => {
    const requestId = await invokeEvent({ fail: "no stock" });
    const [record, dead] = await endings(2);
    expect(JSON.parse(record?.Body ?? "")).toMatchObject({
      requestContext: contextOf(requestId, "RetriesExhausted", 1),
      requestPayload: { fail: "no stock" },
      responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
      responsePayload: { errorMessage: "no stock", errorType: "Error" },
    });
    expect(dead?.Body).toBe('{"fail":"no stock"}');
    expect(dead?.MessageAttributes).toMatchObject({
      RequestID: { DataType: "String", StringValue: requestId },
      ErrorCode: { DataType: "Number", StringValue: "200" },
      ErrorMessage: { DataType: "String", StringValue: "no stock" },
    });
  });

  it("to a function reserved at zero goes straight to the failure destination", async () => {
    await reserve(0);
    const requestId = await invokeEvent({ a: 2 });
    const [record, dead] = await endings(2);
    await reserve(null);
    expect(JSON.parse(record?.Body ?? "")).toEqual({
      version: "1.0",
      timestamp: TIME,
      requestContext: contextOf(requestId, "ZeroReservedConcurrency", 0),
      requestPayload: { a: 2 },
    });
    expect(dead?.Body).toBe('{"a":2}');
  });
});

describe("an event invoke configuration", () => {
  const FunctionName = "ingest";
  const get = () => clients.lambda.send(new GetFunctionEventInvokeConfigCommand({ FunctionName }));

  it("is 404 until set, replaced by PUT, merged by POST, and gone when deleted", async () => {
    const missing = {
      name: "ResourceNotFoundException",
      status: 404,
      message:
        "The function arn:aws:lambda:eu-west-1:000000000000:function:ingest:$LATEST doesn't have an EventInvokeConfig",
    };
    expect(await refusalOf(get())).toMatchObject(missing);
    await clients.lambda.send(
      new PutFunctionEventInvokeConfigCommand({ FunctionName, MaximumRetryAttempts: 1 }),
    );
    const Destination = "arn:aws:sqs:eu-west-1:000000000000:ends";
    await clients.lambda.send(
      new UpdateFunctionEventInvokeConfigCommand({
        FunctionName,
        DestinationConfig: { OnFailure: { Destination } },
      }),
    );
    expect(await get()).toMatchObject({
      MaximumRetryAttempts: 1,
      DestinationConfig: { OnSuccess: {}, OnFailure: { Destination } },
      LastModified: expect.any(Date),
    });
    await clients.lambda.send(
      new PutFunctionEventInvokeConfigCommand({ FunctionName, MaximumEventAgeInSeconds: 60 }),
    );
    const replaced = await get();
    expect([replaced.MaximumRetryAttempts, replaced.DestinationConfig?.OnFailure]).toEqual([
      undefined,
      {},
    ]);
    await clients.lambda.send(new DeleteFunctionEventInvokeConfigCommand({ FunctionName }));
    expect(await refusalOf(get())).toMatchObject(missing);
  });

  it.each([
    ["nothing", {}, "InvalidParameterValueException"],
    ["three retries", { MaximumRetryAttempts: 3 }, "ValidationException"],
    [
      "a queue that is not there",
      { DestinationConfig: { OnFailure: { Destination: "arn:aws:sqs:eu-west-1:1:no" } } },
      "InvalidParameterValueException",
    ],
  ])("is refused for %s", async (_, more, name) => {
    const put = new PutFunctionEventInvokeConfigCommand({ FunctionName, ...more });
    expect(await refusalOf(clients.lambda.send(put))).toMatchObject({ name, status: 400 });
  });
});

describe("a function URL", () => {
  it("has a port of its own and sends payload 2.0 with the path as it came", async () => {
    const url = local.outputs.EchoUrl ?? "";
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    const answer = await fetch(`${url}a%20b?q=1`, { method: "POST", body: '{"a":1}' });
    const { event } = (await answer.json()) as { event: { [member: string]: unknown } };
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-amzn-requestid")).toMatch(/^[0-9a-f-]{36}$/);
    expect(event).toMatchObject({
      version: "2.0",
      routeKey: "$default",
      rawPath: "/a%20b",
      rawQueryString: "q=1",
      requestContext: {
        domainName: expect.stringMatching(/^[0-9a-z]{32}\.lambda-url\.eu-west-1\.on\.aws$/),
        http: { method: "POST", path: "/a%20b" },
        stage: "$default",
      },
    });
  });

  it("passes a throttle on as Lambda's own 429", async () => {
    await reserve(0);
    const answer = await fetch(local.outputs.EchoUrl ?? "");
    await reserve(null);
    expect([answer.status, answer.headers.get("x-amzn-errortype"), await answer.text()]).toEqual([
      429,
      "TooManyRequestsException",
      '{"Reason":"ReservedFunctionConcurrentInvocationLimitExceeded","Type":"User","message":"Rate Exceeded."}',
    ]);
  });

  it("answers 502 for a function error", async () => {
    const body = JSON.stringify({ fail: "x" });
    const answer = await fetch(local.outputs.EchoUrl ?? "", { method: "POST", body });
    expect([answer.status, await answer.text()]).toEqual([502, "Internal Server Error"]);
  });
});

describe("a route to SQS", () => {
  it("sends the body by itself and answers with SQS's result", async () => {
    const url = `${local.outputs.HookUrl}/events`;
    const answer = await fetch(url, { method: "POST", body: '{"scan":7}' });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/xml"]);
    expect(await answer.text()).toMatch(
      /^<SendMessageResponse xmlns="http:\/\/queue\.amazonaws\.com\/doc\/2012-11-05\/"><SendMessageResult><MessageId>[0-9a-f-]{36}<\/MessageId><MD5OfMessageBody>[0-9a-f]{32}<\/MD5OfMessageBody>/,
    );
    const logGroupName = local.outputs.AccessLogGroup;
    const lines = async () =>
      (await clients.logs.send(new FilterLogEventsCommand({ logGroupName }))).events?.map(
        ({ message }) => JSON.parse(message ?? "{}") as object,
      );
    await expect.poll(lines).toEqual([
      {
        status: "200",
        route: "POST /events",
        integration: "200",
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
  });

  it("passes on what SQS refuses", async () => {
    const answer = await fetch(`${local.outputs.HookUrl}/events`, { method: "POST", body: "" });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("<Code>MissingParameter</Code>");
  });
});
