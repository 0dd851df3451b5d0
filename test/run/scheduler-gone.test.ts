// A scheduler out of order, or not for whoever puts back: the change is undone all the same.
import { beforeEach, describe, expect, test } from "vitest";
import { AwsFailure, type ControlPlane } from "../../src/core/change.ts";
import { runUs } from "../../src/core/time.ts";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import type { PlannedKind } from "../../src/local/planned-errors.ts";
import { createFaultRunner } from "../../src/run/undo.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { Cut, MemoryFile } from "../support/cut.ts";
import { type FaultSubject, Life } from "../support/fault-life.ts";
import { type MemoryAws, memoryAws } from "../support/memory-aws.ts";

const ARN = "arn:aws:lambda:eu-west-1:000000000000:function:checkout";
const FIELD = "ReservedConcurrentExecutions";

let aws: MemoryAws;
let subject: FaultSubject;
beforeEach(() => {
  const clock = new AutoClock();
  aws = memoryAws(clock, "checkout");
  const fault = (name: string) => reservedConcurrency({ name, function: ARN, to: 0 });
  subject = {
    ...{ control: aws.control, clock, endpoint: "http://127.0.0.1:1", leased: true },
    ...{ fault, other: fault, foreign: { [FIELD]: 33 } },
    set: async () => {},
    pass: (ms) => clock.sleepUntil(runUs(clock.nowUs() + ms * 1_000)),
    close: async () => {},
  };
});

const reserve = (to: number): void =>
  aws.world.admission.declare("checkout", { reserved: to, provisioned: 0 });
const reserved = (): number | null => aws.world.admission.limitsOf("checkout").reserved;
const quiet = (): AbortSignal => new AbortController().signal;

/** May do everything but what is named. */
const denied = (what: RegExp): ControlPlane => ({
  call: async (service, action, input) => {
    if (what.test(`${service}:${action}`))
      throw new AwsFailure("AccessDeniedException", "no", "", 403);
    return aws.control.call(service, action, input);
  },
});

describe("a scheduler that does not answer any more", () => {
  test.each<[string, PlannedKind]>([
    ["throttles", 429],
    ["is out of order", 500],
    ["hangs", "timeout"],
  ])("and %s, keeps no run from putting back", async (_how, error) => {
    const life = new Life(subject);
    const runner = life.runner(subject.fault("zero"));
    await runner.inject(quiet());
    aws.world.planned.plan({ action: "GetSchedule", times: 1_000_000, error });
    await expect(runner.restore()).rejects.toMatchObject({
      message: expect.stringMatching(/ is put back, but its dead-man could not be deleted /),
      hint: expect.stringContaining("aws scheduler delete-schedule"),
    });
    expect([reserved(), runner.undo]).toEqual([null, "verified"]);
  });

  test.each([
    ["what is put back", () => {}, "put back: ReservedConcurrentExecutions 0 → unset", null],
    ["what is not ours", () => reserve(33), "DRIFT: somebody else changed it", 33],
  ])("is told by heal, beside %s, and made up for by the next one", async (_, other, line, now) => {
    const [file, cut] = [new MemoryFile(), new Cut(Infinity)];
    await new Life(subject, file, cut).runner(subject.fault("zero")).inject(quiet());
    cut.kill();
    other();
    const [left] = (await new Life(subject, file).heal(denied(/DeleteSchedule/))).healed;
    expect([left?.outcome, reserved()]).toEqual(["failed", now]);
    expect(left?.line).toContain(line);
    expect(left?.line).toMatch(/but its dead-man could not be deleted \(.*\); do now: aws sched/);
    expect(left?.command).toMatch(/^aws scheduler delete-schedule --name gc-/);
    const life = new Life(subject, file);
    const again = await life.heal();
    expect(again.healed.map(({ outcome }) => outcome)).toEqual([
      now === null ? "settled" : "drift",
    ]);
    expect([reserved(), await life.leases()]).toEqual([now, []]);
  });

  test("or may not be asked by whoever puts back, leaves nothing changed", async () => {
    const life = new Life(subject);
    const deps = { ...life.deps(), restoring: denied(/^scheduler:/) };
    const runner = createFaultRunner(subject.fault("zero"), deps);
    await runner.inject(quiet());
    await runner.restore();
    expect([reserved(), runner.undo, await life.leases()]).toEqual([null, "verified", []]);
  });
});
