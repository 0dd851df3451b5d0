// The permissions that a scenario needs: told by plan, enough for its run, put into a stack.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { Workplace } from "../support/command-line.ts";
import { beyond, called, ROLES, roleIdentities } from "../support/permissions.ts";
import { type Account, playAccount, rehearsal, STAGING, VISITOR } from "../support/rehearsal.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());
let staging: Account;
beforeAll(async () => {
  staging = await playAccount(place, STAGING, "checkout.stg.shop.example");
}, 120_000);

const FAULT = `${VISITOR}faults:
  - reserved-concurrency: { function: "{{outputs.OpenArn}}", to: 0 }
    during: gone
`;

describe("what it may do", () => {
  test("is enough for a run, status and heal, each purpose with its own role and nothing beside", async () => {
    const more = roleIdentities();
    const body = FAULT.replace("observe: {", "observe: { metrics: { account: true },");
    const folder = rehearsal(place, { stg: { account: staging, more } }, body);
    const policies = JSON.parse((await place.run("plan", folder, "--env", "stg", "--iam")).out);
    const ended = await place.run("run", folder, "--env", "stg");
    expect(ended.code, ended.out + ended.err).toBe(0);
    const killed = place.start(["run", folder, "--env", "stg", "--out", join(place.dir, "killed")]);
    const events = join(place.dir, "killed", "events", "0.jsonl");
    await killed.until(
      () => existsSync(events) && readFileSync(events, "utf8").includes('"onset"'),
    );
    killed.kill("SIGKILL");
    await killed.ended;
    const there = ["--scenario", folder, "--env", "stg"];
    expect((await place.run("status", ...there)).out).toContain("function:open");
    expect((await place.run("heal", ...there, "--verify-clean")).out).toContain("put back: ");
    expect((await place.run("heal")).out).toContain("was back already: "); // the log of this machine
    const calls = await called(staging.endpoint);
    for (const role of ROLES)
      expect([role, beyond(policies[role], calls[role])]).toEqual([role, []]);
    expect(calls.restore).toContain("lambda:DeleteFunctionConcurrency");
    expect(calls.inject).toContain("scheduler:CreateSchedule");
    expect(calls.observe).toContain("scheduler:ListSchedules"); // status
    expect(calls.restore).toContain("scheduler:ListSchedules"); // heal
  }, 120_000);

  test("is told by plan --iam, by purpose, and put into a stack by bootstrap", async () => {
    const folder = rehearsal(place, { stg: { account: staging } }, FAULT);
    const plan = await place.run("plan", folder, "--env", "stg", "--iam");
    const policies = JSON.parse(plan.out);
    const open = `arn:aws:lambda:eu-west-1:${STAGING}:function:open`;
    expect(policies.restore.Statement[0]).toEqual({
      Effect: "Allow",
      Action: [
        "lambda:DeleteFunctionConcurrency",
        "lambda:GetFunctionConcurrency",
        "lambda:PutFunctionConcurrency",
      ],
      Resource: [open],
    });
    expect(policies["dead-man"].Statement[0]).toEqual({
      Effect: "Allow",
      Action: ["lambda:DeleteFunctionConcurrency", "lambda:PutFunctionConcurrency"],
      Resource: [open],
    });
    expect(policies.load.Statement).toEqual([]);
    expect(JSON.stringify(policies.observe)).not.toMatch(/Put|Update|Delete|Create/);
    const stack = await place.run("bootstrap", folder, "--env", "stg", "--github", "shop/checkout");
    const { Resources } = parse(stack.out);
    expect(Object.keys(Resources).sort()).toEqual([
      "Boundary",
      "DeadManRole",
      "InjectRole",
      "Leases",
      "ObserveRole",
      "RestoreRole",
    ]);
    expect(Resources.DeadManRole.Properties.AssumeRolePolicyDocument.Statement).toEqual([
      {
        Effect: "Allow",
        Action: "sts:AssumeRole",
        Principal: { Service: "scheduler.amazonaws.com" },
        Condition: { StringEquals: { "aws:SourceAccount": STAGING } },
      },
    ]);
    const tf = await place.run("bootstrap", folder, "--env", "stg", "--format", "terraform");
    const roles = JSON.parse(tf.out).resource.aws_iam_role;
    expect(Object.keys(roles)).toContain("gatecrash_dead_man");
    expect(roles.gatecrash_inject.assume_role_policy).toContain(`arn:aws:iam::${STAGING}:root`);
    const answer = await fetch(`${staging.endpoint}/_local/audit`);
    const { writes } = (await answer.json()) as { writes: { action: string }[] };
    expect(writes.filter(({ action }) => /Role|Policy|Stack/.test(action))).toEqual([]);
  }, 60_000);
});

describe("certify", () => {
  test("says what of the promises was seen, and that a rehearsal proves nothing", async () => {
    const log = 'observe: { access-log: { group: "{{outputs.AccessLogGroup}}" },';
    const body = FAULT.replace("observe: {", log);
    const folder = rehearsal(place, { sandbox: { account: staging } }, body);
    const { code, out } = await place.run("certify", folder, "--env", "sandbox");
    expect(code, out).toBe(0);
    expect(out).toContain("This says nothing about AWS.");
    expect(out).toMatch(/\| gone \(reserved-concurrency\): onset seen \| yes \| after [\d.]+ s \|/);
    expect(out).toMatch(/\| gone: put back and read back \| yes \| .*unset → 0 → unset \|/);
    expect(out).toMatch(/\| gone: clearing seen \| yes \| after [\d.]+ s \|/);
    const local = await place.run("certify", folder, "--env", "local");
    expect([local.code, local.err]).toEqual([64, expect.stringContaining("certifies nothing")]);
  }, 120_000);
});
