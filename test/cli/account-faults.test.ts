// Every kind of fault in another account, killed while in force; healed from elsewhere; no secrets.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { ControlPlane } from "../../src/core/change.ts";
import { type Ended, type LocalCommand, type Running, Workplace } from "../support/command-line.ts";
import { STAGING } from "../support/rehearsal.ts";

const FIXTURE = fileURLToPath(new URL("../fixtures/every-fault/", import.meta.url));
/** In the environment of both functions. */
const VARIABLE = "never-to-be-seen-5f2c";
const EXTERNAL = "external-id-4711";
const SECRETS = [VARIABLE, EXTERNAL];

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const role = (name: string, more = ""): string =>
  `{ role: "arn:aws:iam::${STAGING}:role/${name}"${more} }`;

let account: LocalCommand;
let control: ControlPlane;
let scenario = "";

/** All four in force from 1 s on, for as long as a test needs. */
const FAULTS = `faults:
  - slow-dependency: { dependency: "{{outputs.OrdersRule}}", delay: 200ms }
    { name: slow, at: 2s, for: 80s }
  - recycle-environments: { function: "{{outputs.OrderLive}}" }
    { name: cold, at: 2s, for: 80s }
  - event-source: { mapping: "{{outputs.JobsMapping}}", enabled: false }
    { name: off, at: 2s, for: 80s }
  - force-retries: { function: "{{outputs.WorkerArn}}", timeout: 1s }
    { name: short, at: 2s, for: 80s }
`.replaceAll(
  /\n {4}\{ name: (\w+), at: (\S+), for: (\S+) \}/g,
  "\n    name: $1\n    at: $2\n    for: $3",
);

beforeAll(async () => {
  scenario = join(place.dir, "every");
  cpSync(FIXTURE, scenario, { recursive: true });
  account = await play(join(scenario, "template.yaml"));
  const where = { endpoint: account.endpoint, region: "eu-west-1", account: null, runId: "test" };
  control = createControlPlane(where);
  const file = join(scenario, "scenario.yaml");
  const yaml = readFileSync(file, "utf8");
  const restore = role("puts-back", ', external-id: "{{env.EXTERNAL}}"');
  const who = `identities: { observe: ${role("looks")}, inject: ${role("breaks")}, restore: ${restore} }`;
  const environment =
    `environments:\n  stg: { account: "${STAGING}", aws-region: eu-west-1, ` +
    `endpoint: "${account.endpoint}", outputs: { cloudformation: local }, ${who} }\n`;
  const loads = `phases: [{ whole: 84s }]\nlimits: { duration: 120s, undo: 30s }\ndownstreams: { orders: a table of its own }\nloads:
  order:
    rate: { at: 5/s }
    lambda: { function: "{{outputs.OrderLive}}", timeout: 3s }
    body: { template: order.json, why: "orders of a test" }
`;
  const head = yaml.slice(0, yaml.indexOf("phases:"));
  const rest = 'observe: { reports: { functions: ["{{outputs.OrderArn}}"] }, wait: 5s }\n';
  const lose = head.replace(
    "allow:\n",
    'allow:\n  lose: ["{{outputs.WorkerArn}}", "{{outputs.JobsArn}}"]\n',
  );
  writeFileSync(
    file,
    `${lose.replace("template: template.yaml\n", environment)}${loads}${FAULTS}${rest}accept:\n  - order.dropped == 0 primary\n`,
  );
}, 120_000);

async function play(template: string): Promise<LocalCommand> {
  const args = ["local", "--template", template, "--account", STAGING, "--json"];
  const running = place.start(args);
  await running.until(() => running.out.includes("\n"));
  return { running, ...(JSON.parse(running.out) as Omit<LocalCommand, "running">) };
}

/** A machine has a home and a state folder of its own. */
function on(machine: string, ...args: string[]): Running {
  const home = join(place.dir, `${machine}.home`);
  mkdirSync(home, { recursive: true });
  const state = join(place.dir, `${machine}.state`);
  return place.start(args, { HOME: home, XDG_STATE_HOME: state, EXTERNAL });
}

/** The captured fields of all that is changed. */
async function now(): Promise<unknown> {
  const { outputs } = account;
  const lambda = (action: string, input: { [key: string]: string }) =>
    control.call("lambda", action, input);
  const id = outputs.JobsMapping?.split(":").at(-1) ?? "";
  const name = outputs.OrdersRule?.split("parameter").at(-1) ?? "";
  const rule = await control.call("ssm", "GetParameters", { Names: [name] });
  return {
    alias: (await lambda("GetAlias", { FunctionName: "order", Name: "live" })).FunctionVersion,
    worker: (await lambda("GetFunctionConfiguration", { FunctionName: "worker" })).Timeout,
    order: (await lambda("GetFunctionConfiguration", { FunctionName: "order" })).Description ?? "",
    mapping: (await lambda("GetEventSourceMapping", { UUID: id })).State,
    rules: (rule.Parameters as unknown[]).length,
  };
}

const BEFORE = { alias: "1", worker: 5, order: "", mapping: "Enabled", rules: 0 };
const said: string[] = [];

async function does(machine: string, ...args: string[]): Promise<Ended> {
  const ended = await on(machine, ...args).ended;
  said.push(ended.out, ended.err);
  return ended;
}

const inStaging = (): string[] => ["--scenario", scenario, "--env", "stg"];

async function killedInForce(machine: string): Promise<string> {
  const out = join(place.dir, `${machine}.run`);
  const running = on(machine, "run", scenario, "--env", "stg", "--out", out);
  const events = join(out, "events", "0.jsonl");
  const seen = (): string => (existsSync(events) ? readFileSync(events, "utf8") : "");
  await running.until(() => (seen().match(/"step":"onset"/g) ?? []).length === 4);
  running.kill("SIGKILL");
  await running.ended;
  said.push(running.out, running.err);
  expect(await now()).toEqual({ alias: "2", worker: 1, order: "", mapping: "Disabled", rules: 1 });
  return out;
}

/** All that local AWS keeps of calls, schedules, parameters' names and tags; not their values. */
async function stored(): Promise<string> {
  const GroupName = "gatecrash";
  const { Schedules: listed } = await control.call("scheduler", "ListSchedules", { GroupName });
  const schedules = (listed as { readonly Name: string }[]).map(({ Name }) =>
    control.call("scheduler", "GetSchedule", { Name, GroupName }),
  );
  const own = ["audit", "calls", "health"].map(async (route) =>
    (await fetch(new URL(`/_local/${route}`, account.endpoint))).text(),
  );
  const groups = await control.call("logs", "DescribeLogGroups", {});
  const logs = (groups.logGroups as { readonly logGroupName: string }[]).map(({ logGroupName }) =>
    control.call("logs", "FilterLogEvents", { logGroupName }),
  );
  return JSON.stringify([await Promise.all(schedules), await Promise.all([...own, ...logs])]);
}

function allBelow(folder: string): string {
  if (!existsSync(folder)) return "";
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

test("killed with four faults in force: healed on another machine, from the account alone", async () => {
  const plan = await does("ci", "plan", scenario, "--env", "stg");
  expect([plan.code, plan.err]).toEqual([0, ""]);
  const run = await killedInForce("ci");
  const status = await does("desk", "status", ...inStaging(), "--json");
  const { leases } = JSON.parse(status.out) as { leases: { fault: string }[] };
  expect(leases.map(({ fault }) => fault).sort()).toEqual(["cold", "off", "short", "slow"]);
  const held = await stored();
  expect(held).toContain("slow-dependency");
  const healed = await does("desk", "heal", ...inStaging(), "--verify-clean");
  expect([healed.code, healed.err]).toEqual([0, ""]);
  expect(healed.out.match(/: put back: /g)).toHaveLength(4);
  expect(await now()).toEqual(BEFORE);
  expect((await does("desk", "status", ...inStaging())).out).toBe("nobody changes anything\n");
  // The machine of the killed run finds all four put back.
  const found = await does("ci", "status");
  expect(found.out.match(/found put back .*: your undo log is settled/g)).toHaveLength(4);
  const report = await does("ci", "report", run, "--format", "html");
  const everything = [held, await stored(), ...said, report.out, allBelow(run)].join("\n");
  const state = ["ci", "desk"].flatMap((who) => [`${who}.state`, `${who}.home`]);
  const disks = state.map((folder) => allBelow(join(place.dir, folder))).join("\n");
  expect(disks).toContain("recycle-environments");
  for (const secret of SECRETS) expect(everything + disks, secret).not.toContain(secret);
}, 300_000);

test("killed again: healed from its own log, as who is recorded to put back", async () => {
  await killedInForce("own");
  const healed = await does("own", "heal", "--verify-clean");
  expect([healed.code, healed.err]).toEqual([0, ""]);
  expect(healed.out.match(/: put back: /g)).toHaveLength(4);
  expect(await now()).toEqual(BEFORE);
  const disks = allBelow(join(place.dir, "own.state")) + said.join("\n");
  for (const secret of SECRETS) expect(disks, secret).not.toContain(secret);
}, 300_000);
