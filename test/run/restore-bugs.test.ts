// Restore bugs that were found in public tools: each is given its chance here, and does not happen.
import { beforeEach, describe, expect, test } from "vitest";
import type { Fault } from "../../src/core/change.ts";
import { runUs } from "../../src/core/time.ts";
import { eventSource } from "../../src/faults/event-source.ts";
import { forceRetries } from "../../src/faults/force-retries.ts";
import { recycleEnvironments } from "../../src/faults/recycle-environments.ts";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import { slowDependency } from "../../src/faults/slow-dependency.ts";
import { DEFAULT_SETTINGS } from "../../src/local/sqs/settings.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { Cut, MemoryFile } from "../support/cut.ts";
import { Life } from "../support/fault-life.ts";
import { type MemoryAws, memoryAws } from "../support/memory-aws.ts";

const ARN = "arn:aws:lambda:eu-west-1:000000000000:function:checkout";
const GET = { FunctionName: "checkout" };

let clock: AutoClock;
let aws: MemoryAws;
beforeEach(() => {
  clock = new AutoClock();
  aws = memoryAws(clock, "checkout");
});

const fault = (to = 0) => reservedConcurrency({ name: "zero", function: ARN, to });
const pass = (ms: number): Promise<void> => clock.sleepUntil(runUs(clock.nowUs() + ms * 1_000));
const reserve = (reserved: number | null): void =>
  aws.world.admission.declare("checkout", { reserved, provisioned: 0 });
const reserved = (): number | null => aws.world.admission.limitsOf("checkout").reserved;
const quiet = (): AbortSignal => new AbortController().signal;
const writes = (): string[] =>
  aws.world.audit.map(({ action }) => action).filter((action) => action.endsWith("Concurrency"));

function lifeOf(file = new MemoryFile(), cut = new Cut(Infinity), run = "r1"): Life {
  const subject = {
    control: aws.control,
    clock,
    endpoint: "http://127.0.0.1:1",
    leased: true,
    fault: () => fault(),
    other: () => fault(),
    foreign: { ReservedConcurrentExecutions: 33 },
    set: async () => {},
    pass,
    close: async () => {},
  };
  return new Life(subject, file, cut, run);
}

test("an answer without the key is unset, though the answer itself is there", async () => {
  expect(await aws.control.call("lambda", "GetFunctionConcurrency", GET)).toEqual({});
  const life = lifeOf();
  const runner = life.runner(fault());
  await runner.inject(quiet());
  await runner.restore();
  expect(reserved()).toBe(null);
  expect(writes().at(-1)).toBe("DeleteFunctionConcurrency");
});

test("a function that had N ends with N, not unset: the prior is always read", async () => {
  reserve(7);
  const runner = lifeOf().runner(fault());
  await runner.inject(quiet());
  await runner.restore();
  expect([reserved(), writes().at(-1)]).toEqual([7, "PutFunctionConcurrency"]);
});

test("rolling back an earlier execution deletes where nothing was set, also from the account", async () => {
  const cut = new Cut(Infinity);
  await lifeOf(new MemoryFile(), cut).runner(fault()).inject(quiet());
  cut.kill();
  aws.world.planned.plan({ action: "DeleteFunctionConcurrency", times: 1_000, error: 500 });
  await pass(12 * 60_000); // the dead-man was refused until it gave up
  expect(reserved()).toBe(0);
  for (let left = 0; left < 1_000; left++)
    await aws.control.call("lambda", "DeleteFunctionConcurrency", GET).catch(() => {});
  reserve(0);
  expect((await lifeOf().healAccount()).clean).toBe(true);
  expect([reserved(), writes().at(-1)]).toEqual([null, "DeleteFunctionConcurrency"]);
});

test("a second inject never takes the faulted value for the original", async () => {
  reserve(7);
  const file = new MemoryFile();
  const cut = new Cut(Infinity);
  await lifeOf(file, cut).runner(fault()).inject(quiet());
  cut.kill();
  // On the same machine, on another one, and when the dead run's lease is overdue.
  const here = lifeOf(file, new Cut(Infinity), "r2");
  await expect(here.runner(fault(3)).inject(quiet())).rejects.toThrow(/by run r1 .* not been put/);
  const elsewhere = lifeOf(new MemoryFile(), new Cut(Infinity), "r2");
  await expect(elsewhere.runner(fault(3)).inject(quiet())).rejects.toThrow(/is held by run r1/);
  await pass(6 * 60_000);
  const later = lifeOf(new MemoryFile(), new Cut(Infinity), "r3");
  await expect(later.runner(fault(3)).inject(quiet())).rejects.toThrow(/is held by run r1/);
  await lifeOf().healAccount();
  expect(reserved()).toBe(7);
});

test("a promise to restore by itself is kept: the schedule is there before the change is", async () => {
  const runner = lifeOf().runner(fault());
  await runner.inject(quiet());
  const order = aws.world.audit.map(({ action }) => action);
  expect(order.indexOf("CreateSchedule")).toBeLessThan(order.indexOf("PutFunctionConcurrency"));
  await runner.restore();
});

test("stopped early, it is undone as well", async () => {
  reserve(7);
  const stop = new AbortController();
  const runner = lifeOf().runner(fault());
  const injecting = runner.inject(stop.signal).catch(() => {});
  await pass(1);
  stop.abort(new Error("stopped"));
  await injecting;
  await runner.restore();
  expect(reserved()).toBe(7);
});

test("never begun, it is never undone: no write at all", async () => {
  await lifeOf().runner(fault()).restore();
  expect(aws.world.audit).toEqual([]);
});

test("a sleeping restore that wakes after a person's own reset leaves that alone", async () => {
  reserve(7);
  const runner = lifeOf().runner(fault());
  await runner.inject(quiet());
  reserve(20); // an operator reacts
  await pass(60_000);
  await expect(runner.restore()).rejects.toThrow(/DRIFT/);
  await pass(10 * 60_000); // and the dead-man does not come back to it either
  expect(reserved()).toBe(20);
});

describe("a function with layers, variables and a timeout of its own", () => {
  const OWN = {
    Layers: ["arn:aws:lambda:eu-west-1:000000000000:layer:tracing:4"],
    Environment: { Variables: { AWS_LAMBDA_EXEC_WRAPPER: "/opt/tracing", TOKEN: "s3cret-value" } },
    Timeout: 47,
    Description: "takes orders",
  };
  /** All but what every update makes anew. */
  const configuration = async () => {
    const answer = await aws.control.call("lambda", "GetFunctionConfiguration", GET);
    const { RevisionId: _, LastModified: __, ...rest } = answer;
    return rest;
  };
  const faultOf = (input: { [key: string]: string | number }): Fault => {
    const window = { during: null, startUs: 0, endUs: 30_000_000, line: 1 };
    const spec = { kind: "x", name: "x", ...window, input: { function: ARN, ...input } };
    return "timeout" in input ? forceRetries(spec, 1) : recycleEnvironments(spec, 1);
  };
  beforeEach(async () => {
    await aws.control.call("lambda", "UpdateFunctionConfiguration", { ...GET, ...OWN });
    await pass(2_000);
  });

  test.each([[{ timeout: 1_000_000 }], [{}]])(
    "%o: inject and undo touch one field, and drop no layer and no variable",
    async (input) => {
      const before = await configuration();
      const life = lifeOf();
      const runner = life.runner(faultOf(input));
      await runner.inject(quiet());
      const during = await configuration();
      expect([during.Layers, during.Environment]).toEqual([before.Layers, before.Environment]);
      await runner.restore();
      expect(await configuration()).toEqual(before);
      const written = life.calls.filter((call) => call.startsWith("UpdateFunction"));
      for (const call of written) expect(call).not.toMatch(/Layers|Environment/);
      expect(JSON.stringify([life.events, life.calls, aws.world.audit])).not.toContain("s3cret");
    },
  );

  test("in force and undone are said when the update is over, not when its call is answered", async () => {
    const runner = lifeOf().runner(faultOf({ timeout: 1_000_000 }));
    await runner.inject(quiet());
    expect((await configuration()).LastUpdateStatus).toBe("Successful");
    await runner.restore();
    expect((await configuration()).LastUpdateStatus).toBe("Successful");
  });

  test("what somebody else changes beside it meanwhile stays", async () => {
    const runner = lifeOf().runner(faultOf({ timeout: 1_000_000 }));
    await runner.inject(quiet());
    await aws.control.call("lambda", "UpdateFunctionConfiguration", { ...GET, MemorySize: 512 });
    await runner.restore();
    const { MemorySize, Timeout } = await configuration();
    expect([MemorySize, Timeout, runner.undo]).toEqual([512, 47, "verified"]);
  });
});

test("an experiment that is stopped early leaves no parameter that keeps the fault on", async () => {
  await aws.world.dependencies.open("orders", "", () => {});
  const dependency = "arn:aws:ssm:eu-west-1:000000000000:parameter/gatecrash/dependency/orders";
  const window = { during: null, startUs: 0, endUs: 30_000_000, line: 1 };
  const spec = { kind: "x", name: "x", ...window, input: { dependency, hang: true } };
  const stop = new AbortController();
  const life = lifeOf();
  const runner = life.runner(slowDependency(spec, 1));
  await runner.inject(stop.signal);
  expect(aws.world.parameters.size).toBe(1);
  stop.abort(new Error("stopped early"));
  await runner.restore();
  expect([aws.world.parameters.size, runner.undo]).toEqual([0, "verified"]);
  await aws.world.dependencies[Symbol.asyncDispose]();
});

test("an event source that was off before the fault is not switched on by its undo", async () => {
  const uuid = "11111111-0000-4000-8000-000000000000";
  const { queues, mappings } = aws.world;
  queues.create("jobs", DEFAULT_SETTINGS);
  const input = { EventSourceArn: "arn:aws:sqs:eu-west-1:000000000000:jobs" };
  mappings.deployed(mappings.kinds.get("sqs")!(uuid, input, "checkout"), false);
  const mapping = `arn:aws:lambda:eu-west-1:000000000000:event-source-mapping:${uuid}`;
  const window = { during: null, startUs: 0, endUs: 30_000_000, line: 1 };
  const spec = { kind: "x", name: "x", ...window, input: { mapping, enabled: false } };
  const runner = lifeOf().runner(eventSource(spec));
  await runner.inject(quiet());
  await runner.restore();
  expect([mappings.get(uuid)?.state, runner.undo]).toEqual(["Disabled", "verified"]);
});
