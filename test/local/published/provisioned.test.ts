// Provisioned concurrency through the SDK: from IN_PROGRESS to READY, spill-over, refusals.
import { fileURLToPath } from "node:url";
import { GetMetricStatisticsCommand } from "@aws-sdk/client-cloudwatch";
import { DescribeLogStreamsCommand, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import {
  DeleteProvisionedConcurrencyConfigCommand,
  GetProvisionedConcurrencyConfigCommand,
  ListProvisionedConcurrencyConfigsCommand,
  PutFunctionConcurrencyCommand,
  PutProvisionedConcurrencyConfigCommand,
  UpdateAliasCommand,
} from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { type Clients, clientsOf, refusalOf, startSystem } from "../clients.ts";
import { change, invoke, publish } from "./system.ts";

let local: LocalAws;
let clients: Clients;
let lambda: Clients["lambda"];

beforeAll(async () => {
  const template = fileURLToPath(new URL("./provisioned.yaml", import.meta.url));
  local = await startSystem({ template });
  clients = clientsOf(local.endpoint);
  ({ lambda } = clients);
});
afterAll(() => local.stop());

const put = (FunctionName: string, Qualifier: string, ProvisionedConcurrentExecutions: number) =>
  lambda.send(
    new PutProvisionedConcurrencyConfigCommand({
      FunctionName,
      Qualifier,
      ProvisionedConcurrentExecutions,
    }),
  );

const read = (FunctionName: string, Qualifier: string) =>
  lambda.send(new GetProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier }));

const drop = (FunctionName: string, Qualifier: string) =>
  lambda.send(new DeleteProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier }));

const untilStatus = (name: string, qualifier: string, status: string) =>
  expect.poll(async () => (await read(name, qualifier)).Status, { timeout: 10_000 }).toBe(status);

async function initReports(name: string): Promise<string[]> {
  const command = new FilterLogEventsCommand({
    logGroupName: `/aws/lambda/${name}`,
    filterPattern: "INIT_REPORT",
  });
  const { events } = await clients.logs.send(command);
  return (events ?? []).map(({ message }) => message ?? "");
}

describe("a template's provisioned environments", () => {
  it("are there at the start, initialised ahead, and serve their alias without a cold start", async () => {
    expect(await read("ready", "live")).toMatchObject({
      RequestedProvisionedConcurrentExecutions: 2,
      AvailableProvisionedConcurrentExecutions: 2,
      AllocatedProvisionedConcurrentExecutions: 2,
      Status: "READY",
    });
    const reports = await initReports("ready");
    expect(reports.length).toBe(2);
    for (const report of reports)
      expect(report).toMatch(/^INIT_REPORT Init Duration: 3\d\d\.\d\d ms\tPhase: init\n$/);
    const answer = await invoke(lambda, "ready:live");
    expect(answer).toMatchObject({ executed: "1", start: "provisioned-concurrency", served: 1 });
    expect(answer.log).not.toContain("Init Duration");
    const streams = await clients.logs.send(
      new DescribeLogStreamsCommand({ logGroupName: "/aws/lambda/ready" }),
    );
    expect(streams.logStreams?.length).toBe(2);
  });

  it("spill over to one on demand when all are in use, and the metrics tell them apart", async () => {
    const together = Array.from({ length: 3 }, () =>
      invoke(lambda, "ready:live", { sleepMs: 300 }),
    );
    const starts = (await Promise.all(together)).map(({ start }) => start).sort();
    expect(starts).toEqual(["on-demand", "provisioned-concurrency", "provisioned-concurrency"]);
    const sum = async (MetricName: string, statistic: "Sum" | "Maximum"): Promise<number> => {
      const { Datapoints } = await clients.metrics.send(
        new GetMetricStatisticsCommand({
          Namespace: "AWS/Lambda",
          MetricName,
          Dimensions: [
            { Name: "FunctionName", Value: "ready" },
            { Name: "Resource", Value: "ready:live" },
          ],
          StartTime: new Date(Date.now() - 600_000),
          EndTime: new Date(Date.now() + 60_000),
          Period: 3_600,
          Statistics: [statistic],
        }),
      );
      return Math.max(...(Datapoints ?? []).map((point) => point[statistic] ?? 0));
    };
    expect(await sum("ProvisionedConcurrencyInvocations", "Sum")).toBe(3);
    expect(await sum("ProvisionedConcurrencySpilloverInvocations", "Sum")).toBe(1);
    expect(await sum("ProvisionedConcurrencyUtilization", "Maximum")).toBe(1);
    expect(await sum("Invocations", "Sum")).toBe(4);
  });

  it("serve nobody who invokes another version or none", async () => {
    expect(await invoke(lambda, "ready")).toMatchObject({ start: "on-demand" });
    expect(await invoke(lambda, "ready:1")).toMatchObject({ start: "on-demand" });
  });

  it("are made again after one is lost", async () => {
    const lost = await invoke(lambda, "ready:live", { sleepMs: 4_000 });
    expect(lost.error).toBe("Unhandled");
    await untilStatus("ready", "live", "READY");
    expect(await invoke(lambda, "ready:live")).toMatchObject({ start: "provisioned-concurrency" });
  });

  it("are replaced by the next version's when the alias moves", async () => {
    await change(lambda, { FunctionName: "ready", Environment: { Variables: { GREETING: "2" } } });
    const FunctionVersion = await publish(lambda, "ready");
    await lambda.send(
      new UpdateAliasCommand({ FunctionName: "ready", Name: "live", FunctionVersion }),
    );
    expect(await read("ready", "live")).toMatchObject({
      Status: "IN_PROGRESS",
      AllocatedProvisionedConcurrentExecutions: 2,
      AvailableProvisionedConcurrentExecutions: 0,
    });
    expect(await invoke(lambda, "ready:live")).toMatchObject({ start: "on-demand", greeting: "2" });
    await untilStatus("ready", "live", "READY");
    expect(await invoke(lambda, "ready:live")).toMatchObject({
      start: "provisioned-concurrency",
      greeting: "2",
    });
  });
});

describe("PutProvisionedConcurrencyConfig", () => {
  it("answers IN_PROGRESS, is READY after a while, and leaves $LATEST the rest of the reservation", async () => {
    expect(await put("later", "live", 3)).toMatchObject({
      $metadata: { httpStatusCode: 202 },
      RequestedProvisionedConcurrentExecutions: 3,
      AvailableProvisionedConcurrentExecutions: 0,
      AllocatedProvisionedConcurrentExecutions: 0,
      Status: "IN_PROGRESS",
    });
    await untilStatus("later", "live", "READY");
    expect(await invoke(lambda, "later:live")).toMatchObject({ start: "provisioned-concurrency" });
    expect(await refusalOf(invoke(lambda, "later"))).toMatchObject({
      status: 429,
      Reason: "ReservedFunctionConcurrentInvocationLimitExceeded",
    });
    expect(
      (await lambda.send(new ListProvisionedConcurrencyConfigsCommand({ FunctionName: "later" })))
        .ProvisionedConcurrencyConfigs,
    ).toEqual([
      expect.objectContaining({
        FunctionArn: "arn:aws:lambda:eu-west-1:000000000000:function:later:live",
        Status: "READY",
      }),
    ]);
  });

  it("and reserved concurrency refuse each other", async () => {
    const reserve = (ReservedConcurrentExecutions: number) =>
      lambda.send(
        new PutFunctionConcurrencyCommand({ FunctionName: "later", ReservedConcurrentExecutions }),
      );
    expect(await refusalOf(reserve(0))).toMatchObject({
      name: "InvalidParameterValueException",
      status: 400,
      message:
        " ReservedConcurrentExecutions  0 should not be lower than function's total provisioned " +
        "concurrency [3].",
    });
    expect(await refusalOf(put("later", "live", 4))).toMatchObject({
      name: "InvalidParameterValueException",
      status: 400,
      message:
        "Requested Provisioned Concurrency should not be greater than the " +
        "reservedConcurrentExecution for function",
    });
  });

  it("belongs to the alias or to its version, not to both", async () => {
    expect(await refusalOf(put("later", "1", 1))).toMatchObject({
      status: 409,
      message: "Version is pointed by a Provisioned Concurrency alias",
    });
    await drop("later", "live");
    expect(await refusalOf(read("later", "live"))).toMatchObject({
      name: "ProvisionedConcurrencyConfigNotFoundException",
      status: 404,
    });
    await drop("later", "live");
    await put("later", "1", 1);
    expect(await refusalOf(put("later", "live", 1))).toMatchObject({
      status: 409,
      message: expect.stringContaining("on an already Provisioned version"),
    });
    await untilStatus("later", "1", "READY");
    expect(await invoke(lambda, "later:live")).toMatchObject({ start: "provisioned-concurrency" });
    expect(await invoke(lambda, "later")).toMatchObject({ start: "on-demand" });
    await drop("later", "1");
    expect(await invoke(lambda, "later:live")).toMatchObject({ start: "on-demand" });
  });

  it("is FAILED where the init fails", async () => {
    await put("broken", "live", 1);
    await untilStatus("broken", "live", "FAILED");
    expect(await read("broken", "live")).toMatchObject({
      StatusReason: "FUNCTION_ERROR_INIT_FAILURE",
      AllocatedProvisionedConcurrentExecutions: 0,
    });
    expect(await initReports("broken")).toEqual([
      expect.stringMatching(/Phase: init\tStatus: error\tError Type: Error\n$/),
    ]);
  });

  it.each([
    ["$LATEST", 1, "Provisioned Concurrency Configs cannot be applied to unpublished function"],
    ["live", 0, "1 validation error detected: Value '0' at 'provisionedConcurrentExecutions'"],
    ["live", 5_000, "Specified ConcurrentExecutions for function is greater than account's"],
    ["live", 950, "decreases account's UnreservedConcurrentExecution below its minimum value of"],
  ])("is refused for %s with %i", async (qualifier, wanted, text) => {
    expect(await refusalOf(put("ready", qualifier, wanted))).toMatchObject({
      status: 400,
      message: expect.stringContaining(text),
    });
  });

  it("cannot be read or deleted for $LATEST", async () => {
    for (const call of [read, drop])
      expect(await refusalOf(call("ready", "$LATEST"))).toMatchObject({
        status: 400,
        message: "The function resource provided must be an alias or a published version.",
      });
  });
});
