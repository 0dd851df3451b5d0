// The same conformance over HTTP against real local AWS, with the system's clock.
import { expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import { faultConformance } from "../conformance/fault.ts";
import { type FaultSubject, Life } from "../support/fault-life.ts";
import { type LocalShop, startLocalShop } from "../support/local-shop.ts";
import { SkipClock } from "../support/skip-clock.ts";

const FIELD = "ReservedConcurrentExecutions";

function controlOf(shop: LocalShop) {
  const where = { endpoint: shop.endpoint, region: "eu-west-1", account: null, runId: "test" };
  return createControlPlane(where);
}

function subjectOf(shop: LocalShop, clock: SkipClock): FaultSubject {
  const control = controlOf(shop);
  return {
    control,
    clock,
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= 30_000) await clock.skip(30_000);
    },
    endpoint: shop.endpoint,
    leased: true,
    fault: (name) => reservedConcurrency({ name, function: shop.functions.checkout, to: 0 }),
    other: (name) => reservedConcurrency({ name, function: shop.functions.front, to: 0 }),
    foreign: { [FIELD]: 33 },
    set: async (fields, other) => {
      const input = { FunctionName: other === undefined ? "checkout" : "front" };
      const value = fields[FIELD];
      if (value === undefined) await control.call("lambda", "DeleteFunctionConcurrency", input);
      else await control.call("lambda", "PutFunctionConcurrency", { ...input, [FIELD]: value });
    },
    close: async () => shop[Symbol.asyncDispose](),
  };
}

faultConformance({
  name: "reserved-concurrency, on local AWS",
  priors: [
    ["unset", {}, 21],
    ["0", { [FIELD]: 0 }, 13],
    ["7", { [FIELD]: 7 }, 21],
  ],
  async start() {
    const clock = new SkipClock();
    return subjectOf(await startLocalShop(clock), clock);
  },
});

test("unset on the wire is an answer without the key, and a delete brings it back", async () => {
  await using shop = await startLocalShop();
  const control = controlOf(shop);
  const read = async (): Promise<unknown> => {
    const input = { FunctionName: "checkout" };
    return (await control.call("lambda", "GetFunctionConcurrency", input))[FIELD];
  };
  expect(await read()).toBeUndefined();
  await control.call("lambda", "PutFunctionConcurrency", { FunctionName: "checkout", [FIELD]: 0 });
  expect(await read()).toBe(0);
  await control.call("lambda", "DeleteFunctionConcurrency", { FunctionName: "checkout" });
  expect(await read()).toBeUndefined();
});

test("local AWS itself has seen the lease, the undo proven, the change, the undo, and no lease", async () => {
  const clock = new SkipClock();
  await using shop = await startLocalShop(clock);
  const life = new Life(subjectOf(shop, clock));
  const runner = life.runner(life.subject.fault("zero"));
  await runner.inject(new AbortController().signal);
  await runner.restore();
  const writes = (await shop.writes()) as { action: string; resource: string }[];
  const names = writes.map(({ action, resource }) => `${action} ${resource.split("/gc-")[0]}`);
  const group = "arn:aws:scheduler:eu-west-1:000000000000:schedule/gatecrash";
  expect(names).toEqual([
    `CreateScheduleGroup ${group.replace("schedule/", "schedule-group/")}`,
    `CreateSchedule ${group}`,
    `DeleteFunctionConcurrency ${shop.functions.checkout}`,
    `PutFunctionConcurrency ${shop.functions.checkout}`,
    `DeleteFunctionConcurrency ${shop.functions.checkout}`,
    `DeleteSchedule ${group}`,
  ]);
});
