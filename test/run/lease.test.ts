// Leases in virtual time: moved forward, lost, aborted, refused, and AWS's errors on the way.
import { beforeEach, describe, expect, test } from "vitest";
import { AwsFailure, type ControlPlane, type Fault, type Fields } from "../../src/core/change.ts";
import { runUs } from "../../src/core/time.ts";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import type { PlannedKind } from "../../src/local/planned-errors.ts";
import { healAccount, readAccount } from "../../src/run/heal-account.ts";
import { askToAbort } from "../../src/run/lease-calls.ts";
import { leaseNames } from "../../src/run/lease-record.ts";
import { createFaultRunner } from "../../src/run/undo.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { Cut, MemoryFile } from "../support/cut.ts";
import { type FaultSubject, Life } from "../support/fault-life.ts";
import { type MemoryAws, memoryAws } from "../support/memory-aws.ts";

const ARN = "arn:aws:lambda:eu-west-1:000000000000:function:checkout";
const OTHER = "arn:aws:lambda:eu-west-1:000000000000:function:front";
const FIELD = "ReservedConcurrentExecutions";
const MINUTE_MS = 60_000;
const HEALING = { undoUs: 10_000_000, dryRun: false };

let clock: AutoClock;
let aws: MemoryAws;
let subject: FaultSubject;
beforeEach(() => {
  clock = new AutoClock();
  aws = memoryAws(clock, "checkout", "front");
  subject = {
    control: aws.control,
    clock,
    endpoint: "http://127.0.0.1:1",
    leased: true,
    fault: (name) => reservedConcurrency({ name, function: ARN, to: 0 }),
    other: (name) => reservedConcurrency({ name, function: OTHER, to: 0 }),
    foreign: { [FIELD]: 33 },
    set: async (fields, other) => reserve(fields, other === undefined ? "checkout" : "front"),
    pass: (ms) => clock.sleepUntil(runUs(clock.nowUs() + ms * 1_000)),
    close: async () => {},
  };
});

const reserve = (fields: Fields, name = "checkout"): void => {
  const reserved = (fields[FIELD] as number | undefined) ?? null;
  aws.world.admission.declare(name, { reserved, provisioned: 0 });
};
const reserved = (name = "checkout"): number | null => aws.world.admission.limitsOf(name).reserved;
const quiet = (): AbortSignal => new AbortController().signal;
const place = { endpoint: "http://127.0.0.1:1", account: "000000000000", region: "eu-west-1" };
const pace = { pollUs: 2_000, settleUs: 2_000, retryUs: 2_000 };

function plan(action: string, error: PlannedKind, times = 1): void {
  aws.world.planned.plan({ action, times, error });
}

test("a run of half an hour keeps its change: the dead-man never acts under it", async () => {
  const life = new Life(subject);
  const runner = life.runner(subject.fault("zero"));
  await runner.inject(quiet());
  for (let minute = 0; minute < 30; minute++) {
    await subject.pass(MINUTE_MS);
    expect(reserved()).toBe(0);
  }
  expect(life.ended).toEqual([]);
  await runner.restore();
  expect([reserved(), await life.leases()]).toEqual([null, []]);
});

test("the due time is never less than two minutes away while the run lives", async () => {
  const life = new Life(subject);
  const runner = life.runner(subject.fault("zero"));
  await runner.inject(quiet());
  for (let look = 0; look < 40; look++) {
    await subject.pass(7_000);
    const [lease] = (await readAccount({ control: aws.control, clock, pace, place })).leases;
    expect((lease?.held.dueMs ?? 0) - clock.wallMs()).toBeGreaterThan(119_000);
  }
  await runner.restore();
});

test("an abort from another machine is heard within ten seconds, also when a renewal loses it", async () => {
  const life = new Life(subject);
  const runner = life.runner(subject.fault("zero"));
  await runner.inject(quiet());
  const [lease] = (await readAccount({ control: aws.control, clock, pace, place })).leases;
  await askToAbort(lease!.held, "ops@laptop", aws.control);
  await subject.pass(10_000);
  expect(life.ended).toEqual(["asked to by ops@laptop"]);
  await subject.pass(10 * MINUTE_MS); // its undo may take its time: still moved forward
  expect(reserved()).toBe(0);
  const [later] = (await readAccount({ control: aws.control, clock, pace, place })).leases;
  expect(later?.note.abort).toBe("ops@laptop");
  await runner.restore();
  expect([reserved(), await life.leases()]).toEqual([null, []]);
});

test("a lease that is taken away stops the run, which still puts back", async () => {
  const life = new Life(subject);
  const runner = life.runner(subject.fault("zero"));
  await runner.inject(quiet());
  for (const Name of await life.leases())
    await aws.control.call("scheduler", "DeleteSchedule", { Name, GroupName: "gatecrash" });
  await subject.pass(10_000);
  expect(life.ended).toEqual([`its lease on ${ARN} was taken away`]);
  await runner.restore();
  expect([reserved(), runner.undo]).toEqual([null, "verified"]);
});

test("a lease that cannot be renewed stops the run before its dead-man acts", async () => {
  const life = new Life(subject);
  const runner = life.runner(subject.fault("zero"));
  await runner.inject(quiet());
  plan("UpdateSchedule", 429, 1_000_000);
  let stoppedAt = 0;
  for (let at = 0; at < 40 && stoppedAt === 0; at++) {
    await subject.pass(5_000);
    if (life.ended.length > 0) stoppedAt = clock.wallMs();
  }
  expect(life.ended).toEqual([`its lease on ${ARN} could not be renewed`]);
  expect(reserved()).toBe(0); // the dead-man has not acted yet
  await runner.restore();
  expect(reserved()).toBe(null);
});

describe("AWS's errors on the way", () => {
  const ACTIONS = [
    "CreateSchedule",
    "GetSchedule",
    "DeleteSchedule",
    "GetFunctionConcurrency",
    "PutFunctionConcurrency",
    "DeleteFunctionConcurrency",
  ];
  const ERRORS: readonly PlannedKind[] = [429, 500, "timeout", "lost", "stale"];
  const cases = ACTIONS.flatMap((action) => ERRORS.map((error) => [action, error] as const));

  test.each(cases)(
    "%s that goes wrong by %s leaves nothing changed in the end",
    async (action, error) => {
      for (const prior of [{}, { [FIELD]: 7 }]) {
        await subject.set(prior);
        const life = new Life(subject);
        const runner = life.runner(subject.fault("zero"));
        // A reading is believed at its second time: two stale ones in a row are beyond any promise.
        plan(action, error, error === "stale" ? 1 : 2);
        await runner.inject(quiet()).catch(() => {});
        await runner.restore();
        expect(reserved()).toBe(prior[FIELD] ?? null);
        expect(await life.leases()).toEqual([]);
        await subject.pass(6 * MINUTE_MS);
        expect(reserved()).toBe(prior[FIELD] ?? null);
      }
    },
  );

  test("an undo that would be refused is found before anything is changed", async () => {
    await subject.set({ [FIELD]: 7 });
    const life = new Life(subject);
    const denied = { ...subject.control };
    denied.call = (service, action, input) => {
      if (action === "PutFunctionConcurrency" && input[FIELD] === 7) plan(action, 409);
      return aws.control.call(service, action, input);
    };
    const runner = life.runner(subject.fault("zero"), denied);
    await expect(runner.inject(quiet())).rejects.toThrow(/its undo would be refused, so nothing/);
    await runner.restore();
    expect([reserved(), await life.leases(), life.events]).toEqual([7, [], []]);
  });

  test("a pool that somebody has taken meanwhile: tried again, then told with the command", async () => {
    await subject.set({ [FIELD]: 7 });
    const life = new Life(subject);
    const runner = life.runner(subject.fault("zero"), life.control, 200_000);
    await runner.inject(quiet());
    reserve({ [FIELD]: 899 }, "front"); // 1,000 − 899 leaves 101: 7 more do not fit
    const before = life.calls.filter((call) => call.startsWith("PutFunctionConcurrency")).length;
    const undone = runner.restore();
    await expect(undone).rejects.toMatchObject({
      message: expect.stringMatching(/^NOT UNDONE .*UnreservedConcurrentExecution below/),
      hint: expect.stringContaining(
        "put-function-concurrency --function-name checkout --reserved-concurrent-executions 7",
      ),
    });
    const puts = life.calls.filter((call) => call.startsWith("PutFunctionConcurrency")).length;
    expect(puts - before).toBeGreaterThan(10);
    reserve({}, "front"); // the pool is free again: the dead-man, or heal, finishes it
    await subject.pass(6 * MINUTE_MS);
    expect(reserved()).toBe(7);
    expect((await life.healAccount()).clean).toBe(true);
    expect(await life.leases()).toEqual([]);
  });
});

test("overlapping faults of one run are undone newest first, each by its own dead-man too", async () => {
  await subject.set({ [FIELD]: 7 });
  await subject.set({}, "other");
  const cut = new Cut(Infinity);
  const life = new Life(subject, new MemoryFile(), cut);
  await life.runner(subject.fault("first")).inject(quiet());
  await life.runner(subject.other("second")).inject(quiet());
  cut.kill();
  expect([reserved(), reserved("front")]).toEqual([0, 0]);
  const early = await new Life(subject).healAccount();
  expect(early.healed.map(({ outcome }) => outcome)).toEqual(["busy", "busy"]);
  await subject.pass(6 * MINUTE_MS);
  expect([reserved(), reserved("front")]).toEqual([7, null]);
  expect((await new Life(subject).healAccount()).clean).toBe(true);
});

describe("a run that comes back although it was taken for dead", () => {
  /** The first run in its fault; then another machine heals, and a second run has begun its own. */
  async function takenOver() {
    const first = new Life(subject);
    const runner = first.runner(subject.fault("zero"));
    await runner.inject(quiet());
    const dead = healAccount({ control: aws.control, clock, pace, place, dead: "r1", ...HEALING });
    expect((await dead).clean).toBe(true);
    const second = new Life(subject, new MemoryFile(), new Cut(Infinity), "r2");
    const holder = second.runner(subject.fault("zero"));
    await holder.inject(quiet());
    return { first, runner, second, holder };
  }

  test("leaves the change and the lease of the run that has them now", async () => {
    const { first, runner, second, holder } = await takenOver();
    await expect(runner.restore()).rejects.toMatchObject({
      message: `LEFT ALONE ${ARN}: run r2 holds it now, so somebody had put ours back before`,
    });
    expect([reserved(), (await second.leases()).length]).toEqual([0, 1]);
    const left = await first.heal();
    expect(left.healed.map(({ outcome }) => outcome)).toEqual(["busy"]);
    expect([reserved(), left.clean]).toEqual([0, false]);
    await subject.pass(10 * MINUTE_MS);
    expect([reserved(), second.ended]).toEqual([0, []]);
    await holder.restore();
    expect([reserved(), await second.leases()]).toEqual([null, []]);
    expect((await first.heal()).healed.map(({ outcome }) => outcome)).toEqual(["settled"]);
  });

  test("stays away also when the other run is still preparing", async () => {
    const first = new Life(subject);
    const runner = first.runner(subject.fault("zero"));
    await runner.inject(quiet());
    for (const Name of await first.leases())
      await aws.control.call("scheduler", "DeleteSchedule", { Name, GroupName: "gatecrash" });
    reserve({});
    const second = new Life(subject, new MemoryFile(), new Cut(Infinity), "r2");
    const holder = second.runner(subject.fault("zero"));
    await holder.prepare?.(quiet());
    await runner.restore();
    expect([reserved(), (await second.leases()).length]).toEqual([null, 1]);
    await holder.restore();
    expect(await second.leases()).toEqual([]);
  });
});

test("a run that dies between its record and its lease, or behind both, is known to heal", async () => {
  for (const k of [2, 3, 4, 5, 6, 7]) {
    const [file, cut] = [new MemoryFile(), new Cut(k)];
    await new Life(subject, file, cut)
      .runner(subject.fault("zero"))
      .inject(quiet())
      .catch(() => {});
    const writes = (): number =>
      aws.world.audit.filter(({ action }) => action.endsWith("Concurrency")).length;
    const before = writes();
    const healed = await new Life(subject, file).heal();
    expect(healed.healed.map(({ outcome }) => outcome)).toEqual(["settled"]);
    expect([writes(), await new Life(subject).leases()]).toEqual([before, []]);
  }
});

test("what is left of a lease that somebody deleted in part is made new, not believed", async () => {
  const plain = subject.fault("zero");
  const fault: Fault = { ...plain, read: { ...plain.read, fields: [FIELD, "Second"] } };
  const first = new Life(subject);
  await first.runner(fault).prepare?.(quiet());
  const [one = "", part = ""] = leaseNames({ resource: ARN, fields: fault.read.fields, undo: [] });
  const due = async (Name: string): Promise<unknown> => {
    const input = { Name, GroupName: "gatecrash" };
    return (await aws.control.call("scheduler", "GetSchedule", input)).ScheduleExpression;
  };
  await aws.control.call("scheduler", "DeleteSchedule", { Name: one, GroupName: "gatecrash" });
  await subject.pass(2 * MINUTE_MS);
  const life = new Life(subject, new MemoryFile(), new Cut(Infinity), "r2");
  const runner = life.runner(fault);
  await runner.prepare?.(quiet());
  expect(await due(part)).toBe(await due(one));
  await runner.restore();
  expect(await life.leases()).toEqual([]);
});

test.each([-120_000, 120_000])("a clock that is %i ms off AWS's refuses the fault", async (off) => {
  const life = new Life(subject);
  const call: ControlPlane["call"] = async (service, action, input) => {
    const output = await aws.control.call(service, action, input);
    const theirs = { CreationDate: new Date(clock.wallMs() + off) }; // as the SDK reads it
    return action === "GetSchedule" ? { ...output, ...theirs } : output;
  };
  const runner = life.runner(subject.fault("zero"), { call });
  await expect(runner.inject(quiet())).rejects.toThrow(/clock and AWS's differ by 120 s/);
  await runner.restore();
  expect([reserved(), await life.leases(), life.events]).toEqual([null, [], []]);
});

test("somebody else's change is never overwritten by healing from the account", async () => {
  const cut = new Cut(Infinity);
  await new Life(subject, new MemoryFile(), cut).runner(subject.fault("zero")).inject(quiet());
  cut.kill();
  await subject.pass(6 * MINUTE_MS); // the dead-man has acted; then somebody decides otherwise
  await subject.set({ [FIELD]: 33 });
  const report = await new Life(subject).healAccount();
  expect(report.healed.map(({ outcome }) => outcome)).toEqual(["drift"]);
  expect([reserved(), report.clean]).toEqual([33, false]);
});

test("what may be secret is refused before anything is written, and is written nowhere", async () => {
  const secret = "s3cr3t-value";
  const input = { FunctionName: "checkout", Environment: { Variables: { KEY: secret } } };
  const plain = subject.fault("environment");
  const change = { service: "lambda", action: "UpdateFunctionConfiguration", input };
  const readBack = { action: "GetFunctionConcurrency", input: { FunctionName: "checkout" } };
  const fault: Fault = {
    ...plain,
    undo: () => [{ ...change, secret: true, readBack: { ...readBack, fields: [FIELD] } }],
  };
  const file = new MemoryFile();
  const life = new Life(subject, file);
  const runner = life.runner(fault);
  const refusal = await runner.inject(quiet()).catch((error: unknown) => error);
  await runner.restore();
  const { message, hint } = refusal as { message: string; hint: string };
  expect(message).toContain("may hold secrets");
  const everything = [file.text, message, hint, life.calls, life.events, aws.world.audit];
  expect(JSON.stringify(everything)).not.toContain(secret);
  expect([file.text, aws.world.audit]).toEqual(["", []]);
});

describe("the identity that puts back", () => {
  const withRestoring = (life: Life, call: ControlPlane["call"]) =>
    createFaultRunner(subject.fault("zero"), { ...life.deps(), restoring: { call } });

  test("proves the undo before the change, and makes it", async () => {
    await subject.set({ [FIELD]: 7 });
    const life = new Life(subject);
    const restoring: string[] = [];
    const runner = withRestoring(life, (service, action, input) => {
      restoring.push(action);
      return aws.control.call(service, action, input);
    });
    await runner.inject(quiet());
    expect(restoring).toEqual(["PutFunctionConcurrency", "GetFunctionConcurrency"]);
    expect(life.calls.filter((call) => call.startsWith("Put"))).toEqual([
      `PutFunctionConcurrency {"FunctionName":"checkout","${FIELD}":0}`,
    ]);
    await runner.restore();
    expect(restoring.filter((action) => action.startsWith("Put")).length).toBe(2);
    expect(reserved()).toBe(7);
  });

  test("that may not put back keeps the fault from being injected", async () => {
    await subject.set({ [FIELD]: 7 });
    const life = new Life(subject);
    const runner = withRestoring(life, async (service, action, input) => {
      if (/^(Put|Delete)/.test(action))
        throw new AwsFailure("AccessDeniedException", "no", "", 403);
      return aws.control.call(service, action, input);
    });
    await expect(runner.inject(quiet())).rejects.toThrow(/its undo would be refused, so nothing/);
    await runner.restore();
    expect(life.calls.filter((call) => call.startsWith("Put"))).toEqual([]);
    expect([reserved(), await life.leases()]).toEqual([7, []]);
  });
});
