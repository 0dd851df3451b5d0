// Scheduler by its unmodified SDK client: groups, conflicts, and targets that are really called.
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
import { refusalOf } from "../clients.ts";

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
