// SQS through the unmodified JavaScript client: answers, checksums, batches, errors.
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { type Clients, clientsOf, QUEUES_TEMPLATE, refusalOf, startSystem } from "../clients.ts";

let local: LocalAws;
let sqs: Clients["sqs"];
let QueueUrl: string;
let queues = 0;

beforeAll(async () => {
  local = await startSystem({ template: QUEUES_TEMPLATE });
  ({ sqs } = clientsOf(local.endpoint));
});
beforeEach(async () => {
  const QueueName = `test-${queues++}`;
  QueueUrl = (await sqs.send(new CreateQueueCommand({ QueueName }))).QueueUrl ?? "";
});
afterAll(() => local.stop());

const send = (MessageBody: string, more: object = {}) =>
  sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));
const receive = async (more: object = {}) =>
  (await sqs.send(new ReceiveMessageCommand({ QueueUrl, ...more }))).Messages ?? [];

describe("queues of the template", () => {
  it("have URLs on the endpoint and the attributes that were declared", async () => {
    expect(local.outputs.HookQueueUrl).toBe(`${local.endpoint}/000000000000/hooks`);
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl: local.outputs.HookQueueUrl,
        AttributeNames: ["VisibilityTimeout", "RedrivePolicy", "QueueArn"],
      }),
    );
    expect(Attributes).toEqual({
      QueueArn: "arn:aws:sqs:eu-west-1:000000000000:hooks",
      VisibilityTimeout: "30",
      RedrivePolicy:
        '{"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:000000000000:local-HookDead",' +
        '"maxReceiveCount":5}',
    });
  });

  it("are found by name, listed by prefix, and as sources of a dead-letter queue", async () => {
    const url = await sqs.send(new GetQueueUrlCommand({ QueueName: "plain" }));
    expect(url.QueueUrl).toBe(local.outputs.PlainUrl);
    const listed = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: "plai" }));
    expect(listed.QueueUrls).toEqual([local.outputs.PlainUrl]);
    const sources = await sqs.send(
      new ListDeadLetterSourceQueuesCommand({ QueueUrl: local.outputs.HookDeadUrl }),
    );
    expect(sources.queueUrls).toEqual([local.outputs.HookQueueUrl]);
  });
});

describe("a message", () => {
  it("comes back with body, checksums, attributes and receive count", async () => {
    const MessageAttributes = {
      depot: { DataType: "String", StringValue: "ghent" },
      raw: { DataType: "Binary", BinaryValue: Buffer.from([1, 2, 3]) },
    };
    const sent = await send("grüße\n", {
      MessageAttributes,
      MessageSystemAttributes: {
        AWSTraceHeader: { DataType: "String", StringValue: "Root=1-2-3" },
      },
    });
    const [got] = await receive({
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["All"],
    });
    expect(got).toMatchObject({
      MessageId: sent.MessageId,
      Body: "grüße\n",
      MD5OfBody: sent.MD5OfMessageBody,
      MD5OfMessageAttributes: sent.MD5OfMessageAttributes,
      Attributes: {
        ApproximateReceiveCount: "1",
        SenderId: "000000000000",
        AWSTraceHeader: "Root=1-2-3",
      },
    });
    expect(got?.MessageAttributes?.depot?.StringValue).toBe("ghent");
    expect(got?.MessageAttributes?.raw?.BinaryValue).toEqual(new Uint8Array([1, 2, 3]));
  });

  it("has no attributes that were not asked for", async () => {
    await send("x", { MessageAttributes: { a: { DataType: "Number", StringValue: "1" } } });
    const [got] = await receive();
    expect(Object.keys(got ?? {}).sort()).toEqual([
      "Body",
      "MD5OfBody",
      "MessageId",
      "ReceiptHandle",
    ]);
  });

  it("is waited for by a long poll", async () => {
    const poll = receive({ WaitTimeSeconds: 10 });
    await send("late");
    expect((await poll).map(({ Body }) => Body)).toEqual(["late"]);
  });

  it("is gone once deleted, and visible at once when its timeout is set to 0", async () => {
    await send("a");
    const [first] = await receive();
    const handle = { QueueUrl, ReceiptHandle: first?.ReceiptHandle };
    await sqs.send(new ChangeMessageVisibilityCommand({ ...handle, VisibilityTimeout: 0 }));
    const [second] = await receive({ AttributeNames: ["ApproximateReceiveCount"] });
    expect(second?.Attributes).toEqual({ ApproximateReceiveCount: "2" });
    const ReceiptHandle = second?.ReceiptHandle;
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
    );
    expect(Attributes).toMatchObject({
      ApproximateNumberOfMessages: "0",
      ApproximateNumberOfMessagesNotVisible: "0",
    });
  });
});

describe("a batch", () => {
  it("answers each entry by itself", async () => {
    const { Successful, Failed } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: [
          { Id: "good", MessageBody: "1" },
          { Id: "late", MessageBody: "2", DelaySeconds: 901 },
          { Id: "odd", MessageBody: "\u0000" },
        ],
      }),
    );
    expect(Successful?.map(({ Id }) => Id)).toEqual(["good"]);
    expect(Failed).toMatchObject([
      { Id: "late", SenderFault: true, Code: "InvalidParameterValue" },
      { Id: "odd", SenderFault: true, Code: "InvalidMessageContents" },
    ]);
    const [got] = await receive({ MaxNumberOfMessages: 10 });
    const deleted = await sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl,
        Entries: [
          { Id: "a", ReceiptHandle: got?.ReceiptHandle },
          { Id: "b", ReceiptHandle: "nonsense" },
        ],
      }),
    );
    expect(deleted.Successful).toEqual([{ Id: "a" }]);
    expect(deleted.Failed).toMatchObject([{ Id: "b", Code: "ReceiptHandleIsInvalid" }]);
  });

  const entry = (Id: string, sizeBytes = 1) => ({ Id, MessageBody: "x".repeat(sizeBytes) });
  it.each([
    ["no entries", [], "EmptyBatchRequest"],
    [
      "eleven entries",
      "abcdefghijk".split("").map((id) => entry(id)),
      "TooManyEntriesInBatchRequest",
    ],
    ["the same id twice", [entry("a"), entry("a")], "BatchEntryIdsNotDistinct"],
    ["a bad id", [entry("a b")], "InvalidBatchEntryId"],
    ["more than 1 MiB", [entry("a", 600_000), entry("b", 600_000)], "BatchRequestTooLong"],
  ])("is refused for %s", async (_, Entries, code) => {
    const refused = await refusalOf(sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries })));
    expect(refused).toMatchObject({ name: code, Code: `AWS.SimpleQueueService.${code}` });
  });
});

describe("errors", () => {
  it("name a queue that does not exist, under both of its codes", async () => {
    const url = `${local.endpoint}/000000000000/nobody`;
    const refused = await refusalOf(sqs.send(new PurgeQueueCommand({ QueueUrl: url })));
    expect(refused).toMatchObject({
      name: "QueueDoesNotExist",
      message: "The specified queue does not exist.",
      status: 400,
      Code: "AWS.SimpleQueueService.NonExistentQueue",
      Type: "Sender",
    });
  });

  it.each([
    ["11 messages", { MaxNumberOfMessages: 11 }, /MaxNumberOfMessages is invalid/],
    ["a wait of 21 s", { WaitTimeSeconds: 21 }, /WaitTimeSeconds is invalid/],
  ])("refuse to receive %s", async (_, more, message) => {
    const refused = await refusalOf(receive(more));
    expect(refused).toMatchObject({ name: "InvalidParameterValue", status: 400 });
    expect(refused.message).toMatch(message);
  });

  it("refuse a message over 1 MiB, and take one of 1 MiB", async () => {
    expect((await send("x".repeat(1_048_576))).MessageId).toBeDefined();
    expect(await refusalOf(send("x".repeat(1_048_577)))).toMatchObject({
      message:
        "One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.",
    });
  });

  it("refuse unknown attributes, values out of range, and a FIFO queue", async () => {
    const set = (Attributes: { [name: string]: string }) =>
      refusalOf(sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes })));
    expect(await set({ Colour: "red" })).toMatchObject({ name: "InvalidAttributeName" });
    expect(await set({ VisibilityTimeout: "-1" })).toMatchObject({ name: "InvalidAttributeValue" });
    const fifo = sqs.send(new CreateQueueCommand({ QueueName: "a.fifo" }));
    expect((await refusalOf(fifo)).name).toMatch(/UnsupportedOperation$/);
  });

  it("refuse a second queue of the same name with other attributes, and find it otherwise", async () => {
    const create = (VisibilityTimeout: string) =>
      sqs.send(new CreateQueueCommand({ QueueName: "twice", Attributes: { VisibilityTimeout } }));
    const { QueueUrl: first } = await create("9");
    expect((await create("9")).QueueUrl).toBe(first);
    expect(await refusalOf(create("10"))).toMatchObject({ name: "QueueNameExists" });
  });

  it("end the long poll of a queue that is deleted", async () => {
    const poll = receive({ WaitTimeSeconds: 20 });
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    expect(await poll).toEqual([]);
    expect((await refusalOf(receive())).name).toBe("QueueDoesNotExist");
  });
});
