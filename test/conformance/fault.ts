// What every fault has to hold: undo is complete, idempotent and survives a crash anywhere.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ControlPlane, Fault, Fields } from "../../src/core/change.ts";
import { AwsFailure } from "../../src/core/change.ts";
import { sameFields } from "../../src/core/fields.ts";
import type { UndoableFault } from "../../src/run/fault-runner.ts";
import { readFields } from "../../src/run/read-fields.ts";
import { restoreAll } from "../../src/run/undo-all.ts";
import { isUnfinished } from "../../src/run/undo-record.ts";
import { Cut, MemoryFile } from "../support/cut.ts";
import { type FaultSubject, Life } from "../support/fault-life.ts";
import { type CallError, WrongCalls } from "../support/wrong-calls.ts";

/** `effects`: exactly so many disk writes and AWS calls, K; each is a crash point. */
export type Prior = readonly [label: string, fields: Fields, effects: number];

export interface FaultSuite {
  readonly name: string;
  /** States to start from; *unset* and one equal to the fault's value are among them. */
  readonly priors: readonly Prior[];
  readonly start: () => Promise<FaultSubject>;
}

async function now(subject: FaultSubject, fault: Fault): Promise<Fields> {
  return (await readFields(subject.control, fault.read)).fields;
}

const actionsOf = (fault: Fault, prior: Fields): Set<string> =>
  new Set([...fault.inject(prior), ...fault.undo(prior)].map(({ action }) => action));

const quiet = (): AbortSignal => new AbortController().signal;

/** Inject and restore as a run does, whatever inject comes to. */
async function live(runner: UndoableFault): Promise<void> {
  await runner.inject(quiet()).catch(() => {});
  await runner.restore().catch(() => {});
}

export function faultConformance(suite: FaultSuite): void {
  describe(`fault ${suite.name}`, () => {
    let subject: FaultSubject;
    beforeAll(async () => {
      subject = await suite.start();
      await subject.set(suite.priors[0]?.[1] ?? {});
      await live(new Life(subject).runner(subject.fault("first"))); // makes the group, once
    });
    afterAll(() => subject.close());

    describe.each(suite.priors)("when it was %s before", (_label, prior, effects) => {
      undoCases(() => subject, prior);
      raceCases(() => subject, prior);
      crashCases(() => subject, prior, effects);
      errorCases(() => subject, prior);
    });
    pairCases(() => subject, suite.priors[0]?.[1] ?? {});
  });
}

function undoCases(subjectOf: () => FaultSubject, prior: Fields): void {
  test("is undone and verified after its effect was observed", async () => {
    const subject = subjectOf();
    await subject.set(prior);
    const life = new Life(subject);
    const fault = subject.fault("zero");
    const runner = life.runner(fault);
    await runner.inject(quiet());
    expect(await now(subject, fault)).toEqual(fault.faulted);
    await runner.restore();
    expect(await now(subject, fault)).toEqual(prior);
    expect(life.steps("zero")).toEqual([
      "asked",
      "answered",
      "onset",
      "restore-asked",
      "restore-answered",
      "verified",
      "cleared",
    ]);
    expect(runner.undo).toBe("verified");
    expect(subject.leased ? await life.leases() : []).toEqual([]);
  });

  test("belongs to one run at a time", async (context) => {
    const subject = subjectOf();
    if (!subject.leased) return context.skip("no scheduler");
    await subject.set(prior);
    const life = new Life(subject);
    const runner = life.runner(subject.fault("zero"));
    await runner.inject(quiet());
    const other = new Life(subject, new MemoryFile(), new Cut(Infinity), "r2");
    const second = other.runner(subject.fault("again"));
    await expect(second.inject(quiet())).rejects.toThrow(/is held by run r1 \(fault zero/);
    await second.restore();
    await runner.restore();
    expect(await now(subject, subject.fault("zero"))).toEqual(prior);
    expect(await life.leases()).toEqual([]);
    const third = other.runner(subject.fault("free"));
    await third.inject(quiet());
    await third.restore();
  });

  test("is undone once when it is undone twice", async () => {
    const subject = subjectOf();
    await subject.set(prior);
    const life = new Life(subject);
    const runner = life.runner(subject.fault("zero"));
    await runner.inject(quiet());
    await Promise.all([runner.restore(), runner.restore()]);
    const calls = life.calls.length;
    await runner.restore();
    await life.heal();
    expect(life.calls.length).toBe(calls);
    expect(await now(subject, subject.fault("zero"))).toEqual(prior);
  });

  test("calls nothing when it is undone without having been injected", async () => {
    const subject = subjectOf();
    await subject.set(prior);
    const life = new Life(subject);
    await life.runner(subject.fault("zero")).restore();
    expect(life.calls).toEqual([]);
    expect(life.events).toEqual([]);
  });

  test("is undone when a write of inject fails or its answer is lost", async () => {
    const subject = subjectOf();
    const fault = subject.fault("zero");
    for (const acted of [false, true]) {
      for (const status of [0, 400, 503]) {
        await subject.set(prior);
        const life = new Life(subject);
        await live(
          life.runner(
            fault,
            failingFirstWrite(life.control, actionsOf(fault, prior), acted, status),
          ),
        );
        expect(await now(subject, fault)).toEqual(prior);
        expect((await life.undoLog.read()).entries.map(({ state }) => state)).toEqual(["settled"]);
      }
    }
  });

  test("is undone when it is aborted during any call of inject", async () => {
    const subject = subjectOf();
    const fault = subject.fault("zero");
    for (let at = 1, heard = true; heard; at++) {
      await subject.set(prior);
      const life = new Life(subject);
      const abort = new AbortController();
      const runner = life.runner(fault, abortingAt(life.control, at, abort));
      await runner.inject(abort.signal).catch(() => {});
      heard = abort.signal.aborted;
      await runner.restore();
      expect(await now(subject, fault)).toEqual(prior);
    }
  });

  test("is left as somebody else has set it meanwhile, and said so", async (context) => {
    const subject = subjectOf();
    const { foreign } = subject;
    if (sameFields(foreign, prior, subject.fault("zero").read.fields))
      return context.skip("there are two values only, so a foreign one is what was before");
    await subject.set(prior);
    const life = new Life(subject);
    const fault = subject.fault("zero");
    const runner = life.runner(fault);
    await runner.inject(quiet());
    await subject.set(foreign);
    await expect(runner.restore()).rejects.toThrow(/DRIFT/);
    expect(await now(subject, fault)).toEqual(foreign);
    expect(life.steps("zero").at(-1)).toBe("drift");
    await subject.pass(OVERDUE_MS);
    expect(await now(subject, fault)).toEqual(foreign); // nor by a dead-man
    expect(subject.leased ? await life.leases() : []).toEqual([]);
  });
}

/** Calls with which AWS can compare and set. */
const COMPARED = ["UpdateFunctionConfiguration", "UpdateAlias"];

function raceCases(subjectOf: () => FaultSubject, prior: Fields): void {
  test("is left as somebody sets it between heal's reading and its write", async (context) => {
    const subject = subjectOf();
    const fault = subject.fault("zero");
    const [undo, ...more] = fault.undo(prior);
    if (undo === undefined || more.length > 0 || !COMPARED.includes(undo.action))
      return context.skip("AWS cannot compare and set it, or there is nothing to write");
    if (sameFields(subject.foreign, prior, fault.read.fields))
      return context.skip("no third value");
    await subject.set(prior);
    const [file, cut] = [new MemoryFile(), new Cut(Infinity)];
    await new Life(subject, file, cut).runner(fault).inject(quiet());
    cut.kill();
    const life = new Life(subject, file);
    let raced = false;
    const control: ControlPlane = {
      async call(service, action, input) {
        if (action === undo.action && !raced) {
          raced = true;
          await subject.set(subject.foreign);
        }
        return life.control.call(service, action, input);
      },
    };
    const report = await life.heal(control);
    expect(raced).toBe(true);
    expect(report.healed.map(({ outcome }) => outcome)).toEqual(["drift"]);
    expect(await now(subject, fault)).toEqual(subject.foreign);
  });
}

/** The first write throws; with `acted` AWS has carried it out and only the answer is lost. */
function failingFirstWrite(
  control: ControlPlane,
  writes: ReadonlySet<string>,
  acted: boolean,
  status: number,
): ControlPlane {
  let failed = 0;
  return {
    async call(service, action, input) {
      if (!writes.has(action) || failed >= 3) return control.call(service, action, input);
      failed++;
      if (acted) await control.call(service, action, input);
      throw new AwsFailure("ServiceException", "planned", "", status);
    },
  };
}

function abortingAt(control: ControlPlane, at: number, abort: AbortController): ControlPlane {
  let calls = 0;
  return {
    call(service, action, input) {
      if (++calls === at) abort.abort(new Error("Ctrl-C"));
      return control.call(service, action, input);
    },
  };
}

/** Longer than any lease lives without its run, and a dead-man needs to act. */
const OVERDUE_MS = 6 * 60_000;

function crashCases(subjectOf: () => FaultSubject, prior: Fields, effects: number): void {
  /** A process that dies behind its k-th effect: what it leaves on disk. */
  const crash = async (k: number): Promise<{ file: MemoryFile; effects: number }> => {
    const subject = subjectOf();
    await subject.set(prior);
    const [file, cut] = [new MemoryFile(), new Cut(k)];
    await live(new Life(subject, file, cut).runner(subject.fault("zero")));
    return { file, effects: cut.effects };
  };

  test(`is as before after a crash behind any of its ${effects} effects, once healed`, async () => {
    const subject = subjectOf();
    const fault = subject.fault("zero");
    const { effects: K } = await crash(Infinity);
    expect(K).toBe(effects);
    for (let k = 0; k <= K; k++) {
      const { file } = await crash(k);
      await healed(new Life(subject, file), fault, prior);
      await cleanedUp(new Life(subject), fault, prior);
    }
  });

  test(`is as before after any of these crashes by its dead-man alone`, async (context) => {
    const subject = subjectOf();
    if (!subject.leased) return context.skip("no scheduler");
    const fault = subject.fault("zero");
    for (let k = 0; k <= effects; k++) {
      await crash(k);
      await subject.pass(OVERDUE_MS);
      expect(await now(subject, fault), `cut behind effect ${k}`).toEqual(prior);
      await cleanedUp(new Life(subject), fault, prior);
    }
  });

  test("is as before when heal itself crashes behind any effect and is run again", async () => {
    const subject = subjectOf();
    const fault = subject.fault("zero");
    for (let k = 0, whole = false; !whole; k++) {
      await subject.set(prior);
      const [file, cut, second] = [new MemoryFile(), new Cut(Infinity), new Cut(k)];
      await new Life(subject, file, cut).runner(fault).inject(quiet());
      cut.kill();
      await new Life(subject, file, second).heal().catch(() => {});
      whole = !second.dead;
      await healed(new Life(subject, file), fault, prior);
    }
  });
}

async function healed(life: Life, fault: Fault, prior: Fields): Promise<void> {
  const report = await life.heal();
  expect(report.clean).toBe(true);
  expect(await now(life.subject, fault)).toEqual(prior);
  expect((await life.heal()).healed).toEqual([]);
}

/** From another machine, when every lease is overdue; then nothing of it is left in the account. */
async function cleanedUp(life: Life, fault: Fault, prior: Fields): Promise<void> {
  if (!life.subject.leased) return;
  if ((await life.leases()).length > 0) await life.subject.pass(OVERDUE_MS);
  const report = await life.healAccount();
  expect(report.healed.map(({ line }) => line).filter(() => !report.clean)).toEqual([]);
  expect(await life.leases()).toEqual([]);
  expect(await now(life.subject, fault)).toEqual(prior);
}

/** Each of AWS's errors, and the longest row of it that a fault has to bear. */
const ERRORS: readonly (readonly [CallError, times: number])[] = [
  [429, 3],
  [409, 3],
  [500, 3],
  ["timeout", 2],
  ["lost", 2],
  ["stale", 1], // two stale readings in a row are beyond any promise
];

function errorCases(subjectOf: () => FaultSubject, prior: Fields): void {
  test.each(ERRORS)(
    "is as before whichever of its calls goes wrong by %s, up to %i times",
    async (error, times) => {
      const subject = subjectOf();
      const fault = subject.fault("zero");
      for (let at = 1, met = true; met; at++) {
        await subject.set(prior);
        const life = new Life(subject);
        const wrong = new WrongCalls(life.control, at, error, times);
        await live(life.runner(fault, wrong));
        met = wrong.met;
        const where = `from call ${at} on`;
        expect(await now(subject, fault), where).toEqual(prior);
        expect((await life.undoLog.read()).entries.filter(isUnfinished), where).toEqual([]);
        expect(subject.leased ? await life.leases() : [], where).toEqual([]);
      }
    },
  );
}

function pairCases(subjectOf: () => FaultSubject, prior: Fields): void {
  test("two faults are undone newest first and touch nothing but their resources", async () => {
    const subject = subjectOf();
    await subject.set(prior);
    await subject.set(prior, "other");
    const life = new Life(subject);
    const first = life.runner(subject.fault("first"));
    const second = life.runner(subject.other("second"));
    await first.inject(quiet());
    await second.inject(quiet());
    expect(await restoreAll([second, first], subject.clock)).toEqual([]);
    const verified = life.events.filter((event) => event.step === "verified");
    expect(verified.map((event) => event.fault)).toEqual(["second", "first"]);
    const names = [...subject.fault("x").resources, ...subject.other("x").resources];
    for (const call of life.calls.filter((each) => !each.includes("Schedule"))) {
      expect(names.some((arn) => call.includes(String(arn.split(/[:/]/).at(-1))))).toBe(true);
    }
  });

  test("an undo that is stuck does not stop the other", async () => {
    const subject = subjectOf();
    await subject.set(prior);
    await subject.set(prior, "other");
    const life = new Life(subject);
    let stuck = false;
    const hanging: ControlPlane = {
      call: (...call) => (stuck ? new Promise(() => {}) : life.control.call(...call)),
    };
    const first = life.runner(subject.fault("first"));
    const second = life.runner(subject.other("second"), hanging, 50_000);
    await first.inject(quiet());
    await second.inject(quiet());
    stuck = true;
    const failures = await restoreAll([second, first], subject.clock);
    expect(failures.map(String)).toEqual([expect.stringMatching(/NOT UNDONE/)]);
    expect([second.undo, first.undo]).toEqual(["failed", "verified"]);
    expect(await now(subject, subject.fault("first"))).toEqual(prior);
    expect(life.events.findLast(({ fault }) => fault === "second")?.detail).toBe(second.command);
    await healed(life, subject.other("second"), prior);
  });
}
