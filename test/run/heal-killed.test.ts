// Real processes, really killed (SIGKILL) at each effect of a fault, then `gatecrash heal`.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { healCommand } from "../../src/cli/heal.ts";
import { builtFile } from "../../src/core/built-file.ts";
import type { ControlPlane } from "../../src/core/change.ts";
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

/**
 * Runs the fault in a process of its own and kills it at its `line`-th line: in the middle of
 * whatever it does next, or standing still. Resolves to the lines.
 */
async function killedAt(line: number, log: string, how = "moving"): Promise<string[]> {
  const script = builtFile("../support/killed-run.js", import.meta.url).pathname;
  const child: ChildProcess = spawn(
    process.execPath,
    [script, shop.endpoint, shop.functions.checkout, log, how === "standing" ? String(line) : "0"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const lines: string[] = [];
  const ended = once(child, "exit");
  for await (const each of createInterface({ input: child.stdout! })) {
    lines.push(each);
    if (lines.length === line) child.kill("SIGKILL");
  }
  await ended;
  return lines;
}

/** The command as the command line runs it. */
async function heal(...flags: string[]): Promise<{ text: string; code: number }> {
  let text = "";
  let code = -1;
  const context = {
    signal: new AbortController().signal,
    out: (more: string) => {
      text += more;
    },
    err: () => {},
    exit: (wanted: number) => {
      code = wanted;
    },
  };
  await healCommand(context).parseAsync(flags, { from: "user" });
  return { text, code };
}

describe.each([null, 0, 7])("a run killed while the reservation was %s", (prior) => {
  test.each([5, 8, 9, 10, 13, 17, 19, 22])("at its line %i is healed", async (line) => {
    const log = join(folder, `${prior}-${line}.jsonl`);
    await reserve(prior);
    const lines = await killedAt(line, log);
    expect(lines.length).toBeGreaterThanOrEqual(Math.min(line, 14));
    const { text, code } = await heal("--undo-log", log);
    expect(await reserved(), `${lines.join("; ")} then ${text}`).toBe(prior);
    expect(code).toBe(0);
    expect((await heal("--undo-log", log)).text).toMatch(/^nothing to heal/m);
  });
});

test("heal prints one JSON document, and on a dry run changes nothing", async () => {
  const log = join(folder, "json.jsonl");
  await reserve(7);
  await killedAt(8, log, "standing"); // right behind the inject call
  const dry = await heal("--undo-log", log, "--dry-run", "--json");
  expect(JSON.parse(dry.text).records.map((each: { outcome: string }) => each.outcome)).toEqual([
    "would",
  ]);
  expect(await reserved()).toBe(0);
  const { text, code } = await heal("--undo-log", log, "--json");
  expect([JSON.parse(text).clean, code, await reserved()]).toEqual([true, 0, 7]);
});
