// Planned errors of the control plane reach versions, aliases, configuration and provisioning.
import {
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  GetProvisionedConcurrencyConfigCommand,
  ListVersionsByFunctionCommand,
  PublishVersionCommand,
  PutProvisionedConcurrencyConfigCommand,
  UpdateAliasCommand,
  UpdateFunctionConfigurationCommand,
} from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { LocalAws } from "../../../src/local/start.ts";
import { type Clients, clientsOf, refusalOf, startSystem } from "../clients.ts";
import { change, PUBLISHED_TEMPLATE, publish } from "./system.ts";

let local: LocalAws;
let lambda: Clients["lambda"];
const FunctionName = "worker";
const LIVE = { FunctionName, Name: "live" };

beforeAll(async () => {
  local = await startSystem({ template: PUBLISHED_TEMPLATE });
  ({ lambda } = clientsOf(local.endpoint));
  await change(lambda, { FunctionName, Description: "second" });
  await publish(lambda, FunctionName);
});
afterAll(() => local.stop());

async function plan(action: string, error: string | number, times = 1): Promise<void> {
  const body = JSON.stringify({ action, error, times });
  const answer = await fetch(new URL("/_local/faults", local.endpoint), { method: "POST", body });
  expect(answer.status).toBe(200);
}

const configuration = () => lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
const versionOfLive = async () => (await lambda.send(new GetAliasCommand(LIVE))).FunctionVersion;

it.each([
  [429, "TooManyRequestsException"],
  [409, "ResourceConflictException"],
  [500, "ServiceException"],
])("a %i refuses a change and changes nothing", async (status, name) => {
  const before = await configuration();
  await plan("UpdateFunctionConfiguration", status);
  const update = new UpdateFunctionConfigurationCommand({ FunctionName, Timeout: 9 });
  expect(await refusalOf(lambda.send(update))).toMatchObject({ name, status });
  expect((await configuration()).RevisionId).toBe(before.RevisionId);
  await plan("PublishVersion", status);
  expect(await refusalOf(lambda.send(new PublishVersionCommand({ FunctionName })))).toMatchObject({
    name,
    status,
  });
  const { Versions } = await lambda.send(new ListVersionsByFunctionCommand({ FunctionName }));
  expect(Versions?.length).toBe(3);
});

it("a lost answer hides an alias that has moved, a timeout one that has not", async () => {
  const move = (FunctionVersion: string) =>
    refusalOf(
      lambda.send(new UpdateAliasCommand({ ...LIVE, FunctionVersion }), {
        abortSignal: AbortSignal.timeout(500),
      }),
    );
  await plan("UpdateAlias", "lost");
  expect(await move("2")).toMatchObject({ name: "AbortError" });
  expect(await versionOfLive()).toBe("2");
  await plan("UpdateAlias", "timeout");
  expect(await move("1")).toMatchObject({ name: "AbortError" });
  expect(await versionOfLive()).toBe("2");
});

it("a stale read shows an alias where it was, and an update as if it had not begun", async () => {
  expect(await versionOfLive()).toBe("2");
  await lambda.send(new UpdateAliasCommand({ ...LIVE, FunctionVersion: "1" }));
  await plan("GetAlias", "stale");
  expect([await versionOfLive(), await versionOfLive()]).toEqual(["2", "1"]);
  const before = await configuration();
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout: 7 }));
  await plan("GetFunctionConfiguration", "stale");
  const [stale, fresh] = [await configuration(), await configuration()];
  expect(stale).toMatchObject({ Timeout: before.Timeout, RevisionId: before.RevisionId });
  expect(fresh).toMatchObject({ Timeout: 7, LastUpdateStatus: "InProgress" });
});

it("a stale read of provisioned concurrency shows the number before", async () => {
  const at = { FunctionName, Qualifier: "live" };
  const put = (ProvisionedConcurrentExecutions: number) =>
    lambda.send(
      new PutProvisionedConcurrencyConfigCommand({ ...at, ProvisionedConcurrentExecutions }),
    );
  const wanted = async (): Promise<number | undefined> =>
    (await lambda.send(new GetProvisionedConcurrencyConfigCommand(at)))
      .RequestedProvisionedConcurrentExecutions;
  await put(1);
  expect(await wanted()).toBe(1);
  await put(2);
  await plan("GetProvisionedConcurrencyConfig", "stale");
  expect([await wanted(), await wanted()]).toEqual([1, 2]);
});
