// Parameter Store, STS sessions, CloudFormation and API Gateway by our own control plane's clients.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { AwsFailure, type ControlPlane, type Json } from "../../src/core/change.ts";
import type { LocalAws } from "../../src/local/start.ts";
import { startSystem } from "./clients.ts";

let local: LocalAws;
let control: ControlPlane;
beforeAll(async () => {
  local = await startSystem();
  const { endpoint } = local;
  control = createControlPlane({ endpoint, region: "eu-west-1", account: null, runId: "test" });
});
afterAll(() => local.stop());

async function refused(service: string, action: string, input: { [key: string]: Json }) {
  const thrown = await control.call(service, action, input).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(AwsFailure);
  const { name, status } = thrown as AwsFailure;
  return [name, status];
}

test("a parameter that must not be overwritten is a lock; absence is an error", async () => {
  const Name = "/gatecrash/flag";
  const put = { Name, Type: "String", Value: "on" };
  expect(await control.call("ssm", "PutParameter", put)).toMatchObject({ Version: 1 });
  expect(await refused("ssm", "PutParameter", put)).toEqual(["ParameterAlreadyExists", 400]);
  await control.call("ssm", "PutParameter", { ...put, Value: "off", Overwrite: true });
  const { Parameter } = await control.call("ssm", "GetParameter", { Name });
  expect(Parameter).toMatchObject({ Name, Value: "off", Version: 2, Type: "String" });
  await control.call("ssm", "DeleteParameter", { Name });
  expect(await refused("ssm", "GetParameter", { Name })).toEqual(["ParameterNotFound", 400]);
  expect(await refused("ssm", "DeleteParameter", { Name })).toEqual(["ParameterNotFound", 400]);
});

test("a SecureString is readable with decryption alone, and is not in the audit", async () => {
  const Name = "/gatecrash/secret";
  const Value = "s3cr3t";
  await control.call("ssm", "PutParameter", { Name, Type: "SecureString", Value });
  const read = async (more: { [key: string]: Json }): Promise<unknown> =>
    ((await control.call("ssm", "GetParameter", { Name, ...more })).Parameter as { Value: string })
      .Value;
  expect(await read({})).not.toContain(Value);
  expect(await read({ WithDecryption: true })).toBe(Value);
  const audit = await (await fetch(new URL("/_local/audit", local.endpoint))).text();
  expect(audit).toContain("/gatecrash/secret");
  expect(audit).not.toContain(Value);
});

test("an assumed role has credentials that expire and a session that is named", async () => {
  const RoleArn = "arn:aws:iam::222222222222:role/gatecrash-inject";
  const input = { RoleArn, RoleSessionName: "2026-11-30T19-02Z-k4x", DurationSeconds: 900 };
  const before = Date.now();
  const output = await control.call("sts", "AssumeRole", input);
  const { Expiration, AccessKeyId } = output.Credentials as { [member: string]: Date & string };
  expect(AccessKeyId).toMatch(/^ASIA/);
  expect(Expiration!.getTime() - before).toBeGreaterThan(890_000);
  expect(output.AssumedRoleUser).toMatchObject({
    Arn: "arn:aws:sts::222222222222:assumed-role/gatecrash-inject/2026-11-30T19-02Z-k4x",
  });
  const short = { ...input, DurationSeconds: 60 };
  expect(await refused("sts", "AssumeRole", short)).toEqual(["ValidationError", 400]);
});

test("the stack has the template's outputs, and another one does not exist", async () => {
  const { Stacks } = await control.call("cloudformation", "DescribeStacks", { StackName: "local" });
  const [stack] = Stacks as { StackStatus: string; Outputs: { [member: string]: string }[] }[];
  expect(stack?.StackStatus).toBe("CREATE_COMPLETE");
  const outputs = stack?.Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]);
  expect(Object.fromEntries(outputs ?? [])).toEqual(local.outputs);
  const other = { StackName: "other" };
  expect(await refused("cloudformation", "DescribeStacks", other)).toEqual([
    "ValidationError",
    400,
  ]);
});

test("the APIs of the template are listed with their stages and where they listen", async () => {
  const { Items } = await control.call("apigatewayv2", "GetApis", {});
  const apis = Items as { ApiId: string; ApiEndpoint: string; ProtocolType: string }[];
  expect(apis.length).toBeGreaterThan(0);
  for (const { ApiId, ApiEndpoint, ProtocolType } of apis) {
    expect([ProtocolType, ApiEndpoint]).toEqual([
      "HTTP",
      expect.stringMatching(/127\.0\.0\.1:\d+/),
    ]);
    const stages = await control.call("apigatewayv2", "GetStages", { ApiId });
    expect((stages.Items as { StageName: string }[]).length).toBe(1);
  }
  expect(await refused("apigatewayv2", "GetApi", { ApiId: "none" })).toEqual([
    "NotFoundException",
    404,
  ]);
  expect((await control.call("apigatewayv2", "GetDomainNames", {})).Items).toEqual([]);
  expect(await refused("apigatewayv2", "GetApiMappings", { DomainName: "a.example" })).toEqual([
    "NotFoundException",
    404,
  ]);
});
