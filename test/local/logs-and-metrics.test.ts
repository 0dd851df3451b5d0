// CloudWatch Logs, CloudWatch metrics and STS through the SDK, after a few invocations.
import {
  GetMetricDataCommand,
  GetMetricStatisticsCommand,
  ListMetricsCommand,
} from "@aws-sdk/client-cloudwatch";
import {
  DescribeLogGroupsCommand,
  DescribeLogStreamsCommand,
  FilterLogEventsCommand,
  GetLogEventsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { InvokeCommand, PutFunctionConcurrencyCommand } from "@aws-sdk/client-lambda";
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalAws } from "../../src/local/start.ts";
import { type Clients, clientsOf, refusalOf, startSystem } from "./clients.ts";

let local: LocalAws;
let clients: Clients;
const GROUP = "/aws/lambda/echo";
const startTime = Date.now() - 60_000;

beforeAll(async () => {
  local = await startSystem();
  clients = clientsOf(local.endpoint);
  const invoke = (FunctionName: string, event: object) =>
    clients.lambda.send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) }));
  // Three at once need three environments, the fourth reuses one; two calls are throttled.
  await Promise.all([1, 2, 3].map((n) => invoke("echo", { say: `line ${n}`, waitMs: 150 })));
  await invoke("echo", { fail: "broken on purpose" });
  await invoke("broken", {});
  await clients.lambda.send(
    new PutFunctionConcurrencyCommand({ FunctionName: "slow", ReservedConcurrentExecutions: 0 }),
  );
  for (let i = 0; i < 2; i++) await refusalOf(invoke("slow", {}));
  await fetch(`${local.outputs.ApiUrl}/a`);
});
afterAll(() => local.stop());

async function filter(more: object): Promise<string[]> {
  const found: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await clients.logs.send(
      new FilterLogEventsCommand({ logGroupName: GROUP, startTime, nextToken, ...more }),
    );
    found.push(...(page.events ?? []).map(({ message }) => message ?? ""));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return found;
}

describe("CloudWatch Logs", () => {
  it("has one REPORT for every invocation, and none for a throttle", async () => {
    expect((await filter({ filterPattern: "REPORT" })).length).toBe(5);
    const call = clients.logs.send(new FilterLogEventsCommand({ logGroupName: "local-SlowLog" }));
    expect((await call).events).toEqual([]);
  });

  it("pages without losing or repeating an event", async () => {
    const whole = await filter({});
    expect(await filter({ limit: 2 })).toEqual(whole);
    expect(new Set(whole.filter((line) => line.startsWith("REPORT"))).size).toBe(5);
  });

  it("has one stream for every execution environment, each begun by INIT_START", async () => {
    const { logStreams = [] } = await clients.logs.send(
      new DescribeLogStreamsCommand({ logGroupName: GROUP }),
    );
    expect(logStreams.length).toBe(3);
    for (const { logStreamName = "" } of logStreams) {
      expect(logStreamName).toMatch(/^\d{4}\/\d\d\/\d\d\/\[\$LATEST\][0-9a-f]{32}$/);
      const { events = [] } = await clients.logs.send(
        new GetLogEventsCommand({ logGroupName: GROUP, logStreamName, startFromHead: true }),
      );
      expect(events[0]?.message).toMatch(/^INIT_START Runtime Version: nodejs:20/);
    }
  });

  it.each([
    ['"line 1"', 1],
    ["line INFO", 3],
    ['line -"line 2"', 2],
    ['?"line 1" ?"line 2"', 2],
    ["nothing-like-this", 0],
  ])("filters by %s", async (filterPattern, count) => {
    expect((await filter({ filterPattern })).length).toBe(count);
  });

  it("writes both inits of a function that cannot load before its START", async () => {
    const lines = await filter({ logGroupName: "/aws/lambda/broken" });
    expect(lines.map((line) => line.replace(/ (RequestId|Init Duration|Runtime).*/s, ""))).toEqual([
      "INIT_START",
      "INIT_REPORT",
      "INIT_REPORT",
      "START",
      "END",
      "REPORT",
    ]);
    expect(lines[1]).toMatch(/\tPhase: init\tStatus: error\tError Type: Runtime\.\w+\n$/);
    expect(lines[2]).toMatch(/\tPhase: invoke\tStatus: error\tError Type: Runtime\.\w+\n$/);
  });

  it("has the access log in the group that the template names", async () => {
    const lines = await filter({ logGroupName: local.outputs.AccessLogGroup });
    expect(lines.map((line) => JSON.parse(line).status)).toEqual(["200"]);
  });

  it("knows the groups, and says so of one that is not there", async () => {
    const { logGroups = [] } = await clients.logs.send(new DescribeLogGroupsCommand({}));
    expect(logGroups.map(({ logGroupName }) => logGroupName)).toEqual([
      "/aws/lambda/broken",
      "/aws/lambda/echo",
      "/shop/access",
      "local-SlowLog",
    ]);
    const call = clients.logs.send(new FilterLogEventsCommand({ logGroupName: "/nobody" }));
    expect(await refusalOf(call)).toMatchObject({
      name: "ResourceNotFoundException",
      status: 400,
      message: "The specified log group does not exist.",
    });
  });
});

describe("CloudWatch", () => {
  const range = { StartTime: new Date(startTime - 60_000), EndTime: new Date(startTime + 600_000) };

  async function total(MetricName: string, name: string | null, Stat = "Sum") {
    const Dimensions = name === null ? [] : [{ Name: "FunctionName", Value: name }];
    const Metric = { Namespace: "AWS/Lambda", MetricName, Dimensions };
    const { MetricDataResults: [result] = [] } = await clients.metrics.send(
      new GetMetricDataCommand({
        ...range,
        MetricDataQueries: [{ Id: "m", MetricStat: { Metric, Period: 3_600, Stat } }],
      }),
    );
    const values = result?.Values ?? [];
    return Stat === "Sum" ? values.reduce((a, b) => a + b, 0) : Math.max(...values);
  }

  it.each([
    ["Invocations", "echo", 5],
    ["Errors", "echo", 1],
    ["Throttles", "echo", 0],
    ["Errors", "broken", 1],
    ["Throttles", "slow", 2],
    ["Invocations", "slow", 0],
    ["Invocations", null, 6],
    ["Throttles", null, 2],
  ])("sums %s of %s", async (metric, name, sum) => {
    expect(await total(metric, name)).toBe(sum);
  });

  it.each([
    ["ConcurrentExecutions", "echo"],
    ["ConcurrentExecutions", null],
    ["UnreservedConcurrentExecutions", null],
  ])("has the maximum of %s of %s", async (metric, name) => {
    expect(await total(metric, name, "Maximum")).toBe(3);
  });

  it("counts reservations as claimed", async () => {
    expect(await total("ClaimedAccountConcurrency", null, "Maximum")).toBe(23);
  });

  it("has Duration percentiles, by minutes stamped with the invocation's start", async () => {
    const { Datapoints = [] } = await clients.metrics.send(
      new GetMetricStatisticsCommand({
        ...range,
        Namespace: "AWS/Lambda",
        MetricName: "Duration",
        Dimensions: [{ Name: "FunctionName", Value: "echo" }],
        Period: 60,
        Statistics: ["SampleCount", "Maximum"],
        ExtendedStatistics: ["p50"],
      }),
    );
    const count = Datapoints.reduce((sum, point) => sum + (point.SampleCount ?? 0), 0);
    const slowest = Math.max(...Datapoints.map((point) => point.Maximum ?? 0));
    expect(count).toBe(5);
    expect(slowest).toBeGreaterThanOrEqual(150);
    for (const { Timestamp, ExtendedStatistics } of Datapoints) {
      expect((Timestamp?.getTime() ?? 1) % 60_000).toBe(0);
      expect(ExtendedStatistics?.p50).toBeGreaterThan(0);
    }
  });

  it("lists the metrics that have points only", async () => {
    const { Metrics = [] } = await clients.metrics.send(
      new ListMetricsCommand({
        Namespace: "AWS/Lambda",
        Dimensions: [{ Name: "FunctionName", Value: "slow" }],
      }),
    );
    expect(Metrics.map(({ MetricName }) => MetricName)).toEqual(["Throttles"]);
  });

  it("refuses metric math with a code that Query clients understand, too", async () => {
    const call = clients.metrics.send(
      new GetMetricDataCommand({ ...range, MetricDataQueries: [{ Id: "m", Expression: "1" }] }),
    );
    expect(await refusalOf(call)).toMatchObject({
      name: "InvalidParameterValueException",
      status: 400,
      Code: "InvalidParameterValue",
    });
  });
});

it("tells a caller who it is", async () => {
  const { Account, Arn } = await clients.sts.send(new GetCallerIdentityCommand({}));
  expect([Account, Arn]).toEqual(["000000000000", "arn:aws:iam::000000000000:user/AKIDEXAMPLE"]);
});
