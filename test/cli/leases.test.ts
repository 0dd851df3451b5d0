// Two runs, two machines and one function: held, waited for, aborted from elsewhere, healed.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { type Ended, type Running, Workplace } from "../support/command-line.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const LONG = { "gone: 2500ms": "gone: 60s", "duration: 30s": "duration: 90s", "60/s": "20/s" };

/** A user on a machine: an undo log of their own. */
class Machine {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  start(...args: string[]): Running {
    return place.start(args, { XDG_STATE_HOME: join(place.dir, this.name) });
  }

  does(...args: string[]): Promise<Ended> {
    return this.start(...args).ended;
  }

  /** A run whose fault lasts a minute, unless it is stopped. */
  runs(endpoint: string, ...more: string[]): Running {
    const out = join(place.dir, `${this.name}-run`);
    const args = ["run", place.scenario(LONG), "--endpoint", endpoint, "--out", out, ...more];
    return this.start(...args);
  }

  get log(): string {
    return join(place.dir, this.name, "gatecrash", "undo.jsonl");
  }

  async killedInFault(endpoint: string): Promise<void> {
    const running = this.runs(endpoint);
    await this.inFault(running);
    running.kill("SIGKILL");
    await running.ended;
  }

  inFault(running: Running): Promise<void> {
    return running.until(() => this.events().includes('"onset"'));
  }

  events(): string {
    try {
      return readFileSync(join(place.dir, `${this.name}-run`, "events", "0.jsonl"), "utf8");
    } catch {
      return "";
    }
  }
}

test("a change has one holder: others are refused or wait, and any machine can end it", async () => {
  const { endpoint } = await place.local(join(place.scenario(), "template.yaml"));
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const control = createControlPlane(where);
  const reserved = async (): Promise<unknown> => {
    const input = { FunctionName: "open" };
    const answer = await control.call("lambda", "GetFunctionConcurrency", input);
    return answer.ReservedConcurrentExecutions;
  };
  const [mia, tom, ops] = [new Machine("mia"), new Machine("tom"), new Machine("ops")];

  const first = mia.runs(endpoint);
  await mia.inFault(first);
  const status = await ops.does("status", "--endpoint", endpoint, "--json");
  const [lease] = JSON.parse(status.out).leases;
  expect(lease).toMatchObject({
    fault: "gone",
    kind: "reserved-concurrency",
    resource: "arn:aws:lambda:eu-west-1:000000000000:function:open",
    change: "ReservedConcurrentExecutions unset → 0",
    state: "held",
    by: expect.stringMatching(`:${first.child.pid}$`),
  });

  const refused = await tom.runs(endpoint).ended;
  expect([refused.code, refused.out]).toEqual([64, ""]);
  expect(refused.err).toContain(`function:open is held by run ${lease.run} (fault gone, process`);
  expect(refused.err).toContain("--wait 30m");
  const plan = await tom.does("plan", place.scenario(LONG), "--endpoint", endpoint);
  expect(plan.out.replaceAll(/\s+/g, " ")).toContain(`:open is held by run ${lease.run}`);
  const early = await ops.does("heal", "--endpoint", endpoint);
  expect([early.code, early.out]).toEqual([4, expect.stringContaining("left alone: run")]);
  expect(await reserved()).toBe(0);

  const second = tom.runs(endpoint, "--wait", "5m");
  await second.until(() => second.err.includes("waiting: "));
  const abort = await ops.does("abort", lease.run, "--endpoint", endpoint);
  expect([abort.code, abort.out]).toEqual([0, expect.stringContaining("everything is put back")]);
  const ended = await first.ended;
  expect(ended.code).toBe(5);
  expect(ended.out).toMatch(/stopped by abort: asked to by .+@/);
  expect(ended.out).toContain("1 of 1 undone and verified");

  await tom.inFault(second);
  second.kill("SIGKILL");
  await second.ended;
  expect(await reserved()).toBe(0);
  const healed = await ops.does("heal", "--endpoint", endpoint, "--verify-clean");
  expect([healed.code, healed.err]).toEqual([0, ""]);
  expect(healed.out).toContain("put back: ReservedConcurrentExecutions 0 → unset");
  expect(await reserved()).toBe(undefined);
  const after = await ops.does("status", "--endpoint", endpoint);
  expect(after.out).toBe("nobody changes anything\n");
  expect((await tom.does("heal", "--verify-clean")).code).toBe(0);
}, 240_000);

test("an abort says what somebody else has changed in the meantime, and leaves it", async () => {
  const { endpoint } = await place.local(join(place.scenario(), "template.yaml"));
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const control = createControlPlane(where);
  const [ann, ops] = [new Machine("ann"), new Machine("ops")];
  const running = ann.runs(endpoint);
  await ann.inFault(running);
  const run = JSON.parse((await ops.does("status", "--endpoint", endpoint, "--json")).out);
  const theirs = { FunctionName: "open", ReservedConcurrentExecutions: 33 };
  await control.call("lambda", "PutFunctionConcurrency", theirs);
  const abort = await ops.does("abort", run.leases[0].run, "--endpoint", endpoint);
  expect([abort.code, abort.out.split("\n")]).toEqual([
    4,
    [
      `run ${run.leases[0].run} changes nothing any more; what others have changed stays`,
      expect.stringMatching(/function:open: ReservedConcurrentExecutions is 33, .* was unset;/),
      "",
    ],
  ]);
  expect((await running.ended).code).toBe(4);
}, 240_000);

test("a run that waits puts back what a dead holder has left, and goes on", async () => {
  const { endpoint } = await place.local(join(place.scenario(), "template.yaml"));
  const [ben, eva] = [new Machine("ben"), new Machine("eva")];
  await ben.killedInFault(endpoint);
  const refused = await eva.runs(endpoint).ended;
  expect([refused.code, refused.err]).toEqual([64, expect.stringContaining("is held by run")]);
  const running = eva.runs(endpoint, "--wait", "5m");
  await eva.inFault(running);
  running.kill("SIGINT");
  const { code, err } = await running.ended;
  expect([code, err]).toEqual([
    130,
    expect.stringMatching(
      /:open: put back: ReservedConcurrentExecutions 0 → unset {2}\(fault gone/,
    ),
  ]);
}, 240_000);

test("a process id of another container, boot or machine proves nothing", async () => {
  const { endpoint } = await place.local(join(place.scenario(), "template.yaml"));
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const control = createControlPlane(where);
  const [leo, ops] = [new Machine("leo"), new Machine("ops")];
  await leo.killedInFault(endpoint);
  // As if the dead process had run in a container that has the name of this host.
  const name = { GroupName: "gatecrash" };
  const listed = await control.call("scheduler", "ListSchedules", name);
  const [{ Name = "" } = {}] = listed.Schedules as { readonly Name?: string }[];
  const { Description, Target, ...kept } = await control.call("scheduler", "GetSchedule", {
    ...{ ...name, Name },
  });
  const note = JSON.parse(String(Description)) as { by: string };
  expect(note.by).toMatch(/^.+\/[0-9a-f]{10}:\d+$/);
  const { ScheduleExpression, ScheduleExpressionTimezone, FlexibleTimeWindow } = kept;
  const update = { ScheduleExpression, ScheduleExpressionTimezone, FlexibleTimeWindow, Target };
  for (const elsewhere of ["/0123456789:", ":"]) {
    const by = note.by.replace(/\/[0-9a-f]+:/, elsewhere);
    const changed = { ...name, Name, ...update, Description: JSON.stringify({ ...note, by }) };
    await control.call("scheduler", "UpdateSchedule", changed as typeof name);
    const left = await ops.does("heal", "--endpoint", endpoint);
    expect([left.code, left.out], by).toEqual([4, expect.stringContaining("left alone: run")]);
  }
  const log = readFileSync(leo.log, "utf8");
  expect(log).toMatch(/"among":"[0-9a-f]{10}"/);
  writeFileSync(leo.log, log.replaceAll(/"among":"[0-9a-f]{10}"/g, '"among":"0123456789"'));
  const shared = await leo.does("heal");
  expect([shared.code, shared.out]).toEqual([
    4,
    expect.stringMatching(/left alone: its run began on another machine.*abort \S+ --dead/),
  ]);
  const [, run = ""] = /abort (\S+) --dead/.exec(shared.out) ?? [];
  const dead = await leo.does("abort", run, "--dead");
  expect([dead.code, dead.out]).toEqual([0, expect.stringContaining("put back: Reserved")]);
  expect((await leo.does("heal", "--verify-clean")).code).toBe(0);
}, 240_000);

test("a schedule whose description somebody has edited is left, and told until it is gone", async () => {
  const { endpoint } = await place.local(join(place.scenario(), "template.yaml"));
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const control = createControlPlane(where);
  const kim = new Machine("kim");
  await kim.killedInFault(endpoint);
  const group = { GroupName: "gatecrash" };
  const listed = await control.call("scheduler", "ListSchedules", group);
  const [{ Name = "" } = {}] = listed.Schedules as { readonly Name?: string }[];
  const name = { ...group, Name };
  const { ScheduleExpression, ScheduleExpressionTimezone, FlexibleTimeWindow, Target } =
    await control.call("scheduler", "GetSchedule", name);
  const kept = { ScheduleExpression, ScheduleExpressionTimezone, FlexibleTimeWindow, Target };
  const edited = { ...name, ...kept, Description: "what is this?" };
  await control.call("scheduler", "UpdateSchedule", edited as typeof name);
  const told = `somebody has edited schedule ${Name}, which no longer says whose it is; delete it`;
  for (const line of ["put back: ReservedConcurrentExecutions 0 → unset", "was put back"]) {
    const healed = await kim.does("heal");
    expect([healed.code, healed.out]).toEqual([4, expect.stringContaining(line)]);
    expect(healed.out).toContain(`its dead-man could not be deleted (${told}`);
    expect(healed.out).toMatch(new RegExp(`do now: aws scheduler delete-schedule .*${Name}`));
  }
  const ops = new Machine("ops"); // knows of it by the account alone
  const unclear = new RegExp(`schedule ${Name} of 0{12} .* edited it; .*delete-schedule`);
  const healed = await ops.does("heal", "--endpoint", endpoint, "--verify-clean");
  expect([healed.code, healed.out]).toEqual([4, expect.stringMatching(unclear)]);
  expect((await ops.does("status", "--endpoint", endpoint)).out).toMatch(unclear);
  await control.call("scheduler", "DeleteSchedule", name);
  expect((await kim.does("heal", "--verify-clean")).code).toBe(0);
  expect((await ops.does("heal", "--endpoint", endpoint, "--verify-clean")).code).toBe(0);
}, 240_000);

test("an account is named in full, or the command is refused", async () => {
  const ops = new Machine("nobody");
  const { code, err } = await ops.does("heal", "--account");
  expect([code, err]).toEqual([64, expect.stringContaining("twelve digits, with --region")]);
  const both = await ops.does("heal", "--undo-log", "x", "--endpoint", "http://127.0.0.1:1");
  expect([both.code, both.err]).toEqual([64, expect.stringContaining("not from both")]);
  const none = await ops.does("abort", "some-run");
  expect([none.code, none.err]).toEqual([
    0,
    expect.stringMatching(/^run some-run holds nothing: it is over, or has not changed anything/),
  ]);
});
