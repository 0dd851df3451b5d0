// The local AWS of a killed run: heal uses it and then stops it, or finds it gone.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LocalProcess, startLocalProcess } from "../../src/cli/local-process.ts";
import { heal, killedAt } from "../support/killed.ts";
import { writeShopTemplate } from "../support/local-shop.ts";

let folder = "";
let local: LocalProcess;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatecrash-local-"));
  local = await startLocalProcess({
    template: writeShopTemplate(folder),
    port: 0,
    scale: 1,
    concurrency: 1_000,
    unreservedMinimum: 100,
    scalingBucket: 1_000,
  });
});
afterEach(async () => {
  await local.stop();
  rmSync(folder, { recursive: true });
});

/** A run that has started this local AWS and is killed right behind its inject call. */
async function killedRun(log: string): Promise<void> {
  const functions = { checkout: local.outputs.CheckoutArn ?? "" };
  const shop = { endpoint: local.endpoint, functions };
  await killedAt({ line: 22, shop, log, standing: true, localPid: local.pid });
}

test("outlives the run, is healed, and is then stopped", async () => {
  const log = join(folder, "undo.jsonl");
  await killedRun(log);
  const { text, code } = await heal("--undo-log", log);
  expect(text).toContain("put back: ReservedConcurrentExecutions 0 → unset");
  expect(text).toContain(`local AWS at ${local.endpoint} was stopped`);
  expect(code).toBe(0);
  await expect(local.gone).rejects.toThrow("went away");
});

test("that is gone makes the record void, with a line and exit code 0", async () => {
  const log = join(folder, "undo.jsonl");
  await killedRun(log);
  await local.stop();
  const { text, code } = await heal("--undo-log", log);
  expect(text).toContain(`void: its local AWS at ${local.endpoint} is gone`);
  expect(code).toBe(0);
  expect((await heal("--undo-log", log)).text).toContain("nothing to heal");
});
