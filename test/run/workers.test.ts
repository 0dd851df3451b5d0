// Real threads in real time: ready, go, facts on disk, stop, and failures that arrive.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { builtFile } from "../../src/core/built-file.ts";
import type { RunEvent } from "../../src/core/facts.ts";
import { systemClock } from "../../src/run/clock.ts";
import { performRun } from "../../src/run/run.ts";
import type { RunDeps } from "../../src/run/run-contract.ts";
import { startWorkers } from "../../src/run/workers.ts";
import { plan } from "../support/plans.ts";
import { readAttempts } from "../support/read-attempts.ts";
import type { TickData } from "../support/tick-worker.ts";

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

function run(data: Partial<TickData>, more: Partial<RunDeps> = {}, count = 2) {
  const parent = mkdtempSync(join(tmpdir(), "gatecrash-"));
  dirs.push(parent);
  const dir = join(parent, "run");
  const [load] = plan().loads;
  const whole = plan({
    phases: [{ name: "only", start_us: 0, end_us: 1_000_000 }],
    loads: [{ ...load!, routes: [""] }],
  });
  const slice = { index: 0, of: 1 };
  const summary = performRun({
    dir,
    slice,
    scenarioYaml: "",
    plan: whole,
    limits: { durationUs: 60_000_000, requests: 1_000_000 },
    steady: [],
    stopWhen: [],
    clock: systemClock(),
    startWorkers: () =>
      startWorkers<TickData>({
        entry: builtFile("../support/tick-worker.js", import.meta.url),
        data: { perSecond: 500, count: 500, serviceMs: 5, fail: "never", ...data },
        ...{ count, slice, dir },
        seed: 1,
        pacing: "thread",
        shape: whole.loads.map((one) => one.routes.length),
      }),
    faults: () => [],
    signal: new AbortController().signal,
    startAtMs: null,
    progress: () => {},
    ...more,
  });
  return { dir, summary };
}

test("two workers send the whole load between them, and every attempt is on disk", async () => {
  const { dir, summary } = run({});
  const { rows, failure, stoppedBy } = await summary;
  expect([rows, failure, stoppedBy]).toEqual([[250, 250], null, null]);
  const attempts = await readAttempts(dir);
  expect(attempts.map((row) => row.index)).toEqual(Array.from({ length: 500 }, (_, i) => i));
  for (const row of attempts) {
    expect(row.dueUs).toBe(row.index * 2_000);
    expect(row.worker).toBe(row.index % 2);
    expect(row.sentUs).toBeGreaterThanOrEqual(row.dueUs);
    expect(row.doneUs - row.sentUs).toBeGreaterThanOrEqual(4_000);
    expect(row.requestId).toBe(Buffer.from("JKJaXmPLvHcESHA=").toString("hex"));
  }
  const lines = readFileSync(join(dir, "events", "0.jsonl"), "utf8")
    .trim()
    .split("\n");
  const events = lines.map((line) => JSON.parse(line) as RunEvent);
  expect(events.at(-1)).toMatchObject({ kind: "end", rows: [250, 250] });
  expect(events.find((event) => event.kind === "health")).toBeDefined();
});

test("a stop reaches the workers at once; what was still due is recorded as dropped", async () => {
  const abort = new AbortController();
  const { dir, summary } = run(
    { count: 10_000 },
    { signal: abort.signal, progress: () => abort.abort() },
  );
  const { stoppedBy } = await summary;
  expect(stoppedBy?.why).toBe("signal");
  const attempts = await readAttempts(dir);
  expect(attempts).toHaveLength(10_000);
  const dropped = attempts.filter((row) => row.attempt === 0);
  expect(new Set(dropped.map((row) => row.reason))).toEqual(new Set(["stopped"]));
  expect(dropped.length).toBeGreaterThan(8_000);
  expect(attempts.filter((row) => row.attempt === 1).every((row) => row.outcome === "ok")).toBe(
    true,
  );
});

test("what compose complains of arrives as it was thrown, and nothing is sent", async () => {
  const { summary } = run({ fail: "compose" });
  await expect(summary).rejects.toMatchObject({
    name: "GatecrashError",
    code: "scenario",
    message: "no such file",
    hint: "look again",
  });
});

test("a bug in a target ends the run, which says so", async () => {
  const { summary } = run({ fail: "send" });
  const { failure, stoppedBy } = await summary;
  expect(failure).toMatchObject({ message: "a bug in the target" });
  expect(stoppedBy?.why).toBe("error");
});

test("a target that cannot be ended says so, and every attempt is on disk", async () => {
  const count = 20_000;
  const { dir, summary } = run({ fail: "dispose", count, perSecond: count, serviceMs: 1 }, {}, 1);
  const { failure } = await summary;
  expect(failure).toMatchObject({ message: "a socket that does not close" });
  const attempts = await readAttempts(dir);
  expect(attempts.map((row) => row.index)).toEqual(Array.from({ length: count }, (_, i) => i));
});

test("what a target could not send is told by its worker, and makes the run invalid", async () => {
  const { dir, summary } = run({ portless: 3, count: 100 });
  const { invalid, failure } = await summary;
  expect([invalid, failure]).toEqual([[expect.stringMatching(/^6 attempts were not sent/)], null]);
  const events = readFileSync(join(dir, "events", "0.jsonl"), "utf8");
  expect(events).toContain('"kind":"invalid","detail":"6 attempts were not sent');
});

test("a worker file that is not there is an error, not a wait", async () => {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-"));
  dirs.push(dir);
  const missing = startWorkers({
    entry: builtFile("../support/no-such-worker.js", import.meta.url),
    ...{ data: null, count: 1, slice: { index: 0, of: 1 }, dir, seed: 1 },
    pacing: "thread",
    shape: [1],
  });
  await expect(missing).rejects.toThrow("no-such-worker");
});
