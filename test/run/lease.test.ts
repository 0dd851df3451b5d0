// Leases in virtual time: moved forward, lost, aborted, refused, and AWS's errors on the way.
import { beforeEach, describe, expect, test } from "vitest";
import { AwsFailure, type ControlPlane, type Fault, type Fields } from "../../src/core/change.ts";
import { runUs } from "../../src/core/time.ts";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import { slowDependency } from "../../src/faults/slow-dependency.ts";
import type { PlannedKind } from "../../src/local/planned-errors.ts";
import { awaitFree } from "../../src/run/free-leases.ts";
import { readAccount, releaseUntouched } from "../../src/run/heal-account.ts";
import { askToAbort } from "../../src/run/lease-calls.ts";
import { decodeNote, encodeNote, type LeaseNote } from "../../src/run/lease-note.ts";
import { createFaultRunner } from "../../src/run/undo.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { Cut, MemoryFile } from "../support/cut.ts";
import { type FaultSubject, Life } from "../support/fault-life.ts";
import { type MemoryAws, memoryAws } from "../support/memory-aws.ts";

const ARN = "arn:aws:lambda:eu-west-1:000000000000:function:checkout";
const OTHER = "arn:aws:lambda:eu-west-1:000000000000:function:front";
const FIELD = "ReservedConcurrentExecutions";
const MINUTE_MS = 60_000;

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
    const [lease] = await readAccount({ control: aws.control, clock, pace, place });
    expect((lease?.held.dueMs ?? 0) - clock.wallMs()).toBeGreaterThan(119_000);
  }
  await runner.restore();
});

test("an abort from another machine is heard within ten seconds, also when a renewal loses it", async () => {
  const life = new Life(subject);
  const runner = life.runner(subject.fault("zero"));
  await runner.inject(quiet());
  const [lease] = await readAccount({ control: aws.control, clock, pace, place });
  await askToAbort(lease!.held, "ops@laptop", aws.control);
  await subject.pass(10_000);
  expect(life.ended).toEqual(["asked to by ops@laptop"]);
  await subject.pass(10 * MINUTE_MS); // its undo may take its time: still moved forward
  expect(reserved()).toBe(0);
  const [later] = await readAccount({ control: aws.control, clock, pace, place });
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

describe("the lease of a dead run of this machine", () => {
  const free = (): Promise<void> =>
    awaitFree(
      [subject.fault("next")],
      { control: aws.control, clock, pace },
      {
        us: 0,
        say: () => {},
        signal: quiet(),
        giveUp: () => {
          const ports = { control: aws.control, clock, pace, place };
          return releaseUntouched([ARN], { ...ports, isGone: () => true });
        },
      },
    );

  test("is given up without a write when nothing had been changed yet", async () => {
    // Behind effect 4 (group and lease are made) and until its record is on disk.
    for (const k of [4, 5, 6]) {
      const [file, cut] = [new MemoryFile(), new Cut(k)];
      await new Life(subject, file, cut)
        .runner(subject.fault("zero"))
        .inject(quiet())
        .catch(() => {});
      expect([file.text, (await new Life(subject).leases()).length]).toEqual(["", 1]);
      const before = aws.world.audit.filter(({ action }) => action.endsWith("Concurrency")).length;
      await free();
      expect(await new Life(subject).leases()).toEqual([]);
      const writes = aws.world.audit.filter(({ action }) => action.endsWith("Concurrency"));
      expect(writes.length).toBe(before);
      await aws.control.call("scheduler", "DeleteScheduleGroup", { Name: "gatecrash" });
    }
  });

  test("stays in the way when its change is still in place", async () => {
    const cut = new Cut(Infinity);
    await new Life(subject, new MemoryFile(), cut).runner(subject.fault("zero")).inject(quiet());
    cut.kill();
    await expect(free()).rejects.toThrow(/is held by run r1/);
    expect((await new Life(subject).leases()).length).toBe(1);
  });
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

describe("a note", () => {
  const note = (name: string, count = 1): LeaseNote => ({
    v: 1,
    run: "2026-11-30T19-02Z-k4x9",
    fault: "zero",
    kind: "reserved-concurrency",
    on: `arn:aws:lambda:ap-southeast-2:222222222222:function:${name}`,
    by: "a-runner-with-a-rather-long-name-0123456789:1234567",
    read: "lambda:GetFunctionConcurrency",
    with: { FunctionName: name },
    prior: Object.fromEntries(Array.from({ length: count }, (_, at) => [`Field${at}`, at])),
    ours: { [FIELD]: 0 },
  });

  test("fits for the longest function name, and is read back as it was", () => {
    const long = note("f".repeat(64), 8);
    expect(encodeNote(long).length).toBeLessThanOrEqual(512);
    expect(decodeNote(encodeNote(long))).toEqual(long);
    expect(decodeNote(encodeNote(note("f")))).toEqual(note("f"));
  });

  test("has room for a dependency's rule with all its members, and for who asks to stop", () => {
    const dependency = "arn:aws:ssm:eu-west-1:222222222222:parameter/gatecrash/dependency/payments";
    const only = "POST /orders/confirmations, GET /stock/levels/by-warehouse, TransactWriteItems";
    const input = { dependency, delay: 300_000, "delay-p99": 2_000_000, share: 0.123, only };
    const window = { during: null, startUs: 0, endUs: 3_600_000_000, line: 1 };
    const spec = { kind: "slow-dependency", name: "payments-are-slow", ...window, input };
    const { read, faulted } = slowDependency(spec, 4_294_967_295);
    const asked = {
      ...{ ...note("x"), kind: spec.kind, fault: spec.name, on: dependency },
      ...{ read: "ssm:GetParameters", with: read.input, prior: {}, ours: faulted },
      abort: "somebody on a-runner-with-a-rather-long-name-0123456789",
    };
    expect(encodeNote(asked).length).toBeLessThan(400);
    expect(decodeNote(encodeNote(asked))).toEqual(asked);
  });

  test("that cannot fit is refused, and somebody else's text is no note", () => {
    expect(() => encodeNote(note("f", 400))).toThrow(/does not fit/);
    for (const text of ["", "{}", "deflate:!", '{"v":2}', "my own schedule"])
      expect(decodeNote(text)).toBe(null);
  });
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
