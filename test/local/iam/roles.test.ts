// Roles of a stack: who may take one, what it may do in each protocol, what a schedule does as one.
import { CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createControlPlane } from "../../../src/aws/control-plane.ts";
import type { AwsFailure, ControlPlane, Json } from "../../../src/core/change.ts";
import { readRoles } from "../../../src/local/iam/read-roles.ts";
import { type LocalAws, startLocalAws } from "../../../src/local/start.ts";
import { asked, enforce } from "../../support/permissions.ts";
import { SkipClock } from "../../support/skip-clock.ts";
import { TEMPLATE } from "../clients.ts";

const ACCOUNT = "222222222222";
const OTHER = "arn:aws:lambda:eu-west-1:222222222222:function:other";
const policy = (...Statement: object[]) => ({ Version: "2012-10-17", Statement });
const may = (Action: string[], Resource: string[]) => ({ Effect: "Allow", Action, Resource });
const role = (RoleName: string, Principal: object, ...rights: object[]) => ({
  Type: "AWS::IAM::Role",
  Properties: {
    RoleName,
    AssumeRolePolicyDocument: policy({
      ...{ Effect: "Allow", Action: "sts:AssumeRole", Principal },
      ...(RoleName === "guest"
        ? { Condition: { StringEquals: { "sts:ExternalId": "shop-4711" } } }
        : {}),
    }),
    Policies: [{ PolicyName: "own", PolicyDocument: policy(...rights) }],
  },
});

let local: LocalAws;
let clock: SkipClock;
let name = "";
beforeEach(async () => {
  clock = new SkipClock();
  local = await startLocalAws({ template: TEMPLATE, account: ACCOUNT }, clock);
  const { Functions } = await owner().call("lambda", "ListFunctions", {});
  name = String((Functions as { FunctionName: string }[])[0]?.FunctionName);
  const arn = `arn:aws:lambda:eu-west-1:${ACCOUNT}:function:${name}`;
  const root = { AWS: `arn:aws:iam::${ACCOUNT}:root` };
  const scheduler = { Service: "scheduler.amazonaws.com" };
  const Resources = {
    Reader: role("reader", root, may(["lambda:GetFunctionConfiguration"], [arn])),
    Guest: role("guest", root, may(["lambda:ListFunctions"], ["*"])),
    Dead: role("dead-man", scheduler, may(["lambda:PutFunctionConcurrency"], [arn])),
  };
  await enforce(local.endpoint, JSON.stringify({ Resources }));
});
afterEach(() => local.stop());

const where = () => ({ endpoint: local.endpoint, region: "eu-west-1", account: null });
const owner = (): ControlPlane => createControlPlane({ ...where(), runId: "owner" });

/** As a session of this role. */
async function as(roleName: string, more: { [key: string]: Json } = {}): Promise<ControlPlane> {
  const RoleArn = `arn:aws:iam::${ACCOUNT}:role/${roleName}`;
  const input = { RoleArn, RoleSessionName: "gatecrash-r1", ...more };
  const { Credentials } = await owner().call("sts", "AssumeRole", input);
  const { AccessKeyId, SecretAccessKey, SessionToken } = Credentials as Record<string, string>;
  const credentials = async () => ({
    ...{ accessKeyId: AccessKeyId ?? "", secretAccessKey: SecretAccessKey ?? "" },
    sessionToken: SessionToken ?? "",
  });
  return createControlPlane({ ...where(), runId: "r1", credentials });
}

async function refused(call: Promise<unknown>): Promise<string> {
  const thrown = (await call.catch((error: unknown) => error)) as AwsFailure;
  return `${thrown.status} ${thrown.name}: ${thrown.message}`;
}

const WHO = `User: arn:aws:sts::${ACCOUNT}:assumed-role/reader/gatecrash-r1`;

describe("a session", () => {
  test("does what its policy names, and is refused the rest in IAM's words", async () => {
    const reader = await as("reader");
    const read = await reader.call("lambda", "GetFunctionConfiguration", { FunctionName: name });
    expect(read.FunctionName).toBe(name);
    const other = reader.call("lambda", "GetFunctionConfiguration", { FunctionName: "other" });
    expect(await refused(other)).toBe(
      `403 AccessDeniedException: ${WHO} is not authorized to perform: ` +
        `lambda:GetFunctionConfiguration on resource: ${OTHER} because no identity-based policy ` +
        "allows the lambda:GetFunctionConfiguration action",
    );
    const parameter = reader.call("ssm", "GetParameter", { Name: "/shop/token" });
    expect(await refused(parameter)).toMatch(
      /^400 AccessDeniedException: .*:parameter\/shop\/token /,
    );
    const objects = reader.call("s3", "ListObjectsV2", { Bucket: "facts" });
    expect(await refused(objects)).toMatch(
      /^403 AccessDenied: .* s3:ListBucket on resource: arn:aws:s3:::facts /,
    );
    const stacks = reader.call("cloudformation", "DescribeStacks", { StackName: "local" });
    expect(await refused(stacks)).toMatch(/^403 AccessDenied: .*:stack\/local\/local /);
    expect((await reader.call("sts", "GetCallerIdentity", {})).Account).toBe(ACCOUNT);
  });

  test("is given to whom the trust policy names, with the external id it asks for", async () => {
    expect(await refused(as("guest"))).toMatch(/^403 AccessDenied: .* sts:AssumeRole /);
    expect(await refused(as("guest", { ExternalId: "shop-4712" }))).toMatch(/^403 AccessDenied/);
    await (await as("guest", { ExternalId: "shop-4711" })).call("lambda", "ListFunctions", {});
    expect(await refused(as("dead-man"))).toMatch(/^403 AccessDenied/);
    expect(await refused(as("nobody"))).toMatch(/^403 AccessDenied/);
  });

  test("of nobody's role owns the account", async () => {
    await owner().call("lambda", "PutFunctionConcurrency", {
      ...{ FunctionName: name, ReservedConcurrentExecutions: 3 },
    });
  });
});

describe("a schedule", () => {
  const at = (FunctionName: string, roleName: string) =>
    new CreateScheduleCommand({
      ...{ Name: `s-${FunctionName}`, FlexibleTimeWindow: { Mode: "OFF" } },
      ScheduleExpression: `at(${new Date(clock.wallMs()).toISOString().slice(0, 19)})`,
      Target: {
        Arn: "arn:aws:scheduler:::aws-sdk:lambda:putFunctionConcurrency",
        RoleArn: `arn:aws:iam::${ACCOUNT}:role/${roleName}`,
        Input: JSON.stringify({ FunctionName, ReservedConcurrentExecutions: 5 }),
      },
    });

  test("calls as its role, which may do no more than its policy says", async () => {
    const credentials = { accessKeyId: "OWNER", secretAccessKey: "x" };
    const { endpoint } = local;
    const client = new SchedulerClient({ endpoint, region: "eu-west-1", credentials });
    await client.send(at(name, "dead-man"));
    await client.send(at("other", "dead-man"));
    await clock.skip(60_000); // due within the minute
    await vi.waitFor(
      async () => {
        const { allowed, refused } = (await asked(endpoint))["dead-man"] ?? {};
        expect(allowed).toMatchObject([{ action: "lambda:PutFunctionConcurrency" }]);
        expect(refused).toMatchObject([{ resource: OTHER }]);
        const now = await owner().call("lambda", "GetFunctionConcurrency", { FunctionName: name });
        expect(now.ReservedConcurrentExecutions).toBe(5);
      },
      { timeout: 30_000, interval: 50 },
    );
    client.destroy();
  });
});

describe("a stack", () => {
  const reading = (Resources: object) => () => readRoles({ Resources }, "roles.yaml");
  const reader = role("reader", { AWS: "x" }, may(["lambda:*"], ["*"]));

  test.each([
    ["without roles", {}, /it has no AWS::IAM::Role/],
    [
      "with a policy language that is not modelled",
      { R: role("r", { AWS: "x" }, { ...may([], []), NotAction: ["a"] }) },
      /R\.Policies\.0.*NotAction/s,
    ],
    [
      "with a condition that is not modelled",
      { R: role("r", { AWS: "x" }, { ...may([], []), Condition: { Bool: {} } }) },
      /Condition/,
    ],
    [
      "with a boundary that it does not have",
      { R: { ...reader, Properties: { ...reader.Properties, PermissionsBoundary: { Ref: "B" } } } },
      /there is no policy B/,
    ],
  ])("%s is refused", (_, resources, message) => {
    expect(reading(resources)).toThrow(message);
  });

  test("that is no stack is answered with what is wrong", async () => {
    await expect(enforce(local.endpoint, "Resources: [1")).rejects.toThrow();
    await expect(enforce(local.endpoint, "{}")).rejects.toThrow(/Resources/);
  });
});
