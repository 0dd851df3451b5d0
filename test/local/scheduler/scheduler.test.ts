// Scheduler by its unmodified SDK client: groups, conflicts, and targets that are really called.
import { GetMetricStatisticsCommand } from "@aws-sdk/client-cloudwatch";
import { FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  GetScheduleGroupCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  SchedulerClient,
  type Target,
  UpdateScheduleCommand,
} from "@aws-sdk/client-scheduler";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { createControlPlane } from "../../../src/aws/control-plane.ts";
import type { ControlPlane, Json } from "../../../src/core/change.ts";
import { parseExpression } from "../../../src/local/scheduler/expression.ts";
import { type LocalShop, startLocalShop } from "../../support/local-shop.ts";
import { SkipClock } from "../../support/skip-clock.ts";
import { clientsOf, refusalOf } from "../clients.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const MINUTE_MS = 60_000;
const ROLE = "arn:aws:iam::000000000000:role/gatecrash";

let clock: SkipClock;
let shop: LocalShop;
let client: SchedulerClient;
let control: ControlPlane;
beforeEach(async () => {
  clock = new SkipClock();
  shop = await startLocalShop(clock);
  const { endpoint } = shop;
  client = new SchedulerClient({
    endpoint,
    region: "eu-west-1",
    maxAttempts: 1,
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
  });
  control = createControlPlane({ endpoint, region: "eu-west-1", account: null, runId: "test" });
});
afterEach(async () => {
  client.destroy();
  await shop[Symbol.asyncDispose]();
});

const at = (inMs: number): string =>
  `at(${new Date(clock.wallMs() + inMs).toISOString().slice(0, 19)})`;

const targetOf = (to: number): Target => ({
  Arn: "arn:aws:scheduler:::aws-sdk:lambda:putFunctionConcurrency",
  RoleArn: ROLE,
  Input: JSON.stringify({ FunctionName: "checkout", ReservedConcurrentExecutions: to }),
  RetryPolicy: { MaximumEventAgeInSeconds: 300 },
});

const putting = (
  to: number,
  more: Partial<CreateScheduleCommandInput> = {},
): CreateScheduleCommandInput => ({
  Name: "one",
  ScheduleExpression: at(MINUTE_MS),
  FlexibleTimeWindow: { Mode: "OFF" },
  Target: targetOf(to),
  ...more,
});

async function reserved(): Promise<Json | undefined> {
  const output = await control.call("lambda", "GetFunctionConcurrency", {
    FunctionName: "checkout",
  });
  return output.ReservedConcurrentExecutions as Json | undefined;
}

/** Minutes pass one by one; what falls due is done before the next. */
async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute++) await clock.skip(MINUTE_MS);
}

test("a one-time schedule calls its target within two minutes of its time, and is kept", async () => {
  await client.send(new CreateScheduleCommand(putting(7)));
  expect(await reserved()).toBeUndefined();
  await minutes(2);
  expect(await reserved()).toBe(7);
  const { Name } = await client.send(new GetScheduleCommand({ Name: "one" }));
  expect(Name).toBe("one");
});

test("a completed schedule is deleted when that is what it asks for", async () => {
  await client.send(new CreateScheduleCommand(putting(7, { ActionAfterCompletion: "DELETE" })));
  await minutes(2);
  expect(await reserved()).toBe(7);
  expect(await refusalOf(client.send(new GetScheduleCommand({ Name: "one" })))).toMatchObject({
    name: "ResourceNotFoundException",
    status: 404,
  });
});

test("a name that is taken is a conflict, in the same group only", async () => {
  await client.send(new CreateScheduleGroupCommand({ Name: "gatecrash" }));
  await client.send(new CreateScheduleCommand(putting(7, { GroupName: "gatecrash" })));
  const again = client.send(new CreateScheduleCommand(putting(8, { GroupName: "gatecrash" })));
  expect(await refusalOf(again)).toMatchObject({ name: "ConflictException", status: 409 });
  await client.send(new CreateScheduleCommand(putting(8)));
  const { Schedules } = await client.send(new ListSchedulesCommand({ GroupName: "gatecrash" }));
  expect(Schedules?.map(({ Name, GroupName }) => [Name, GroupName])).toEqual([
    ["one", "gatecrash"],
  ]);
  const nowhere = client.send(new CreateScheduleCommand(putting(8, { GroupName: "none" })));
  expect(await refusalOf(nowhere)).toMatchObject({ name: "ResourceNotFoundException" });
});

test("groups are made once, listed, and deleted with their schedules", async () => {
  await client.send(new CreateScheduleGroupCommand({ Name: "gatecrash" }));
  const again = client.send(new CreateScheduleGroupCommand({ Name: "gatecrash" }));
  expect(await refusalOf(again)).toMatchObject({ name: "ConflictException", status: 409 });
  const { State } = await client.send(new GetScheduleGroupCommand({ Name: "gatecrash" }));
  expect(State).toBe("ACTIVE");
  await client.send(new CreateScheduleCommand(putting(7, { GroupName: "gatecrash" })));
  await client.send(new DeleteScheduleGroupCommand({ Name: "gatecrash" }));
  await minutes(3);
  expect(await reserved()).toBeUndefined();
  const { ScheduleGroups } = await client.send(new ListScheduleGroupsCommand({}));
  expect(ScheduleGroups?.map(({ Name }) => Name)).toEqual(["default"]);
});

test("an update moves it forward, a delete ends it, a disabled one is never due", async () => {
  await client.send(new CreateScheduleCommand(putting(7)));
  await client.send(
    new UpdateScheduleCommand(putting(8, { ScheduleExpression: at(5 * MINUTE_MS) })),
  );
  await client.send(new CreateScheduleCommand(putting(9, { Name: "off", State: "DISABLED" })));
  await client.send(new CreateScheduleCommand(putting(10, { Name: "gone" })));
  await client.send(new DeleteScheduleCommand({ Name: "gone" }));
  await minutes(4);
  expect(await reserved()).toBeUndefined();
  await minutes(2);
  expect(await reserved()).toBe(8);
});

test("a target that is refused is called again, until its event is too old", async () => {
  const plan = (body: object) =>
    fetch(new URL("/_local/faults", shop.endpoint), { method: "POST", body: JSON.stringify(body) });
  await plan({ action: "PutFunctionConcurrency", times: 3, error: 429 });
  await client.send(new CreateScheduleCommand(putting(7)));
  await minutes(2);
  expect(await reserved()).toBeUndefined();
  await minutes(3);
  expect(await reserved()).toBe(7);
  await plan({ action: "PutFunctionConcurrency", times: 50, error: 500 });
  await client.send(new CreateScheduleCommand(putting(8, { Name: "two" })));
  await minutes(20);
  expect(await reserved()).toBe(7);
});

describe("a schedule that comes again", () => {
  const invoking = (ScheduleExpression: string): CreateScheduleCommandInput =>
    putting(0, {
      ScheduleExpression,
      Target: { Arn: shop.functions.checkout, RoleArn: ROLE, Input: '{"from":"schedule"}' },
    });

  /** Minutes in which the function was given an event, ms since 1970; each as often as it was. */
  async function receivedAt(): Promise<number[]> {
    const { Datapoints = [] } = await clientsOf(shop.endpoint).metrics.send(
      new GetMetricStatisticsCommand({
        Namespace: "AWS/Lambda",
        MetricName: "AsyncEventsReceived",
        Dimensions: [{ Name: "FunctionName", Value: "checkout" }],
        StartTime: new Date(clock.wallMs() - 60 * MINUTE_MS),
        EndTime: new Date(clock.wallMs() + MINUTE_MS),
        Period: 60,
        Statistics: ["Sum"],
      }),
    );
    return Datapoints.flatMap(({ Timestamp, Sum = 0 }) =>
      Array<number>(Sum).fill(Timestamp?.getTime() ?? 0),
    ).sort((a, b) => a - b);
  }
  const minuteOf = (atMs: number): number => Math.floor(atMs / MINUTE_MS) * MINUTE_MS;

  /** Due times are met by the next step of the clock, up to a minute later. */
  function expectOnTime(atMs: readonly number[], dueMs: readonly number[]): void {
    expect(atMs.length).toBe(dueMs.length);
    for (const [k, each] of dueMs.entries()) {
      const lateMinutes = (atMs[k]! - minuteOf(each)) / MINUTE_MS;
      expect(lateMinutes, `the call at ${each}`).toBeOneOf([0, 1]);
    }
  }

  it("by rate invokes its function that often, until it is deleted", async () => {
    const startMs = clock.wallMs();
    await client.send(new CreateScheduleCommand(invoking("rate(2 minutes)")));
    await minutes(7);
    const dueMs = [2, 4, 6].map((after) => startMs + after * MINUTE_MS);
    expectOnTime(await receivedAt(), dueMs);
    await client.send(new DeleteScheduleCommand({ Name: "one" }));
    await minutes(4);
    expect((await receivedAt()).length).toBe(3);
    const { logs } = clientsOf(shop.endpoint);
    const ran = new FilterLogEventsCommand({
      logGroupName: "/aws/lambda/checkout",
      filterPattern: "REPORT",
    });
    await expect.poll(async () => (await logs.send(ran)).events?.length).toBe(3);
  });

  it("by cron invokes its function at those minutes of the hour", async () => {
    const dueMs = [2, 5].map((after) => minuteOf(clock.wallMs()) + after * MINUTE_MS);
    const fields = dueMs.map((each) => new Date(each).getUTCMinutes()).join(",");
    await client.send(new CreateScheduleCommand(invoking(`cron(${fields} * * * ? *)`)));
    await minutes(8);
    expectOnTime(await receivedAt(), dueMs);
  });

  it("is due again while an earlier time's call is still tried", async () => {
    const body = JSON.stringify({ action: "Invoke", times: 8, error: 500 });
    await fetch(new URL("/_local/faults", shop.endpoint), { method: "POST", body });
    await client.send(new CreateScheduleCommand(invoking("rate(1 minute)")));
    await minutes(12);
    expect((await receivedAt()).length).toBeGreaterThanOrEqual(9);
  });
});

test("what AWS refuses is refused", async () => {
  const target = { ...targetOf(7), Arn: "arn:aws:scheduler:::aws-sdk:lambda:getFunction" };
  const refused: Partial<CreateScheduleCommandInput>[] = [
    { ScheduleExpression: "at(tomorrow)" },
    { ScheduleExpression: "rate(0 minutes)" },
    { ScheduleExpression: "cron(61 * * * ? *)" },
    { Description: "x".repeat(513) },
    { Target: target },
    { Target: { ...targetOf(7), RoleArn: "somebody" } },
    { Target: { ...targetOf(7), Input: "{" } },
    { Target: { ...targetOf(7), RetryPolicy: { MaximumEventAgeInSeconds: 59 } } },
  ];
  for (const more of refused) {
    const call = client.send(new CreateScheduleCommand(putting(7, more)));
    expect(await refusalOf(call), JSON.stringify(more)).toMatchObject({
      name: "ValidationException",
      status: 400,
    });
  }
});

describe("an expression is due", () => {
  const from = Date.parse("2026-11-30T19:02:30Z"); // a Monday
  it.each([
    ["at(2026-11-30T19:04:10)", "2026-11-30T19:05:00.000Z"],
    ["at(2026-11-30T19:02:00)", null],
    ["rate(5 minutes)", "2026-11-30T19:07:30.000Z"],
    ["rate(1 hour)", "2026-11-30T20:02:30.000Z"],
    ["cron(15 10 ? * 2 *)", "2026-12-07T10:15:00.000Z"],
    ["cron(0 20 * * ? *)", "2026-11-30T20:00:00.000Z"],
    ["cron(0 3 1 1 ? 2028)", "2028-01-01T03:00:00.000Z"],
  ])("%s", (text, due) => {
    const next = parseExpression(text).next(from, from);
    expect(next === null ? null : new Date(next).toISOString()).toBe(due);
  });
});

it.each([0, 101])("refuses pages of %i", async (MaxResults) => {
  const refusal = await refusalOf(client.send(new ListSchedulesCommand({ MaxResults })));
  expect(refusal).toMatchObject({ name: "ValidationException" });
});
