// The roles of `bootstrap`, enforced: every call of a run, by whoever makes it, on what it touches.
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { Need } from "../../src/local/iam/policy.ts";
import { type Ended, Workplace } from "../support/command-line.ts";
import { asked, enforce, type Policies, unused, withRoles } from "../support/permissions.ts";
import { STAGING } from "../support/rehearsal.ts";

const place = new Workplace("gatecrash-roles-");
afterAll(() => place[Symbol.asyncDispose]());

interface Rehearsed {
  readonly folder: string;
  readonly endpoint: string;
  readonly policies: Policies;
}

/** A fixture in an account whose roles do what its own stack says. */
async function rehearsed(name: string, edit: (yaml: string) => string): Promise<Rehearsed> {
  const folder = join(place.dir, name);
  cpSync(fileURLToPath(new URL(`../fixtures/${name}/`, import.meta.url)), folder, {
    recursive: true,
  });
  const template = join(folder, "template.yaml");
  const running = place.start(["local", "--template", template, "--account", STAGING, "--json"]);
  await running.until(() => running.out.includes("\n"));
  const { endpoint } = JSON.parse(running.out) as { endpoint: string };
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const put = { Name: "/shop/token", Type: "SecureString", Value: "token-of-the-test" };
  await createControlPlane(where).call("ssm", "PutParameter", put);
  const file = join(folder, "scenario.yaml");
  const yaml = readFileSync(file, "utf8").replace("template: template.yaml\n", withRoles(endpoint));
  writeFileSync(file, edit(yaml));
  const told = await place.run("plan", folder, "--env", "stg", "--iam");
  expect(told.code, told.err).toBe(0);
  const stack = await place.run("bootstrap", folder, "--env", "stg");
  await enforce(endpoint, stack.out);
  return { folder, endpoint, policies: JSON.parse(told.out) };
}

/** Why nothing narrower than `*` can be said: AWS knows no resource for these actions. */
const NO_RESOURCE: { readonly [action: string]: string } = {
  "lambda:GetAccountSettings": "the account's own",
  "lambda:ListFunctions": "a list of the region",
  "lambda:ListEventSourceMappings": "a list of the region, whichever function is asked for",
  "cloudwatch:GetMetricData": "metrics are no resources",
  "scheduler:ListSchedules": "a list of the region; of a group only by the request",
};

/** When these are needed, seen in other tests or not here. */
const SELDOM: { readonly [permission: string]: string } = {
  "load sqs:ChangeMessageVisibility lost": "gives back what somebody else left in the queue",
  "observe apigateway:GET arn:aws:apigateway:eu-west-1::/domainnames": "a domain of one's own",
  "observe apigateway:GET arn:aws:apigateway:eu-west-1::/domainnames/*": "its mappings",
  "observe apigateway:GET arn:aws:apigateway:eu-west-1::/restapis": "a REST API in a rehearsal",
  "observe apigateway:GET arn:aws:apigateway:eu-west-1::/restapis/*": "a REST API",
  "observe apigateway:GET arn:aws:apigateway:eu-west-1::/usageplans": "what its plans let through",
  "observe lambda:ListFunctionUrlConfigs function:*": "a function URL",
  "observe s3:GetObject arn:aws:s3:::local-rollups/*": "a bucket with objects in it",
  "inject lambda:DeleteFunctionConcurrency function:take": "another prior, put back by inject",
  "inject lambda:PutFunctionConcurrency function:take": "a prior that was set",
  "inject scheduler:ListSchedules *": "heal and abort, where no identity is declared for restore",
  "inject scheduler:UpdateSchedule schedule/gatecrash/*": "after a minute, and each minute",
  "restore lambda:PutFunctionConcurrency function:take": "a prior that was set",
  "restore scheduler:UpdateSchedule schedule/gatecrash/*": "abort",
  "restore iam:PassRole role/gatecrash-dead-man": "abort: an update passes the role again",
  "dead-man lambda:DeleteFunctionConcurrency function:take": "a run that has died",
  "dead-man lambda:PutFunctionConcurrency function:take": "one whose prior was set",
  "dead-man scheduler:DeleteSchedule schedule/gatecrash/*": "a lock without a call of its own",
};

const wide = ({ Statement }: Policies["load"]): string[] =>
  Statement.flatMap(({ Action, Resource }) => (Resource.includes("*") ? Action : []));

describe("roles of a stack by bootstrap, when they are enforced", () => {
  let loads: Rehearsed;
  let ended: Ended;
  const needs = new Map<string, Need[]>();
  const refused: string[] = [];

  beforeAll(async () => {
    loads = await rehearsed("every-load", (yaml) => yaml);
    const there = ["--scenario", loads.folder, "--env", "stg"];
    expect((await place.run("plan", loads.folder, "--env", "stg")).err).not.toContain(
      "AccessDenied",
    );
    ended = await place.run("run", loads.folder, "--env", "stg", "--out", join(place.dir, "run"));
    const killed = place.start([
      "run",
      loads.folder,
      "--env",
      "stg",
      "--out",
      join(place.dir, "k"),
    ]);
    const events = join(place.dir, "k", "events", "0.jsonl");
    await killed.until(() => existsSync(events) && /"onset"/.test(readFileSync(events, "utf8")));
    killed.kill("SIGKILL");
    await killed.ended;
    expect((await place.run("status", ...there)).out).toContain("function:take");
    expect((await place.run("heal", ...there, "--verify-clean")).out).toContain("put back: ");
    await place.run("heal");
    for (const { endpoint } of [loads])
      for (const [role, report] of Object.entries(await asked(endpoint))) {
        needs.set(role, [...(needs.get(role) ?? []), ...report.allowed]);
        refused.push(...report.refused.map((need) => `${role}: ${need.action} ${need.resource}`));
      }
  }, 480_000);

  test("no call of run, plan, status and heal is refused", () => {
    expect(refused).toEqual([]);
    expect(ended.out, ended.err).toMatch(/1 of 1 undone and verified/);
  });

  test("nothing is given that nobody has used, but for what this run had no cause for", () => {
    const idle = Object.entries(loads.policies).flatMap(([role, policy]) =>
      unused(policy, needs.get(`gatecrash-${role}`) ?? []).map((one) => `${role} ${one}`),
    );
    const without = (text: string): string => text.replace(/arn:[^ ]*:222222222222:/g, "");
    expect(idle.map(without).filter((one) => SELDOM[one] === undefined)).toEqual([]);
  });

  test("every resource is named, but for what AWS knows no resource of", () => {
    const all = Object.values(loads.policies).flatMap(wide);
    expect(all.filter((action) => NO_RESOURCE[action] === undefined)).toEqual([]);
  });
});
