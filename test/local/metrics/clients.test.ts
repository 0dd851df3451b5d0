// CloudWatch through the SDK and the command line: alarms, queue metrics, the seed's commands.
import {
  DescribeAlarmsCommand,
  GetMetricDataCommand,
  SetAlarmStateCommand,
} from "@aws-sdk/client-cloudwatch";
import { InvokeCommand } from "@aws-sdk/client-lambda";
import { ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { type Clients, clientsOf, QUEUES_TEMPLATE, startSystem } from "../clients.ts";
import { AWS_CLIS, aws } from "../other-clients.ts";

let local: LocalAws;
let clients: Clients;

beforeAll(async () => {
  local = await startSystem({ template: QUEUES_TEMPLATE, scale: 0.1 });
  clients = clientsOf(local.endpoint);
  const QueueUrl = local.outputs.PlainUrl;
  await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "12345" }));
  await clients.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  await clients.sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  await clients.lambda.send(new InvokeCommand({ FunctionName: "echo" }));
});
afterAll(() => local.stop());

const HIGH = "lambda-account-concurrency-utilization-high";
const DECLARED = {
  AlarmName: HIGH,
  AlarmArn: `arn:aws:cloudwatch:eu-west-1:000000000000:alarm:${HIGH}`,
  ActionsEnabled: true,
  AlarmActions: ["arn:aws:sns:eu-west-1:000000000000:on-call"],
  OKActions: [],
  MetricName: "ConcurrentExecutions",
  Namespace: "AWS/Lambda",
  Statistic: "Maximum",
  Dimensions: [],
  Period: 60,
  EvaluationPeriods: 2,
  Threshold: 70,
  ComparisonOperator: "GreaterThanThreshold",
  TreatMissingData: "missing",
};

/** From some minutes ago to the end of this one. */
function range(): { StartTime: Date; EndTime: Date } {
  const now = Date.now();
  return { StartTime: new Date(now - 300_000), EndTime: new Date(now + 60_000) };
}

describe("the SDK", () => {
  it("sees an alarm on concurrency with its threshold scaled", async () => {
    const { MetricAlarms } = await clients.metrics.send(
      new DescribeAlarmsCommand({ AlarmNamePrefix: "lambda-account" }),
    );
    expect(MetricAlarms).toMatchObject([DECLARED]);
    expect(MetricAlarms?.[0]?.StateUpdatedTimestamp).toBeInstanceOf(Date);
    const others = await clients.metrics.send(new DescribeAlarmsCommand({ StateValue: "ALARM" }));
    expect(others.MetricAlarms).toEqual([]);
  });

  it("sets an alarm's state, and hears what is wrong with one that is none", async () => {
    const set = (AlarmName: string, StateValue: string) => {
      const input = { AlarmName, StateValue: StateValue as "OK", StateReason: "a rehearsal" };
      return clients.metrics.send(new SetAlarmStateCommand(input));
    };
    await set(HIGH, "ALARM");
    const { MetricAlarms } = await clients.metrics.send(
      new DescribeAlarmsCommand({ StateValue: "ALARM" }),
    );
    expect(MetricAlarms).toMatchObject([{ AlarmName: HIGH, StateReason: "a rehearsal" }]);
    await set(HIGH, "OK");
    await expect(set("none", "OK")).rejects.toMatchObject({ name: "ResourceNotFound" });
    await expect(set(HIGH, "RED")).rejects.toThrow("StateValue must be one of OK, ALARM");
  });

  it("sees what a queue was sent and gave out, and nothing of what did not happen", async () => {
    const of = async (MetricName: string, Stat: string) => {
      const { MetricDataResults } = await clients.metrics.send(
        new GetMetricDataCommand({
          ...range(),
          MetricDataQueries: [
            {
              Id: "m",
              MetricStat: {
                Metric: {
                  Namespace: "AWS/SQS",
                  MetricName,
                  Dimensions: [{ Name: "QueueName", Value: "plain" }],
                },
                Period: 60,
                Stat,
              },
            },
          ],
        }),
      );
      return MetricDataResults?.[0]?.Values?.reduce((sum, value) => sum + value, 0);
    };
    expect(await of("NumberOfMessagesSent", "Sum")).toBe(1);
    expect(await of("SentMessageSize", "Sum")).toBe(5);
    expect(await of("NumberOfMessagesReceived", "Sum")).toBe(1);
    expect(await of("NumberOfEmptyReceives", "Sum")).toBe(1);
    expect(await of("NumberOfMessagesDeleted", "SampleCount")).toBe(0);
    await expect.poll(() => of("ApproximateNumberOfMessagesNotVisible", "SampleCount")).not.toBe(0);
  });
});

describe("the command line", () => {
  it.skipIf(AWS_CLIS.length > 0)("is not on this machine: apt-get install awscli", () => {});

  const SLOW_MS = 120_000; // a Python start takes seconds on a busy machine

  it.each(AWS_CLIS)("$version answers what an incident asks", { timeout: SLOW_MS }, async (cli) => {
    const run = (...args: string[]) => aws(cli.program, local.endpoint, args);
    const { StartTime, EndTime } = range();
    const [concurrency, none, limit, durations] = await Promise.all([
      run(
        ...["cloudwatch", "get-metric-statistics"],
        ...["--namespace", "AWS/Lambda", "--metric-name", "ConcurrentExecutions"],
        ...["--dimensions", "Name=FunctionName,Value=echo"],
        ...["--start-time", StartTime.toISOString(), "--end-time", EndTime.toISOString()],
        ...["--period", "60", "--statistics", "Maximum", "--query", "Datapoints[].Maximum"],
      ),
      run("lambda", "get-function-concurrency", "--function-name", "echo"),
      run("lambda", "get-account-settings", "--query", "AccountLimit.ConcurrentExecutions"),
      run(
        ...["cloudwatch", "get-metric-statistics"],
        ...["--namespace", "AWS/Lambda", "--metric-name", "Duration"],
        ...["--start-time", StartTime.toISOString(), "--end-time", EndTime.toISOString()],
        ...["--period", "300", "--extended-statistics", "p99"],
      ),
    ]);
    expect([concurrency, none, limit]).toEqual([[1], null, 100]);
    expect(durations).toMatchObject({
      Label: "Duration",
      Datapoints: [{ Unit: "Milliseconds", ExtendedStatistics: { p99: expect.any(Number) } }],
    });
  });

  it.each(AWS_CLIS)("$version sees alarms and metrics", { timeout: SLOW_MS }, async (cli) => {
    const [alarms, listed] = await Promise.all([
      aws(cli.program, local.endpoint, ["cloudwatch", "describe-alarms", "--alarm-names", HIGH]),
      aws(cli.program, local.endpoint, [
        ...["cloudwatch", "list-metrics", "--namespace", "AWS/SQS"],
        ...["--dimensions", "Name=QueueName,Value=plain"],
        ...["--metric-name", "NumberOfMessagesSent"],
      ]),
    ]);
    expect(alarms).toMatchObject({ MetricAlarms: [DECLARED] });
    const state = ["--state-value", "ALARM", "--state-reason", cli.version];
    await aws(cli.program, local.endpoint, [
      ...["cloudwatch", "set-alarm-state", "--alarm-name", HIGH],
      ...state,
    ]);
    const { MetricAlarms } = await clients.metrics.send(new DescribeAlarmsCommand({}));
    expect(MetricAlarms?.find(({ AlarmName }) => AlarmName === HIGH)).toMatchObject({
      StateValue: "ALARM",
      StateReason: cli.version,
    });
    const Dimensions = [{ Name: "QueueName", Value: "plain" }];
    const MetricName = "NumberOfMessagesSent";
    expect(listed).toMatchObject({ Metrics: [{ Namespace: "AWS/SQS", MetricName, Dimensions }] });
  });
});
