// Versions, aliases and changes of configuration through the SDK.
import { GetMetricStatisticsCommand } from "@aws-sdk/client-cloudwatch";
import { DescribeLogStreamsCommand, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import {
  CreateAliasCommand,
  DeleteAliasCommand,
  DeleteFunctionCommand,
  GetAliasCommand,
  GetFunctionCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  ListAliasesCommand,
  ListVersionsByFunctionCommand,
  PublishVersionCommand,
  UpdateAliasCommand,
  UpdateFunctionConfigurationCommand,
} from "@aws-sdk/client-lambda";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { type Clients, clientsOf, refusalOf, startSystem } from "../clients.ts";
import { change, invoke, PUBLISHED_TEMPLATE, publish } from "./system.ts";

let local: LocalAws;
let clients: Clients;
let lambda: Clients["lambda"];

beforeAll(async () => {
  local = await startSystem({ template: PUBLISHED_TEMPLATE });
  clients = clientsOf(local.endpoint);
  ({ lambda } = clients);
});
afterAll(() => local.stop());

const ARN = "arn:aws:lambda:eu-west-1:000000000000:function";

describe("a template with AutoPublishAlias", () => {
  it("has version 1 behind the alias, which its API, its URL and its queue invoke", async () => {
    const alias = await lambda.send(new GetAliasCommand({ FunctionName: "shop", Name: "live" }));
    expect(alias).toMatchObject({ AliasArn: `${ARN}:shop:live`, FunctionVersion: "1" });
    for (const front of ["Api", "Url"]) {
      const answer = (await (await fetch(local.outputs[front] ?? "")).json()) as object;
      expect(answer).toMatchObject({ version: "1", inEnvironment: "1", arn: "shop:live" });
    }
    const FunctionName = "plain";
    await clients.sqs.send(
      new SendMessageCommand({
        QueueUrl: `${local.endpoint}/000000000000/jobs`,
        MessageBody: "{}",
      }),
    );
    await expect
      .poll(() => streamsOf("/aws/lambda/worker"))
      .toEqual([expect.stringMatching(/\[1\]/)]);
    const { Environment } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName }),
    );
    expect(Environment?.Variables).toEqual({
      ALIAS: `${ARN}:shop:live`,
      VERSION: `${ARN}:shop:1`,
    });
  });
});

async function streamsOf(logGroupName: string): Promise<(string | undefined)[]> {
  const command = new DescribeLogStreamsCommand({ logGroupName });
  const { logStreams } = await clients.logs.send(command).catch(() => ({ logStreams: [] }));
  return (logStreams ?? []).map(({ logStreamName }) => logStreamName);
}

describe("versions", () => {
  it("run with their number in START, stream, context and answer", async () => {
    const answer = await invoke(lambda, "shop:live");
    expect(answer).toMatchObject({
      executed: "1",
      version: "1",
      inEnvironment: "1",
      arn: "shop:live",
      greeting: "hello",
    });
    expect(answer.stream).toMatch(/^\d{4}\/\d\d\/\d\d\/\[1\][0-9a-f]{32}$/);
    expect(answer.log).toMatch(/^START RequestId: \S+ Version: 1\n/);
    expect(await invoke(lambda, "shop")).toMatchObject({ executed: "$LATEST", arn: "shop" });
    const { events } = await clients.logs.send(
      new FilterLogEventsCommand({
        logGroupName: "/aws/lambda/shop",
        filterPattern: '"Version: 1"',
      }),
    );
    expect(events?.every(({ logStreamName }) => logStreamName?.includes("/[1]"))).toBe(true);
  });

  it("have environments of their own", async () => {
    const [first, latest] = [await invoke(lambda, "shop:1"), await invoke(lambda, "shop")];
    const again = await invoke(lambda, "shop:live");
    expect(again).toMatchObject({ stream: first.stream, served: first.served + 1 });
    expect(latest.stream).not.toBe(first.stream);
  });

  it("are published only when something changed, and listed with $LATEST first", async () => {
    expect(await publish(lambda, "worker")).toBe("1");
    await change(lambda, { FunctionName: "worker", Environment: { Variables: { GREETING: "b" } } });
    expect(await publish(lambda, "worker")).toBe("2");
    const list = await lambda.send(new ListVersionsByFunctionCommand({ FunctionName: "worker" }));
    expect(list.Versions?.map(({ Version, FunctionArn }) => [Version, FunctionArn])).toEqual([
      ["$LATEST", `${ARN}:worker:$LATEST`],
      ["1", `${ARN}:worker:1`],
      ["2", `${ARN}:worker:2`],
    ]);
    expect(await invoke(lambda, "worker:1")).toMatchObject({ executed: "1" });
    expect((await invoke(lambda, "worker:1")).greeting).toBeUndefined();
    expect(await invoke(lambda, "worker:2")).toMatchObject({ executed: "2", greeting: "b" });
  });

  it("are refused with a wrong hash or revision, and not deleted under an alias", async () => {
    const FunctionName = "shop";
    const hash = new PublishVersionCommand({ FunctionName, CodeSha256: "x" });
    expect(await refusalOf(lambda.send(hash))).toMatchObject({
      name: "InvalidParameterValueException",
      status: 400,
      message: expect.stringMatching(/^CodeSHA256 \(x\) is different from current CodeSHA256 in/),
    });
    const revision = new PublishVersionCommand({ FunctionName, RevisionId: "x" });
    expect(await refusalOf(lambda.send(revision))).toMatchObject({
      name: "PreconditionFailedException",
      status: 412,
    });
    const drop = new DeleteFunctionCommand({ FunctionName, Qualifier: "1" });
    expect(await refusalOf(lambda.send(drop))).toMatchObject({
      name: "ResourceConflictException",
      status: 409,
    });
  });

  it("that are deleted are gone, and their number does not come back", async () => {
    await change(lambda, { FunctionName: "plain", Description: "a" });
    expect(await publish(lambda, "plain")).toBe("1");
    await invoke(lambda, "plain:1");
    await lambda.send(new DeleteFunctionCommand({ FunctionName: "plain", Qualifier: "1" }));
    expect(await refusalOf(lambda.send(new InvokeCommand({ FunctionName: "plain:1" })))).toEqual(
      expect.objectContaining({
        name: "ResourceNotFoundException",
        status: 404,
        message: `Function not found: ${ARN}:plain:1`,
      }),
    );
    expect(await publish(lambda, "plain")).toBe("2");
  });
});

describe("an alias", () => {
  const FunctionName = "worker";

  it("is created, shown, listed, moved and deleted", async () => {
    const made = await lambda.send(
      new CreateAliasCommand({ FunctionName, Name: "next", FunctionVersion: "2" }),
    );
    expect(made).toMatchObject({ Name: "next", FunctionVersion: "2", Description: "" });
    expect(await invoke(lambda, "worker:next")).toMatchObject({
      executed: "2",
      arn: "worker:next",
    });
    const twice = new CreateAliasCommand({ FunctionName, Name: "next", FunctionVersion: "2" });
    expect(await refusalOf(lambda.send(twice))).toMatchObject({
      name: "ResourceConflictException",
      status: 409,
      message: `Alias already exists: ${ARN}:worker:next`,
    });
    const { Aliases } = await lambda.send(
      new ListAliasesCommand({ FunctionName, FunctionVersion: "2" }),
    );
    expect(Aliases?.map(({ Name }) => Name)).toEqual(["next"]);
    const moved = await lambda.send(
      new UpdateAliasCommand({
        FunctionName,
        Name: "next",
        FunctionVersion: "1",
        RevisionId: made.RevisionId,
      }),
    );
    expect(moved.RevisionId).not.toBe(made.RevisionId);
    expect(await invoke(lambda, "worker:next")).toMatchObject({ executed: "1" });
    const stale = new UpdateAliasCommand({
      FunctionName,
      Name: "next",
      FunctionVersion: "2",
      RevisionId: made.RevisionId,
    });
    expect(await refusalOf(lambda.send(stale))).toMatchObject({
      name: "PreconditionFailedException",
      status: 412,
    });
    for (let i = 0; i < 2; i++)
      await lambda.send(new DeleteAliasCommand({ FunctionName, Name: "next" }));
    expect(
      await refusalOf(lambda.send(new GetAliasCommand({ FunctionName, Name: "next" }))),
    ).toMatchObject({ status: 404, message: `Cannot find alias arn: ${ARN}:worker:next` });
    expect(
      await refusalOf(lambda.send(new UpdateAliasCommand({ FunctionName, Name: "next" }))),
    ).toMatchObject({ status: 404, message: `Alias not found: ${ARN}:worker:next` });
  });

  it("with weights sends about that share to the other version, until they are cleared", async () => {
    const Name = "canary";
    const weights = (AdditionalVersionWeights: { [version: string]: number }) => ({
      FunctionName,
      Name,
      FunctionVersion: "1",
      RoutingConfig: { AdditionalVersionWeights },
    });
    const made = await lambda.send(new CreateAliasCommand(weights({ 2: 0.2 })));
    expect(made.RoutingConfig).toEqual({ AdditionalVersionWeights: { 2: 0.2 } });
    const ran: (string | undefined)[] = [];
    for (let i = 0; i < 200; i++) ran.push((await invoke(lambda, "worker:canary")).executed);
    const count = (wanted: string): number => ran.filter((version) => version === wanted).length;
    expect(count("1") + count("2")).toBe(200);
    expect(Math.abs(count("2") - 40)).toBeLessThan(23); // four standard deviations
    const { Datapoints = [] } = await clients.metrics.send(
      new GetMetricStatisticsCommand({
        Namespace: "AWS/Lambda",
        MetricName: "Invocations",
        Dimensions: [
          { Name: "FunctionName", Value: FunctionName },
          { Name: "Resource", Value: "worker:canary" },
          { Name: "ExecutedVersion", Value: "2" },
        ],
        StartTime: new Date(Date.now() - 600_000),
        EndTime: new Date(Date.now() + 60_000),
        Period: 3_600,
        Statistics: ["Sum"],
      }),
    );
    expect(Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0)).toBe(count("2"));
    const cleared = await lambda.send(new UpdateAliasCommand(weights({})));
    expect(cleared.RoutingConfig).toBeUndefined();
    expect(await invoke(lambda, "worker:canary")).toMatchObject({ executed: "1" });
  });

  it("with weights moves neither to $LATEST nor to the version that has its weight", async () => {
    const RoutingConfig = { AdditionalVersionWeights: { 2: 0.2 } };
    const at = { FunctionName, Name: "canary" };
    await lambda.send(new UpdateAliasCommand({ ...at, FunctionVersion: "1", RoutingConfig }));
    for (const FunctionVersion of ["$LATEST", "2"]) {
      const moved = lambda.send(new UpdateAliasCommand({ ...at, FunctionVersion }));
      expect(await refusalOf(moved)).toMatchObject({ status: 400 });
    }
    expect(await lambda.send(new GetAliasCommand(at))).toMatchObject({
      FunctionVersion: "1",
      RoutingConfig,
    });
  });

  it.each([
    ["two more versions", { 2: 0.1, 3: 0.1 }, "Number of items in AdditionalVersionWeights"],
    ["its own version again", { 1: 0.1 }, "Invalid function version 1. Function version 1 is"],
    ["a weight over 1", { 2: 1.5 }, "1 validation error detected: Value '{2=1.5}'"],
    ["$LATEST", { $LATEST: 0.1 }, "$LATEST is not supported for an alias pointing to more than 1"],
  ])("is refused %s", async (_, AdditionalVersionWeights, text) => {
    const refused = await refusalOf(
      lambda.send(
        new CreateAliasCommand({
          FunctionName,
          Name: "wrong",
          FunctionVersion: "1",
          RoutingConfig: { AdditionalVersionWeights },
        }),
      ),
    );
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining(text) });
  });

  it("cannot be all digits, or name a version that is not there", async () => {
    const named = (Name: string, FunctionVersion: string) =>
      refusalOf(lambda.send(new CreateAliasCommand({ FunctionName, Name, FunctionVersion })));
    expect(await named("7", "1")).toMatchObject({ name: "ValidationException", status: 400 });
    expect(await named("seven", "7")).toMatchObject({
      status: 404,
      message: `Function not found: ${ARN}:worker:7`,
    });
  });

  it("is what GetFunction by qualifier answers for", async () => {
    const { Configuration } = await lambda.send(
      new GetFunctionCommand({ FunctionName: "shop", Qualifier: "live" }),
    );
    expect(Configuration).toMatchObject({ Version: "1", FunctionArn: `${ARN}:shop:live` });
  });
});

describe("a changed configuration", () => {
  const FunctionName = "shop";

  it("is shown as InProgress, serves after a while, and then in new environments", async () => {
    const before = await invoke(lambda, FunctionName);
    const updating = new UpdateFunctionConfigurationCommand({
      FunctionName,
      Environment: { Variables: { GREETING: "changed" } },
      Timeout: 1,
      Layers: [`${ARN.replace(":function", "")}:layer:wrap:3`],
    });
    const updated = await lambda.send(updating);
    expect(updated).toMatchObject({
      LastUpdateStatus: "InProgress",
      LastUpdateStatusReasonCode: "Creating",
      Timeout: 1,
      Layers: [{ Arn: "arn:aws:lambda:eu-west-1:000000000000:layer:wrap:3", CodeSize: 0 }],
    });
    expect(await invoke(lambda, FunctionName)).toMatchObject({
      greeting: "hello",
      stream: before.stream,
    });
    for (const command of [updating, new PublishVersionCommand({ FunctionName })])
      expect(await refusalOf(lambda.send(command as typeof updating))).toMatchObject({
        name: "ResourceConflictException",
        status: 409,
        message: expect.stringContaining("An update is in progress for resource: "),
      });
    await expect
      .poll(
        async () => {
          const read = new GetFunctionConfigurationCommand({ FunctionName });
          return (await lambda.send(read)).LastUpdateStatus;
        },
        { timeout: 10_000 },
      )
      .toBe("Successful");
    const after = await invoke(lambda, FunctionName);
    expect(after).toMatchObject({ greeting: "changed", served: 1 });
    expect(after.log).toContain("Init Duration");
    expect(await invoke(lambda, "shop:live")).toMatchObject({ greeting: "hello" });
  });

  it("of the timeout acts", async () => {
    const slow = await invoke(lambda, FunctionName, { sleepMs: 1_500 });
    expect(slow.error).toBe("Unhandled");
    expect(slow.log).toMatch(/Duration: 1000\.00 ms\t.*Status: timeout/);
    expect((await invoke(lambda, "shop:live", { sleepMs: 1_500 })).error).toBeUndefined();
  });

  it("lets what runs finish in its old environment", async () => {
    const running = invoke(lambda, "worker", { sleepMs: 2_500 });
    await change(lambda, { FunctionName: "worker", Environment: { Variables: { GREETING: "c" } } });
    expect(await invoke(lambda, "worker")).toMatchObject({ greeting: "c" });
    expect(await running).toMatchObject({ greeting: "b" });
  });

  it("without Variables has none, and with an old revision is refused", async () => {
    await change(lambda, { FunctionName: "worker", Environment: {} });
    const { Environment, RevisionId } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: "worker" }),
    );
    expect(Environment).toBeUndefined();
    await change(lambda, { FunctionName: "worker", Timeout: 4, RevisionId });
    const stale = new UpdateFunctionConfigurationCommand({
      FunctionName: "worker",
      Timeout: 5,
      RevisionId,
    });
    expect(await refusalOf(lambda.send(stale))).toMatchObject({
      name: "PreconditionFailedException",
      status: 412,
    });
  });

  it.each([
    ["a reserved name", { Environment: { Variables: { AWS_REGION: "x" } } }, /reserved keys/],
    ["a timeout over 900 s", { Timeout: 901 }, /less than or equal to 900/],
    ["too little memory", { MemorySize: 64 }, /greater than or equal to 128/],
    [
      "five kilobytes of variables",
      { Environment: { Variables: { BIG: "x".repeat(5_000) } } },
      /4KB/,
    ],
    ["what is not modelled", { KMSKeyArn: "arn:aws:kms:a" }, /KMSKeyArn is not modelled/],
    ["a handler that is none", { Handler: "index" }, /'handler'/],
  ])("is refused with %s", async (_, input, text) => {
    const refused = await refusalOf(
      lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, ...input })),
    );
    expect(refused).toMatchObject({ status: 400, message: expect.stringMatching(text) });
  });
});
