// Rights of a run with every kind of fault: enough, whatever the priors, and each role's own.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { frontReads } from "../../src/cli/fronts-asked.ts";
import type { ControlPlane } from "../../src/core/change.ts";
import type { Load } from "../../src/core/scenario.ts";
import { type Ended, Workplace } from "../support/command-line.ts";
import {
  asked,
  beyond,
  called,
  enforce,
  type Policies,
  ROLES,
  withRoles,
} from "../support/permissions.ts";
import { STAGING } from "../support/rehearsal.ts";

const FIXTURE = fileURLToPath(new URL("../fixtures/every-fault/", import.meta.url));

const SHUT = `  - reserved-concurrency: { function: "{{outputs.WorkerArn}}", to: 0 }
    name: shut
    at: 12s
    for: 6s
`;

describe("rights told by plan --iam for every kind of fault", () => {
  const place = new Workplace();
  const folder = join(place.dir, "every");
  const out = join(place.dir, "run");
  let endpoint = "";
  let control: ControlPlane;
  let policies: Policies;
  let ended: Ended;
  const reserved = async (): Promise<unknown> =>
    (await control.call("lambda", "GetFunctionConcurrency", { FunctionName: "worker" }))
      .ReservedConcurrentExecutions;

  beforeAll(async () => {
    cpSync(FIXTURE, folder, { recursive: true });
    const template = join(folder, "template.yaml");
    const running = place.start(["local", "--template", template, "--account", STAGING, "--json"]);
    await running.until(() => running.out.includes("\n"));
    endpoint = JSON.parse(running.out).endpoint;
    const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
    control = createControlPlane(where);
    const file = join(folder, "scenario.yaml");
    const yaml = readFileSync(file, "utf8")
      .replace("template: template.yaml\n", withRoles(endpoint))
      .replace("\nobserve:", `\n${SHUT}downstreams: { orders: "a table of the test" }\nobserve:`);
    writeFileSync(file, yaml);
    const told = await place.run("plan", folder, "--env", "stg", "--iam");
    expect(told.code, told.err).toBe(0);
    policies = JSON.parse(told.out);
    const stack = await place.run("bootstrap", folder, "--env", "stg");
    await enforce(endpoint, stack.out);
    // Only now: what was unset is set, what was set is another.
    const worker = { FunctionName: "worker" };
    await control.call("lambda", "PutFunctionConcurrency", {
      ...{ ...worker, ReservedConcurrentExecutions: 7 },
    });
    await control.call("lambda", "UpdateFunctionConfiguration", { ...worker, Timeout: 9 });
    await control.call("sqs", "SetQueueAttributes", {
      QueueUrl: `https://sqs.eu-west-1.amazonaws.com/${STAGING}/jobs`,
      Attributes: { VisibilityTimeout: "77" },
    });
    ended = await place.run("run", folder, "--env", "stg", "--out", out);
  }, 240_000);
  afterAll(() => place[Symbol.asyncDispose]());

  test("are enough for its run, with other priors than it was planned with", async () => {
    expect(ended.code, ended.out + ended.err).toBe(0);
    expect(ended.out).toMatch(/faults\s+7 of 7 undone and verified/);
    expect(await reserved()).toBe(7);
    const calls = await called(endpoint);
    for (const role of ROLES)
      expect([role, beyond(policies[role], calls[role])]).toEqual([role, []]);
    const refused = Object.values(await asked(endpoint)).flatMap((role) => role.refused);
    expect(refused).toEqual([]);
    expect(calls.inject).toContain("lambda:PublishVersion");
    expect(calls.restore).toContain("lambda:PutFunctionConcurrency");
    expect(calls.observe?.filter((call) => /:(Put|Update|Delete|Create|Set)/.test(call))).toEqual(
      [],
    );
  });

  test("let the dead-man undo what a lease may hold, and nothing else", () => {
    const allowed = policies["dead-man"].Statement.flatMap(({ Action }) => Action).sort();
    expect([...new Set(allowed)]).toEqual([
      "lambda:DeleteFunctionConcurrency",
      "lambda:PutFunctionConcurrency",
      "lambda:UpdateAlias",
      "lambda:UpdateEventSourceMapping",
      "lambda:UpdateFunctionConfiguration",
      "scheduler:DeleteSchedule",
      "sqs:SetQueueAttributes",
      "ssm:DeleteParameters",
    ]);
  });

  test("and what its own faults changed and put back is no foreign change", () => {
    const { before, after } = JSON.parse(readFileSync(join(out, "fingerprint.json"), "utf8"));
    expect(after).toEqual(before);
    const named = (name: string) => before[`arn:aws:lambda:eu-west-1:${STAGING}:function:${name}`];
    expect(named("order")["alias live"]).toMatch(/^\["1",/);
    expect(named("worker")).toMatchObject({ Timeout: "9", "reserved concurrency": "7" });
    expect(ended.out).not.toContain("changed during the run");
  });
});

describe("reads of distributions and load balancers", () => {
  const to = (url: string): Load =>
    ({ name: "shopper", target: { kind: "http", url, timeoutUs: 1 } }) as unknown as Load;
  const balancers = ["LoadBalancers", "Listeners", "TargetGroups", "TargetHealth"].map(
    (what) => `elasticloadbalancing:Describe${what}`,
  );

  test.each([
    ["an API's own host", "https://a1b2.execute-api.eu-west-1.amazonaws.com/prod", []],
    ["a function URL", "https://abc.lambda-url.eu-west-1.on.aws/", []],
    ["this machine", "http://127.0.0.1:4000/", []],
    ["a load balancer", "https://shop-1.eu-west-1.elb.amazonaws.com/", balancers],
    [
      "a distribution",
      "https://d1.cloudfront.net/",
      ["cloudfront:ListDistributions", ...balancers],
    ],
    [
      "a domain of one's own",
      "https://shop.example/",
      ["cloudfront:ListDistributions", ...balancers],
    ],
  ])("are asked for %s only where it needs them", (_, url, actions) => {
    expect(frontReads([to(url)])).toEqual(actions);
  });
});
