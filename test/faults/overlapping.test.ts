// Faults of several kinds in force at once: undone newest first, each by itself, also by heal.
import { beforeEach, describe, expect, test } from "vitest";
import type { Fault } from "../../src/core/change.ts";
import type { FaultSpec } from "../../src/core/scenario.ts";
import { runUs } from "../../src/core/time.ts";
import { forceRetries } from "../../src/faults/force-retries.ts";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import { slowDependency } from "../../src/faults/slow-dependency.ts";
import { DEFAULT_SETTINGS } from "../../src/local/sqs/settings.ts";
import { restoreAll } from "../../src/run/undo-all.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { Cut, MemoryFile } from "../support/cut.ts";
import { type FaultSubject, Life } from "../support/fault-life.ts";
import { type MemoryAws, memoryAws } from "../support/memory-aws.ts";

const FUNCTION = "arn:aws:lambda:eu-west-1:000000000000:function:checkout";
const spec = (name: string, input: FaultSpec["input"]): FaultSpec => {
  const window = { during: null, startUs: 0, endUs: 30_000_000, line: 1 };
  return { kind: "x", name, ...window, input };
};
const dependency = "arn:aws:ssm:eu-west-1:000000000000:parameter/gatecrash/dependency/orders";

/** In the order in which they begin; the first two change one function, each its own part. */
const FAULTS: readonly Fault[] = [
  reservedConcurrency({ name: "capped", function: FUNCTION, to: 5 }),
  forceRetries(spec("short", { function: FUNCTION, timeout: 1_000_000 }), 1),
  forceRetries(
    spec("early", { queue: "arn:aws:sqs:eu-west-1:000000000000:jobs", visibility: 0 }),
    1,
  ),
  slowDependency(spec("slow", { dependency, delay: 300_000 }), 1),
];
const quiet = (): AbortSignal => new AbortController().signal;

let clock: AutoClock;
let aws: MemoryAws;
let subject: FaultSubject;
beforeEach(async () => {
  clock = new AutoClock();
  aws = memoryAws(clock, "checkout");
  aws.world.queues.create("jobs", DEFAULT_SETTINGS);
  await aws.world.dependencies.open("orders", "", () => {});
  subject = {
    ...{ control: aws.control, clock, endpoint: "http://127.0.0.1:1", leased: true },
    fault: () => FAULTS[0]!,
    other: () => FAULTS[1]!,
    foreign: {},
    set: async () => {},
    pass: async () => {},
    close: async () => {},
  };
});

/** All that the faults change. */
const state = async () => ({
  reserved: aws.world.admission.limitsOf("checkout").reserved,
  timeout: (
    await aws.control.call("lambda", "GetFunctionConfiguration", { FunctionName: "checkout" })
  ).Timeout,
  visibility: aws.world.queues.get("jobs")?.settings.visibilityTimeoutS,
  rules: aws.world.parameters.size,
});
const BEFORE = { reserved: null, timeout: 3, visibility: 30, rules: 0 };
const DURING = { reserved: 5, timeout: 1, visibility: 0, rules: 1 };

describe("four faults in force at once", () => {
  test("are undone newest first, two of them on one function", async () => {
    const life = new Life(subject);
    const runners = FAULTS.map((fault) => life.runner(fault));
    for (const runner of runners) await runner.inject(quiet());
    expect(await state()).toEqual(DURING);
    expect(await restoreAll(runners.toReversed(), clock)).toEqual([]);
    const begun = life.events.filter(({ step }) => step === "restore-asked");
    expect(begun.map(({ fault }) => fault)).toEqual(["slow", "early", "short", "capped"]);
    expect(await state()).toEqual(BEFORE);
    expect(await life.leases()).toEqual([]);
  });

  test("one whose undo is refused for good stops none of the others, and says what to type", async () => {
    const life = new Life(subject);
    const runners = FAULTS.map((fault) => life.runner(fault));
    for (const runner of runners) await runner.inject(quiet());
    aws.world.planned.plan({ action: "SetQueueAttributes", times: 1_000_000, error: 500 });
    const failures = await restoreAll(runners.toReversed(), clock);
    expect(failures.map(String)).toEqual([expect.stringMatching(/NOT UNDONE .*:jobs/)]);
    expect(runners.map(({ undo }) => undo)).toEqual(["verified", "verified", "failed", "verified"]);
    expect(await state()).toEqual({ ...BEFORE, visibility: 0 });
    const failed = life.events.find(({ step }) => step === "failed");
    expect(failed?.detail).toContain("aws sqs set-queue-attributes");
  });

  test("of a process that died are healed newest first; what somebody changed is left", async () => {
    const [file, cut] = [new MemoryFile(), new Cut(Infinity)];
    const life = new Life(subject, file, cut);
    for (const fault of FAULTS) await life.runner(fault).inject(quiet());
    cut.kill();
    const theirs = { FunctionName: "checkout", Timeout: 9 };
    await aws.control.call("lambda", "UpdateFunctionConfiguration", theirs);
    const report = await new Life(subject, file).heal();
    const healed = report.healed.map(({ record, outcome }) => [record.fault, outcome]);
    expect(healed).toEqual([
      ["slow", "settled"],
      ["early", "settled"],
      ["short", "drift"],
      ["capped", "settled"],
    ]);
    expect([report.clean, await state()]).toEqual([false, { ...BEFORE, timeout: 9 }]);
  });
});

describe("two faults in one place, one after the other", () => {
  test("the second is prepared while the first is in force, and takes its prior afterwards", async () => {
    const life = new Life(subject);
    const first = life.runner(slowDependency(spec("slow", { dependency, delay: 300_000 }), 1));
    const second = life.runner(slowDependency(spec("gone", { dependency, reset: true }), 1));
    await first.inject(quiet());
    const prepared = second.prepare?.(quiet());
    await clock.sleepUntil(runUs(clock.nowUs() + 2_000_000));
    await first.restore();
    await prepared;
    await second.inject(quiet());
    const asked = life.events.filter(({ step }) => step === "asked");
    expect(asked.map(({ fault, fields }) => [fault, fields])).toEqual([
      ["slow", {}],
      ["gone", {}],
    ]);
    await second.restore();
    expect(await state()).toEqual(BEFORE);
    expect(await life.leases()).toEqual([]);
  });

  test("somebody else's rule is not waited for", async () => {
    const put = { Name: "/gatecrash/dependency/orders", Type: "String" };
    const Value = JSON.stringify({ v: 1, for_s: 60, share: 1, seed: 1, act: "reset" });
    await aws.control.call("ssm", "PutParameter", { ...put, Value });
    const runner = new Life(subject).runner(FAULTS[3]!);
    await expect(runner.inject(quiet())).rejects.toThrow(/holds another rule already/);
    await runner.restore();
    expect(aws.world.parameters.get(put.Name)?.value).toBe(Value);
  });
});
