// Event source mappings through the Lambda client: what is asked for, states, refusals.

import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import {
  CreateEventSourceMappingCommand,
  DeleteEventSourceMappingCommand,
  GetEventSourceMappingCommand,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from "@aws-sdk/client-lambda";
import { GetQueueAttributesCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { type Clients, clientsOf, QUEUES_TEMPLATE, refusalOf, startSystem } from "../clients.ts";

let local: LocalAws;
let clients: Clients;

beforeAll(async () => {
  local = await startSystem({ template: QUEUES_TEMPLATE, scale: 0.1 });
  clients = clientsOf(local.endpoint);
});
afterAll(() => local.stop());

const get = (UUID: string | undefined) =>
  clients.lambda.send(new GetEventSourceMappingCommand({ UUID }));
const stateOf = async (uuid: string | undefined) => (await get(uuid)).State;

describe("the template's mapping", () => {
  it("is enabled, with what was declared; its concurrency is scaled, its batch is not", async () => {
    const { $metadata, LastModified, ...mapping } = await get(local.outputs.Mapping);
    expect(LastModified).toBeInstanceOf(Date);
    expect(mapping).toEqual({
      UUID: local.outputs.Mapping,
      EventSourceMappingArn: `arn:aws:lambda:eu-west-1:000000000000:event-source-mapping:${local.outputs.Mapping}`,
      EventSourceArn: "arn:aws:sqs:eu-west-1:000000000000:hooks",
      FunctionArn: "arn:aws:lambda:eu-west-1:000000000000:function:ingest",
      State: "Enabled",
      StateTransitionReason: "USER_INITIATED",
      BatchSize: 10,
      MaximumBatchingWindowInSeconds: 0,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 2 },
    });
  });

  it("runs the function with what is sent, and deletes it", async () => {
    const QueueUrl = local.outputs.HookQueueUrl;
    for (const i of [1, 2, 3])
      await clients.sqs.send(
        new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify({ i }) }),
      );
    const lines = () =>
      clients.logs.send(
        new FilterLogEventsCommand({ logGroupName: "/aws/lambda/ingest", filterPattern: '"got"' }),
      );
    const got = async () =>
      ((await lines()).events ?? []).reduce(
        (sum, { message }) => sum + Number(/got (\d+)/.exec(message ?? "")?.[1] ?? 0),
        0,
      );
    await expect.poll(got, { timeout: 10_000 }).toBe(3);
    const { Attributes } = await clients.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
    );
    expect(Attributes).toMatchObject({
      ApproximateNumberOfMessages: "0",
      ApproximateNumberOfMessagesNotVisible: "0",
    });
  });

  it("is listed by source and by function", async () => {
    const list = async (by: object) =>
      (await clients.lambda.send(new ListEventSourceMappingsCommand(by))).EventSourceMappings?.map(
        ({ UUID }) => UUID,
      );
    expect(await list({ FunctionName: "ingest" })).toEqual([local.outputs.Mapping]);
    expect(await list({ EventSourceArn: local.outputs.PlainArn })).toEqual([]);
  });

  it("is disabled and enabled after a while, and refuses changes until then", async () => {
    const UUID = local.outputs.Mapping;
    const update = (more: object) =>
      clients.lambda.send(new UpdateEventSourceMappingCommand({ UUID, ...more }));
    expect((await update({ Enabled: false })).State).toBe("Disabling");
    expect(await refusalOf(update({ Enabled: true }))).toMatchObject({
      name: "ResourceInUseException",
      status: 400,
    });
    await expect.poll(() => stateOf(UUID), { timeout: 10_000 }).toBe("Disabled");
    expect((await update({ Enabled: true })).State).toBe("Enabling");
    await expect.poll(() => stateOf(UUID), { timeout: 10_000 }).toBe("Enabled");
  });
});

describe("a mapping", () => {
  const create = (more: object = {}) =>
    clients.lambda.send(
      new CreateEventSourceMappingCommand({
        EventSourceArn: local.outputs.PlainArn,
        FunctionName: "echo",
        ...more,
      }),
    );

  it("is created, changed and deleted", async () => {
    const made = await create();
    expect([made.$metadata.httpStatusCode, made.State, made.BatchSize]).toEqual([
      202,
      "Creating",
      10,
    ]);
    expect(await refusalOf(create())).toMatchObject({
      name: "ResourceConflictException",
      status: 409,
      message: `The event source arn (" ${local.outputs.PlainArn} ") and function (" echo ") provided mapping already exists. Please update or delete the existing mapping with UUID ${made.UUID}`,
    });
    await expect.poll(() => stateOf(made.UUID), { timeout: 10_000 }).toBe("Enabled");
    await clients.lambda.send(
      new UpdateEventSourceMappingCommand({
        UUID: made.UUID,
        BatchSize: 100,
        MaximumBatchingWindowInSeconds: 1,
      }),
    );
    await expect.poll(async () => (await get(made.UUID)).BatchSize, { timeout: 10_000 }).toBe(100);
    const gone = await clients.lambda.send(
      new DeleteEventSourceMappingCommand({ UUID: made.UUID }),
    );
    expect(gone.State).toBe("Deleting");
    await expect
      .poll(async () => (await refusalOf(get(made.UUID))).name, { timeout: 10_000 })
      .toBe("ResourceNotFoundException");
  });

  it.each([
    ["an unknown function", { FunctionName: "nobody" }, "Function does not exist"],
    [
      "an unknown queue",
      { EventSourceArn: "arn:aws:sqs:eu-west-1:000000000000:nobody" },
      "Error occurred while ReceiveMessage. SQS Error Code: AWS.SimpleQueueService.NonExistentQueue. SQS Error Message: The specified queue does not exist.",
    ],
    [
      "a large batch without a window",
      { BatchSize: 11 },
      "Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10",
    ],
    ["a filter", { FilterCriteria: { Filters: [] } }, /not modelled/],
  ])("is refused for %s", async (_, more, message) => {
    const refused = await refusalOf(create(more));
    expect(refused).toMatchObject({ name: "InvalidParameterValueException", status: 400 });
    if (message instanceof RegExp) expect(refused.message).toMatch(message);
    else expect(refused.message).toBe(message);
  });
});
