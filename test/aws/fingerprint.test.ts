// What was under test: noticed when it is another, whatever of it somebody changed.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { changedSince, fingerprintOf } from "../../src/aws/fingerprint.ts";
import { AwsFailure, type ControlPlane, type Json } from "../../src/core/change.ts";
import { type DeployedShop, deployShop } from "../support/deployed-shop.ts";
import { SkipClock } from "../support/skip-clock.ts";

const MORE = `      AutoPublishAlias: live
`;

let deployed: DeployedShop;
const clock = new SkipClock();
let control: ControlPlane;
beforeAll(async () => {
  deployed = await deployShop(MORE, { clock });
  control = deployed.control;
}, 60_000);
afterAll(() => deployed[Symbol.asyncDispose]());

const NAMES = ["shop", "shop:live"];
/** Done, and settled. */
async function change(action: string, input: { readonly [key: string]: Json } = {}) {
  await control.call("lambda", action, { FunctionName: "shop", ...input });
  await clock.skip(30_000);
  await vi.waitFor(async () => {
    const now = await control.call("lambda", "GetFunctionConfiguration", { FunctionName: "shop" });
    expect(now.LastUpdateStatus).toBe("Successful");
  }, 20_000);
}

/** What is said to have changed when `act` was done in between. */
async function during(act: () => Promise<unknown>): Promise<string[]> {
  const before = await fingerprintOf(NAMES, control);
  await act();
  return changedSince(before, await fingerprintOf(NAMES, control));
}

const reserve = (to: number) =>
  change("PutFunctionConcurrency", { ReservedConcurrentExecutions: to });

test("nothing has changed when nothing was done", async () => {
  expect(await during(async () => {})).toEqual([]);
});

test("a reservation that somebody sets, moves or takes away is a change of the function", async () => {
  const said = (name: string, text: string): string =>
    `function ${name} changed during the run, reserved concurrency: ${text}`;
  const both = (text: string): string[] => NAMES.map((name) => said(name, text));
  expect(await during(() => reserve(7))).toEqual(both("unset → 7"));
  expect(await during(() => reserve(0))).toEqual(both("7 → 0"));
  expect(await during(() => change("DeleteFunctionConcurrency"))).toEqual(both("0 → unset"));
});

test("a deployment is: memory, and an alias that moves", async () => {
  const found = await during(async () => {
    await change("UpdateFunctionConfiguration", { MemorySize: 256 });
    await change("PublishVersion");
    await change("UpdateAlias", { Name: "live", FunctionVersion: "2" });
  });
  expect(found).toContain("function shop changed during the run, MemorySize: 128 → 256");
  expect(found.filter((text) => text.includes("alias live")).length).toBe(2);
});

test("the weights of an alias are, also when they stand for the same two versions", async () => {
  const weigh = (weight: number) => {
    const RoutingConfig = { AdditionalVersionWeights: { "1": weight } };
    return change("UpdateAlias", { Name: "live", FunctionVersion: "2", RoutingConfig });
  };
  const live = (found: string[]) => found.filter((text) => text.includes("alias live"));
  expect(live(await during(() => weigh(0.1))).length).toBe(2);
  expect(live(await during(() => weigh(0.5)))[0]).toContain("0.1");
  const RoutingConfig = { AdditionalVersionWeights: {} };
  await change("UpdateAlias", { Name: "live", RoutingConfig });
});

test("variables are, and are not shown", async () => {
  const Environment = { Variables: { TOKEN: "hush-4719" } };
  const found = await during(() => change("UpdateFunctionConfiguration", { Environment }));
  expect(found).toEqual(["function shop changed during the run, Environment"]);
});

test("what a fault does to an alias and puts back is none, the version it leaves included", async () => {
  const found = await during(async () => {
    await change("UpdateFunctionConfiguration", { Description: "gatecrash: recycled" });
    await change("PublishVersion");
    await change("UpdateFunctionConfiguration", { Description: "" });
    await change("UpdateAlias", { Name: "live", FunctionVersion: "3" });
    await change("UpdateAlias", { Name: "live", FunctionVersion: "2" });
    await reserve(0);
    await change("DeleteFunctionConcurrency");
  });
  expect(found).toEqual([]);
});

test("a function that cannot be read any more is said, one that never could is left out", async () => {
  const before = await fingerprintOf([...NAMES, "none"], control);
  expect(Object.keys(before)).toEqual(NAMES);
  const refusing: ControlPlane = {
    async call() {
      throw new AwsFailure("AccessDeniedException", "not authorized", "", 403);
    },
  };
  expect(changedSince(before, await fingerprintOf(NAMES, refusing))).toEqual(
    NAMES.map((name) => `function ${name} cannot be read any more`),
  );
});
