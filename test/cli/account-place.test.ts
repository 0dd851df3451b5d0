// What a run in an account leaves, seen, ended and healed by name of its environment.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { type Ended, type Running, Workplace } from "../support/command-line.ts";
import {
  type Account,
  PRODUCTION,
  playAccount,
  rehearsal,
  STAGING,
  VISITOR,
} from "../support/rehearsal.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const LONG = `${VISITOR.replace("gone: 6s", "gone: 60s").replace("duration: 30s", "duration: 90s")}faults:
  - reserved-concurrency: { function: "{{outputs.OpenArn}}", to: 0 }
    during: gone
`;
const EXTERNAL = "external-id-4711";

let staging: Account;
let other: Account;
let folder = "";

const role = (name: string, more = ""): string =>
  `{ role: "arn:aws:iam::${STAGING}:role/${name}"${more} }`;

beforeAll(async () => {
  staging = await playAccount(place, STAGING, "checkout.stg.shop.example");
  other = await playAccount(place, PRODUCTION, "checkout.shop.example");
  const restore = role("puts-back", ', external-id: "{{env.EXTERNAL}}"');
  const more = `identities: { observe: ${role("looks")}, inject: ${role("breaks")}, restore: ${restore} }`;
  folder = rehearsal(place, { stg: { account: staging, more } }, LONG);
}, 120_000);

const reserved = async (): Promise<unknown> => {
  const where = { endpoint: staging.endpoint, region: "eu-west-1", account: null, runId: "test" };
  const input = { FunctionName: "open" };
  const answer = await createControlPlane(where).call("lambda", "GetFunctionConcurrency", input);
  return answer.ReservedConcurrentExecutions;
};

/** On a machine of that name: with an undo log of its own. */
const on = (machine: string, ...args: string[]): Running =>
  place.start(args, { XDG_STATE_HOME: join(place.dir, machine), EXTERNAL });

const does = (machine: string, ...args: string[]): Promise<Ended> => on(machine, ...args).ended;

const inStaging = (): string[] => ["--scenario", folder, "--env", "stg"];

let runs = 0;
async function inFault(machine: string): Promise<Running> {
  const out = join(place.dir, `run-${++runs}`);
  const running = on(machine, "run", folder, "--env", "stg", "--out", out);
  const events = join(out, "events", "0.jsonl");
  await running.until(() => existsSync(events) && readFileSync(events, "utf8").includes('"onset"'));
  return running;
}

async function killedInFault(machine: string): Promise<void> {
  const running = await inFault(machine);
  running.kill("SIGKILL");
  await running.ended;
  expect(await reserved()).toBe(0);
}

const logOf = (machine: string): string =>
  readFileSync(join(place.dir, machine, "gatecrash", "undo.jsonl"), "utf8");

describe("a run in an account that was killed", () => {
  test("is seen and healed from another machine, by the environment's name", async () => {
    await killedInFault("ci");
    const status = await does("desk", "status", ...inStaging(), "--json");
    expect(JSON.parse(status.out).leases).toMatchObject([
      { resource: `arn:aws:lambda:eu-west-1:${STAGING}:function:open`, fault: "gone" },
    ]);
    const dry = await does("desk", "heal", ...inStaging(), "--dry-run");
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining("would be put back")]);
    expect(await reserved()).toBe(0);
    const healed = await does("desk", "heal", ...inStaging(), "--verify-clean");
    expect([healed.code, healed.err]).toEqual([0, ""]);
    expect(healed.out).toContain("put back: ReservedConcurrentExecutions 0 → unset");
    expect(await reserved()).toBe(undefined);
    const again = await does("desk", "heal", ...inStaging());
    expect([again.code, again.out]).toEqual([
      0,
      `nothing to heal: no open record in account ${STAGING} at ${staging.endpoint}\n`,
    ]);
    expect((await does("desk", "status", ...inStaging())).out).toBe("nobody changes anything\n");
    // The machine of the killed run finds it put back, says so, and its log is closed by that.
    const found = await does("ci", "status");
    expect([found.code, found.err]).toEqual([0, ""]);
    expect(found.out).toMatch(
      /function:open: found put back \(ReservedConcurrentExecutions is unset\) {2}\(fault gone of run .*\): your undo log is settled\nnobody changes anything\n$/,
    );
    expect((await does("ci", "status")).out).toBe("nobody changes anything\n");
    expect((await does("ci", "heal", "--verify-clean")).out).toContain("nothing to heal");
  }, 180_000);

  test("and healed elsewhere is in nobody's way: the next run there finds it so", async () => {
    await killedInFault("again");
    const open = await does("again", "status", "--json");
    expect(JSON.parse(open.out)).toMatchObject({
      leases: [{ fault: "gone" }],
      settled: [],
      open: [],
    });
    const refused = await does("again", "run", folder, "--env", "stg", "--out", "refused");
    expect([refused.code, refused.err]).toEqual([
      64,
      expect.stringContaining("has not been put back"),
    ]);
    expect((await does("desk", "heal", ...inStaging(), "--dry-run")).code).toBe(0);
    expect((await does("desk", "heal", ...inStaging())).code).toBe(0);
    const running = await inFault("again");
    running.kill("SIGINT");
    const ended = await running.ended;
    expect([ended.code, ended.err]).toEqual([130, expect.stringContaining("found put back")]);
    expect(await reserved()).toBe(undefined);
    expect((await does("again", "status")).out).toBe("nobody changes anything\n");
  }, 180_000);

  test("and still changed, its lease lost, is told as open and never settled", async () => {
    await killedInFault("lost");
    const [lease] = JSON.parse((await does("desk", "status", ...inStaging(), "--json")).out).leases;
    const where = { endpoint: staging.endpoint, region: "eu-west-1", account: null, runId: "test" };
    const control = createControlPlane(where);
    const listed = await control.call("scheduler", "ListSchedules", { GroupName: "gatecrash" });
    for (const { Name } of listed.Schedules as { Name: string }[])
      await control.call("scheduler", "DeleteSchedule", { Name, GroupName: "gatecrash" });
    const told = await does("lost", "status");
    expect(told.out).toMatch(
      /function:open: changed by fault gone of run \S+, which is dead, and still open in your undo log: gatecrash heal\n$/,
    );
    expect(told.out).toContain(lease.run);
    expect(await reserved()).toBe(0);
    expect((await does("lost", "heal", "--verify-clean")).code).toBe(0);
    expect(await reserved()).toBe(undefined);
  }, 180_000);

  test("is healed from its own undo log, which names who puts back and holds no secret", async () => {
    await killedInFault("own");
    const { record } = JSON.parse(logOf("own").split("\n")[0] ?? "");
    expect(record).toMatchObject({
      account: STAGING,
      actor: {
        environment: "stg",
        identity: {
          roles: [`arn:aws:iam::${STAGING}:role/puts-back`],
          externalId: "{{env.EXTERNAL}}",
        },
      },
    });
    expect(logOf("own")).not.toContain(EXTERNAL);
    expect((await does("own", "status")).out).toContain(`:${STAGING}:function:open`);

    const unset = { XDG_STATE_HOME: join(place.dir, "own") };
    const blind = await place.start(["heal"], unset).ended;
    expect([blind.code, blind.out]).toEqual([
      4,
      expect.stringContaining("NOT UNDONE: the environment variable EXTERNAL is not set"),
    ]);
    expect(await reserved()).toBe(0);
    const healed = await does("own", "heal", "--verify-clean");
    expect([healed.code, healed.err]).toEqual([0, ""]);
    expect(healed.out).toContain("put back: ReservedConcurrentExecutions 0 → unset");
    expect(await reserved()).toBe(undefined);
  }, 180_000);

  test("is put back by an abort, which finds it dead", async () => {
    await killedInFault("dead");
    const [lease] = JSON.parse((await does("desk", "status", ...inStaging(), "--json")).out).leases;
    const aborted = await does("desk", "abort", lease.run, ...inStaging());
    expect([aborted.code, aborted.err]).toEqual([0, ""]);
    expect(aborted.out).toContain("put back: ReservedConcurrentExecutions 0 → unset");
    expect(await reserved()).toBe(undefined);
    expect((await does("dead", "heal", "--verify-clean")).code).toBe(0);
  }, 180_000);
});

test("a run that is alive is asked to stop from another machine, and stops", async () => {
  const running = await inFault("alive");
  const [lease] = JSON.parse((await does("desk", "status", ...inStaging(), "--json")).out).leases;
  const aborted = await does("desk", "abort", lease.run, ...inStaging());
  expect([aborted.code, aborted.out]).toEqual([
    0,
    expect.stringContaining("everything is put back"),
  ]);
  const ended = await running.ended;
  expect([ended.code, ended.out]).toEqual([5, expect.stringContaining("stopped by abort: asked")]);
  expect(await reserved()).toBe(undefined);
}, 180_000);

describe("nothing is touched", () => {
  const identity = (restore: string): string => `identities: { restore: ${restore} }`;

  test("with credentials of another account", async () => {
    const more = identity('{ role: "arn:aws:iam::333333333333:role/x" }');
    const wrong = rehearsal(place, { stg: { account: staging, more } }, LONG);
    for (const command of [["heal"], ["abort", "some-run"]]) {
      const { code, out, err } = await does(
        "desk",
        ...command,
        "--scenario",
        wrong,
        "--env",
        "stg",
      );
      expect([code, out]).toEqual([64, ""]);
      expect(err).toContain(
        `the credentials for restore are of account 333333333333; stg is ${STAGING}`,
      );
    }
  }, 60_000);

  test("where another account is played than the scenario, or a record, says", async () => {
    const impostor = { ...other, account: STAGING };
    const wrong = rehearsal(place, { stg: { account: impostor } }, LONG);
    const refused = await does("desk", "heal", "--scenario", wrong, "--env", "stg");
    expect([refused.code, refused.err]).toEqual([
      64,
      expect.stringContaining(`${other.endpoint} plays account ${PRODUCTION}; stg is ${STAGING}`),
    ]);
    await killedInFault("moved");
    const moved = join(place.dir, "moved.jsonl");
    writeFileSync(moved, logOf("moved").replaceAll(staging.endpoint, other.endpoint));
    const kept = await does("desk", "heal", "--undo-log", moved);
    expect([kept.code, kept.out]).toEqual([
      4,
      expect.stringContaining(`NOT UNDONE: the local AWS at ${other.endpoint} plays account`),
    ]);
    expect(await reserved()).toBe(0);
    expect((await does("moved", "heal", "--verify-clean")).code).toBe(0);
    expect(await reserved()).toBe(undefined);
  }, 180_000);

  test.each([
    [["--env", "stg"], "with both --scenario and --env"],
    [["--scenario", "."], "with both --scenario and --env"],
    [["--env", "stg", "--scenario", ".", "--account", STAGING], "name one place"],
    [["--env", "stg", "--scenario", ".", "--profile", "ops"], "an environment says itself"],
    [["--region", "eu-west-1"], "--region goes with --account"],
    [["--endpoint", "http://127.0.0.1:9"], "nobody listens there"],
  ])("by a command that does not say where: %j", async (args, why) => {
    const { code, out, err } = await does("desk", "status", ...args);
    expect([code, out, err]).toEqual([64, "", expect.stringContaining(why)]);
  });

  test("by a name that the scenario does not have, or that is no account", async () => {
    const unknown = await does("desk", "heal", "--scenario", folder, "--env", "stag");
    expect([unknown.code, unknown.err]).toEqual([
      64,
      expect.stringMatching(/there is no environment `stag`[\s\S]*stg/),
    ]);
    const local = await does("desk", "heal", "--scenario", folder, "--env", "local");
    expect([local.code, local.err]).toEqual([
      64,
      expect.stringMatching(/--env local is no account[\s\S]*--endpoint/),
    ]);
    const none = await does("desk", "heal", "--scenario", "not-here", "--env", "stg");
    expect(none.code).toBe(64);
  });
});

test("where the account's local AWS has ended, its records are void and nobody changes anything", async () => {
  await killedInFault("late");
  staging.running.kill("SIGTERM");
  await staging.running.ended;
  const named = await does("desk", "heal", ...inStaging());
  expect([named.code, named.err]).toEqual([64, expect.stringContaining("nobody listens there")]);
  // Nobody is there to say that it is back: the record is open, and for heal to close.
  expect((await does("late", "status")).out).toMatch(
    /still open in your undo log: gatecrash heal\n$/,
  );
  const healed = await does("late", "heal", "--verify-clean");
  expect([healed.code, healed.out]).toEqual([0, expect.stringContaining("void: its local AWS at")]);
}, 180_000);
