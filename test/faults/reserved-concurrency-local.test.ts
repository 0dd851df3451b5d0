// The same conformance over HTTP against real local AWS, with the system's clock.
import { expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { reservedConcurrency } from "../../src/faults/reserved-concurrency.ts";
import { systemClock } from "../../src/run/clock.ts";
import { faultConformance } from "../conformance/fault.ts";
import { type LocalShop, startLocalShop } from "../support/local-shop.ts";

const FIELD = "ReservedConcurrentExecutions";

function controlOf(shop: LocalShop) {
  const where = { endpoint: shop.endpoint, region: "eu-west-1", account: null, runId: "test" };
  return createControlPlane(where);
}

faultConformance({
  name: "reserved-concurrency, on local AWS",
  priors: [
    ["unset", {}],
    ["0", { [FIELD]: 0 }],
    ["7", { [FIELD]: 7 }],
  ],
  async start() {
    const shop = await startLocalShop();
    const control = controlOf(shop);
    return {
      control,
      clock: systemClock(),
      endpoint: shop.endpoint,
      fault: (name) => reservedConcurrency({ name, function: shop.functions.checkout, to: 0 }),
      other: (name) => reservedConcurrency({ name, function: shop.functions.front, to: 0 }),
      set: async (fields, other) => {
        const input = { FunctionName: other === undefined ? "checkout" : "front" };
        const value = fields[FIELD];
        if (value === undefined) await control.call("lambda", "DeleteFunctionConcurrency", input);
        else await control.call("lambda", "PutFunctionConcurrency", { ...input, [FIELD]: value });
      },
      close: async () => shop[Symbol.asyncDispose](),
    };
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
