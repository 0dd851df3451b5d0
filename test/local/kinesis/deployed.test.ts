// A stream, its function and its on-failure queue as a template deploys them, by the SDK.
import { fileURLToPath } from "node:url";
import { CloudWatchClient, GetMetricStatisticsCommand } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import {
  DescribeStreamSummaryCommand,
  KinesisClient,
  PutRecordsCommand,
} from "@aws-sdk/client-kinesis";
import {
  CreateEventSourceMappingCommand,
  GetEventSourceMappingCommand,
  LambdaClient,
  UpdateEventSourceMappingCommand,
} from "@aws-sdk/client-lambda";
import { ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type LocalAws, startLocalAws } from "../../../src/local/start.ts";
import { refusalOf } from "../clients.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const TEMPLATE = fileURLToPath(new URL("./system/template.yaml", import.meta.url));
let local: LocalAws;
const configOf = (endpoint: string) => ({
  endpoint,
  region: "eu-west-1",
  maxAttempts: 1,
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
});
let kinesis: KinesisClient;
let lambda: LambdaClient;

beforeAll(async () => {
  local = await startLocalAws({ template: TEMPLATE });
  kinesis = new KinesisClient(configOf(local.endpoint));
  lambda = new LambdaClient(configOf(local.endpoint));
});
afterAll(async () => {
  kinesis.destroy();
  await local.stop();
});

it("the stream is there at once, with its settings", async () => {
  expect([local.outputs.StreamName, local.outputs.StreamArn]).toEqual([
    "clicks",
    "arn:aws:kinesis:eu-west-1:000000000000:stream/clicks",
  ]);
  const { StreamDescriptionSummary } = await kinesis.send(
    new DescribeStreamSummaryCommand({ StreamARN: local.outputs.StreamArn }),
  );
  expect(StreamDescriptionSummary).toMatchObject({
    StreamStatus: "ACTIVE",
    OpenShardCount: 2,
    RetentionPeriodHours: 48,
  });
});

it("poison lands in the on-failure queue, and everything else is counted once", async () => {
  const texts = ["a", "b", "poison", "c", "d"];
  const Records = texts.map((text) => ({ PartitionKey: "k", Data: Buffer.from(text) }));
  const put = await kinesis.send(new PutRecordsCommand({ StreamName: "clicks", Records }));
  const sqs = new SQSClient(configOf(local.endpoint));
  const QueueUrl = local.outputs.FailedUrl;
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 10 }));
  expect(JSON.parse(Messages?.[0]?.Body ?? "")).toMatchObject({
    requestContext: { condition: "RetryAttemptsExhausted", functionArn: local.outputs.CountArn },
    responseContext: { functionError: "Unhandled" },
    KinesisBatchInfo: {
      batchSize: 1,
      startSequenceNumber: put.Records?.[2]?.SequenceNumber,
      streamArn: local.outputs.StreamArn,
    },
  });
  const logs = new CloudWatchLogsClient(configOf(local.endpoint));
  await expect
    .poll(async () => {
      const command = new FilterLogEventsCommand({
        logGroupName: "/aws/lambda/local-Count",
        filterPattern: "counted",
      });
      const { events = [] } = await logs.send(command);
      return events.map(({ message }) => message?.trim().slice(-1)).join("");
    })
    .toBe("abcd");
});

it("the age of its batches is a metric of the function", async () => {
  const metrics = new CloudWatchClient(configOf(local.endpoint));
  const { Datapoints = [] } = await metrics.send(
    new GetMetricStatisticsCommand({
      Namespace: "AWS/Lambda",
      MetricName: "IteratorAge",
      Dimensions: [{ Name: "FunctionName", Value: "local-Count" }],
      StartTime: new Date(Date.now() - 600_000),
      EndTime: new Date(Date.now() + 60_000),
      Period: 60,
      Statistics: ["Maximum", "SampleCount"],
    }),
  );
  expect(Datapoints.reduce((sum, { SampleCount = 0 }) => sum + SampleCount, 0)).toBeGreaterThan(3);
});

it("the mapping says what it is set to, changes, and is there once", async () => {
  const UUID = local.outputs.MappingId;
  const got = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
  expect(got).toMatchObject({
    State: "Enabled",
    StateTransitionReason: "User action",
    StartingPosition: "TRIM_HORIZON",
    BatchSize: 10,
    MaximumBatchingWindowInSeconds: 0,
    ParallelizationFactor: 1,
    MaximumRecordAgeInSeconds: -1,
    MaximumRetryAttempts: 0,
    BisectBatchOnFunctionError: true,
    TumblingWindowInSeconds: 0,
    FunctionResponseTypes: [],
    LastProcessingResult: "OK",
  });
  const changed = await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }));
  expect(changed.State).toBe("Disabling");
  const again = new CreateEventSourceMappingCommand({
    EventSourceArn: local.outputs.StreamArn,
    FunctionName: "local-Count",
    StartingPosition: "LATEST",
  });
  expect(await refusalOf(lambda.send(again))).toMatchObject({ name: "ResourceConflictException" });
});

it("a mapping from a stream needs to know where to start", async () => {
  const other = new CreateEventSourceMappingCommand({
    EventSourceArn: `${local.outputs.StreamArn}-2`,
    FunctionName: "local-Count",
  });
  expect(await refusalOf(lambda.send(other))).toMatchObject({
    name: "InvalidParameterValueException",
    message:
      "1 validation error detected: Value null at 'startingPosition' failed to satisfy " +
      "constraint: Member must not be null.",
  });
});
