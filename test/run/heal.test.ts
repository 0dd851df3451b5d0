// Heal: newest first, from the record alone, and honest about what it could not do.
import { describe, expect, test } from "vitest";
import { AwsFailure } from "../../src/core/change.ts";
import { runUs, US_PER_S } from "../../src/core/time.ts";
import { type HealPorts, heal } from "../../src/run/heal.ts";
import { createUndoLog, type UndoLog } from "../../src/run/undo-log.ts";
import type { UndoRecord, UndoState } from "../../src/run/undo-record.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { MemoryFile } from "../support/cut.ts";
import { MemoryControl } from "../support/memory-control.ts";
import { CHECKOUT, checkoutRecord, FRONT } from "../support/undo-records.ts";

const LOCAL = { pid: 77, began: "5" };

class World {
  readonly control = new MemoryControl("checkout", "front");
  readonly clock = new AutoClock();
  readonly file = new MemoryFile();
  readonly undoLog: UndoLog;
  readonly stopped: string[] = [];

  constructor() {
    this.undoLog = createUndoLog({ file: this.file, clock: this.clock, alive: () => false });
  }

  async left(record: UndoRecord, state: UndoState = "injected", value = 0): Promise<void> {
    await this.undoLog.open(record);
    await this.undoLog.mark(record.id, state);
    this.control.reserved.set(record.resource.split(":").at(-1) ?? "", value);
  }

  heal(more: Partial<HealPorts> = {}) {
    return heal({
      undoLog: this.undoLog,
      clock: this.clock,
      connect: async () => this.control,
      owner: () => "ended",
      localGone: () => false,
      stopLocal: async (endpoint) => {
        this.stopped.push(endpoint);
      },
      undoUs: 10 * US_PER_S,
      dryRun: false,
      ...more,
    });
  }

  async states(): Promise<string[]> {
    return (await this.undoLog.read()).entries.map(({ state }) => state);
  }
}

describe("what a dead run left", () => {
  test("is put back newest first, each with a line", async () => {
    const world = new World();
    await world.left(checkoutRecord({ id: "1" }, 7));
    await world.left(checkoutRecord({ id: "2", fault: "one" }, null, FRONT));
    const report = await world.heal();
    expect(report.healed.map(({ line }) => line)).toEqual([
      `${FRONT}: put back: ReservedConcurrentExecutions 0 → unset  (fault one of run r1)`,
      `${CHECKOUT}: put back: ReservedConcurrentExecutions 0 → 7  (fault zero of run r1)`,
    ]);
    expect([...world.control.reserved]).toEqual([["checkout", 7]]);
    expect([report.clean, await world.states()]).toEqual([true, ["settled", "settled"]]);
  });

  test("that was recorded and never written is settled without any call", async () => {
    const world = new World();
    await world.undoLog.open(checkoutRecord());
    const report = await world.heal();
    expect([report.healed[0]?.outcome, world.control.calls]).toEqual(["settled", []]);
  });

  test("with a prior equal to the fault's value is read and never written", async () => {
    const world = new World();
    await world.left(checkoutRecord({}, 0), "restoring", 0);
    expect((await world.heal()).clean).toBe(true);
    expect(world.control.writes).toEqual([]);
  });

  test.each([
    ["before its inject call has arrived", 7],
    ["between two tries of its inject call", 0],
  ])("is put back although it died %s", async (_when, value) => {
    const world = new World();
    await world.left(checkoutRecord({}, 7), "injecting", value);
    const arrives = world.clock.sleepUntil(runUs(50_000)).then(() => {
      world.control.reserved.set("checkout", 0);
    });
    expect((await world.heal()).clean).toBe(true);
    await arrives;
    expect(world.control.reserved.get("checkout")).toBe(7);
  });
});

describe("what heal leaves alone", () => {
  test("somebody else's value: drift, untouched, and exit code 4", async () => {
    const world = new World();
    await world.left(checkoutRecord({}, 7), "injected", 33);
    const report = await world.heal();
    expect(report.healed[0]?.outcome).toBe("drift");
    expect(report.healed[0]?.line).toContain(
      "DRIFT: somebody else changed it (ReservedConcurrentExecutions is 33; " +
        "ReservedConcurrentExecutions was 7), not touched",
    );
    expect([report.clean, world.control.writes, await world.states()]).toEqual([
      false,
      [],
      ["drift"],
    ]);
  });

  test("a function that no longer exists", async () => {
    const world = new World();
    await world.left(checkoutRecord());
    world.control.functions.delete("checkout");
    const report = await world.heal();
    expect([report.healed[0]?.outcome, report.clean]).toEqual(["drift", false]);
  });

  test("the change of a run that is still alive", async () => {
    const world = new World();
    await world.left(checkoutRecord());
    const report = await world.heal({ owner: () => "runs" });
    expect([report.healed[0]?.outcome, report.clean, world.control.calls]).toEqual([
      "busy",
      false,
      [],
    ]);
    expect(await world.states()).toEqual(["injected"]);
  });

  test("everything, on a dry run, which names the command", async () => {
    const world = new World();
    await world.left(checkoutRecord({ local: LOCAL }));
    const before = world.file.text;
    const report = await world.heal({ dryRun: true });
    expect(report.healed[0]?.line).toContain(
      "would be put back: ReservedConcurrentExecutions 0 → unset, " +
        "by aws lambda delete-function-concurrency --function-name checkout",
    );
    expect([world.control.writes, world.file.text, world.stopped]).toEqual([[], before, []]);
  });
});

describe("a local AWS that is gone", () => {
  test("makes the record void, with a line, when nobody listens", async () => {
    const world = new World();
    await world.left(checkoutRecord());
    world.control.before = () => {
      throw new AwsFailure("ECONNREFUSED", "connect ECONNREFUSED", "", 0);
    };
    const report = await world.heal();
    expect(report.healed[0]?.line).toContain(
      "void: its local AWS at http://127.0.0.1:4599 is gone",
    );
    expect([report.clean, await world.states()]).toEqual([true, ["void"]]);
  });

  test("makes the record void although another one has its port now", async () => {
    const world = new World();
    await world.left(checkoutRecord({ local: LOCAL }));
    const report = await world.heal({ localGone: () => true });
    expect([report.healed[0]?.outcome, world.control.calls]).toEqual(["void", []]);
  });

  test("is not assumed where AWS itself refuses a connection", async () => {
    const world = new World();
    await world.left(checkoutRecord({ endpoint: "aws" }));
    world.control.before = () => {
      throw new AwsFailure("ECONNREFUSED", "connect ECONNREFUSED", "", 0);
    };
    const report = await world.heal();
    expect([report.healed[0]?.outcome, await world.states()]).toEqual(["failed", ["failed"]]);
  });
});

describe("a local AWS that the dead run started", () => {
  test("is asked to stop once its records are settled", async () => {
    const world = new World();
    await world.left(checkoutRecord({ local: LOCAL }));
    expect((await world.heal()).stopped).toEqual(["http://127.0.0.1:4599"]);
  });

  test("is asked to stop also when the run had undone its change before it died", async () => {
    const world = new World();
    await world.left(checkoutRecord({ local: LOCAL }), "verified");
    expect((await world.heal()).stopped).toEqual(["http://127.0.0.1:4599"]);
  });

  test("lives on while a record of it could not be put back", async () => {
    const world = new World();
    await world.left(checkoutRecord({ id: "1", local: LOCAL }));
    await world.left(checkoutRecord({ id: "2", local: LOCAL }, null, FRONT));
    world.control.before = (_action, input) => {
      if (input.FunctionName === "front") throw new AwsFailure("Denied", "no", "", 403);
    };
    const report = await world.heal();
    expect(report.healed.map(({ outcome }) => outcome)).toEqual(["failed", "settled"]);
    expect(world.stopped).toEqual([]);
  });

  test("is left running when somebody else started it", async () => {
    const world = new World();
    await world.left(checkoutRecord());
    expect((await world.heal()).stopped).toEqual([]);
  });
});

describe("an undo that does not succeed", () => {
  test("names the exact command, stays open, and does not stop the others", async () => {
    const world = new World();
    await world.left(checkoutRecord({ id: "1" }));
    await world.left(checkoutRecord({ id: "2" }, 7, FRONT));
    world.control.before = (action, input) => {
      const refused = action === "PutFunctionConcurrency" && input.FunctionName === "front";
      if (refused) throw new AwsFailure("InvalidParameterValueException", "below [100]", "", 400);
    };
    const report = await world.heal();
    expect(report.healed[0]?.line).toContain(
      "NOT UNDONE: InvalidParameterValueException: below [100]; do now: " +
        "aws lambda put-function-concurrency --function-name front " +
        "--reserved-concurrent-executions 7 --region eu-west-1",
    );
    expect([report.clean, await world.states()]).toEqual([false, ["settled", "failed"]]);
    world.control.before = () => {};
    expect((await world.heal()).clean).toBe(true);
    expect([...world.control.reserved]).toEqual([["front", 7]]);
  });

  test("for want of the right credentials is a failure of that record alone", async () => {
    const world = new World();
    await world.left(checkoutRecord());
    const report = await world.heal({
      connect: () => Promise.reject(new Error("the credentials are of account 1")),
    });
    expect(report.healed[0]?.line).toContain("NOT UNDONE: the credentials are of account 1");
  });
});
