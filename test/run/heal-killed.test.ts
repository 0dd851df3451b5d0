// Real processes, really killed (SIGKILL) at each effect of a fault, then `gatecrash heal`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { ControlPlane } from "../../src/core/change.ts";
import { LEASE_GROUP } from "../../src/run/lease-record.ts";
import { heal, killedAt } from "../support/killed.ts";
import { type LocalShop, startLocalShop } from "../support/local-shop.ts";

const FIELD = "ReservedConcurrentExecutions";
const TARGET = { FunctionName: "checkout" };

let shop: LocalShop;
let control: ControlPlane;
let folder = "";
beforeAll(async () => {
  shop = await startLocalShop();
  const where = { endpoint: shop.endpoint, region: "eu-west-1", account: null, runId: "test" };
  control = createControlPlane(where);
  await control.call("scheduler", "CreateScheduleGroup", { Name: LEASE_GROUP }); // made once
  folder = mkdtempSync(join(tmpdir(), "gatecrash-killed-"));
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function reserved(): Promise<number | null> {
  const output = await control.call("lambda", "GetFunctionConcurrency", TARGET);
  return (output[FIELD] as number | undefined) ?? null;
}

async function reserve(value: number | null): Promise<void> {
  if (value === null) await control.call("lambda", "DeleteFunctionConcurrency", TARGET);
  else await control.call("lambda", "PutFunctionConcurrency", { ...TARGET, [FIELD]: value });
}

describe.each([null, 0, 7])("a run killed while the reservation was %s", (prior) => {
  // Behind the lease without a record; behind inject; behind undo. 40 kills in all of the suite.
  test.each([4, 18, 28])("at its line %i is healed", async (line) => {
    const log = join(folder, `${prior}-${line}.jsonl`);
    await reserve(prior);
    writeFileSync(log, ""); // a run that is killed early leaves none, and heal wants one
    const lines = await killedAt({ line, shop, log });
    expect(lines.length).toBeGreaterThanOrEqual(Math.min(line, 24));
    const { text, code } = await heal("--undo-log", log);
    expect(await reserved(), `${lines.join("; ")} then ${text}`).toBe(prior);
    expect(code).toBe(0);
    expect((await heal("--undo-log", log)).text).toMatch(/^nothing to heal/m);
    const account = await heal("--endpoint", shop.endpoint, "--verify-clean");
    expect([account.code, await reserved()], account.text).toEqual([0, prior]);
  });
});

test("heal prints one JSON document, and on a dry run changes nothing", async () => {
  const log = join(folder, "json.jsonl");
  await reserve(7);
  await killedAt({ line: 18, shop, log, standing: true }); // right behind the inject call
  const dry = await heal("--undo-log", log, "--dry-run", "--json");
  expect(JSON.parse(dry.text).records.map((each: { outcome: string }) => each.outcome)).toEqual([
    "would",
  ]);
  expect(await reserved()).toBe(0);
  const { text, code } = await heal("--undo-log", log, "--json");
  expect([JSON.parse(text).clean, code, await reserved()]).toEqual([true, 0, 7]);
});
