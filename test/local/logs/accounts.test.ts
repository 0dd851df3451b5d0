// Log groups as other accounts see them: own ones, copies, linked ones, nobody else's.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createControlPlane } from "../../../src/aws/control-plane.ts";
import type { AwsFailure, ControlPlane, Json } from "../../../src/core/change.ts";
import { type LocalAws, startLocalAws } from "../../../src/local/start.ts";
import { TEMPLATE } from "../clients.ts";

const OWN = "222222222222";
const LOGS = "333333333333";
const STRANGER = "444444444444";
const GROUP = "/aws/lambda/echo";
const ARN = `arn:aws:logs:eu-west-1:${OWN}:log-group:${GROUP}`;
const COPY = `/central/${OWN}${GROUP}`;

let local: LocalAws;
let owner: ControlPlane;
beforeAll(async () => {
  const logsGroups = `/central/\${source.accountId}\${source.logGroup}`;
  local = await startLocalAws({ template: TEMPLATE, account: OWN, logsAccount: LOGS, logsGroups });
  owner = createControlPlane({ ...where(), runId: "owner" });
  await owner.call("lambda", "Invoke", { FunctionName: "echo", Payload: "{}" });
});
afterAll(() => local.stop());

const where = () => ({ endpoint: local.endpoint, region: "eu-west-1", account: null });

/** As a session of a role of this account. */
async function of(account: string): Promise<ControlPlane> {
  const RoleArn = `arn:aws:iam::${account}:role/reader`;
  const input = { RoleArn, RoleSessionName: "gatecrash-r1" };
  const { Credentials } = await owner.call("sts", "AssumeRole", input);
  const { AccessKeyId, SecretAccessKey, SessionToken } = Credentials as Record<string, string>;
  const credentials = async () => ({
    ...{ accessKeyId: AccessKeyId ?? "", secretAccessKey: SecretAccessKey ?? "" },
    sessionToken: SessionToken ?? "",
  });
  return createControlPlane({ ...where(), runId: "r1", credentials });
}

/** How many lines, or the error's name. */
async function lines(control: ControlPlane, input: { [key: string]: Json }) {
  try {
    return ((await control.call("logs", "FilterLogEvents", input)).events as object[]).length;
  } catch (error) {
    return (error as AwsFailure).name;
  }
}

const MISSING = "ResourceNotFoundException";
const INVALID = "InvalidParameterException";

test("its owner reads a group by name and by its ARN", async () => {
  const all = await lines(owner, { logGroupName: GROUP });
  expect(all).toBeGreaterThan(2);
  expect(await lines(owner, { logGroupIdentifier: GROUP })).toBe(all);
  expect(await lines(owner, { logGroupIdentifier: ARN })).toBe(all);
  const far = ARN.replace("eu-west-1", "eu-north-1");
  expect(await lines(owner, { logGroupIdentifier: far })).toBe(MISSING);
});

test("an account for logs has copies by name, and reads the group itself by ARN alone", async () => {
  const logs = await of(LOGS);
  const all = await lines(owner, { logGroupName: GROUP });
  expect(await lines(logs, { logGroupName: COPY })).toBe(all);
  expect(await lines(logs, { logGroupIdentifier: ARN })).toBe(all);
  expect(await lines(logs, { logGroupName: GROUP })).toBe(MISSING);
  const { logGroups } = await logs.call("logs", "DescribeLogGroups", { logGroupNamePrefix: COPY });
  const [found] = logGroups as { logGroupName: string; logGroupArn: string }[];
  expect(found?.logGroupArn).toBe(`arn:aws:logs:eu-west-1:${LOGS}:log-group:${COPY}`);
  const linked = await logs.call("logs", "DescribeLogStreams", { logGroupIdentifier: ARN });
  const [stream] = linked.logStreams as { arn: string }[];
  expect(stream?.arn.startsWith(`${ARN}:log-stream:`)).toBe(true);
});

test("any other account has no group, by whatever it is asked for", async () => {
  const stranger = await of(STRANGER);
  for (const group of [GROUP, COPY])
    expect(await lines(stranger, { logGroupName: group })).toBe(MISSING);
  expect(await lines(stranger, { logGroupIdentifier: ARN })).toBe(MISSING);
  expect((await stranger.call("logs", "DescribeLogGroups", {})).logGroups).toEqual([]);
});

test("and gets no answer about anything else of the account that is played", async () => {
  for (const account of [LOGS, STRANGER])
    await expect((await of(account)).call("lambda", "ListFunctions", {})).rejects.toMatchObject({
      name: "AccessDeniedException",
    });
});

test("a group is asked for in one way, without the end that policies have", async () => {
  expect(await lines(owner, { logGroupName: GROUP, logGroupIdentifier: ARN })).toBe(INVALID);
  expect(await lines(owner, {})).toBe(INVALID);
  expect(await lines(owner, { logGroupIdentifier: `${ARN}:*` })).toBe(INVALID);
  expect(await lines(owner, { logGroupName: ARN })).toBe(INVALID);
});
