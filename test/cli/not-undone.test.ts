// Undo where the account has changed under it: refused, told with the command, healed later.
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { Json } from "../../src/core/change.ts";
import type { FaultEvent } from "../../src/core/facts.ts";
import { Workplace } from "../support/command-line.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const PATIENT = { timeout: 120_000 };
const FAULTS =
  '  - reserved-concurrency: { function: "{{outputs.OpenArn}}", to: 0 }\n    during: gone\n';
const CHANGES = 'change: ["{{outputs.OpenArn}}"]';
const LONG = { "gone: 2500ms": "gone: 60s", "duration: 30s": "duration: 90s", "60/s": "20/s" };

const faultOn = (output: string, name: string, atS: number): string =>
  `  - reserved-concurrency: { function: "{{outputs.${output}}}", to: 0 }\n` +
  `    name: ${name}\n    at: ${atS}s\n    for: 50s\n`;

async function openShop() {
  const { endpoint } = await place.local(join(place.scenario(), "template.yaml"));
  const where = { endpoint, region: "eu-west-1", account: null, runId: "test" };
  const control = createControlPlane(where);
  const call = async (action: string, name: string, more: { [key: string]: Json } = {}) =>
    (await control.call("lambda", action, { FunctionName: name, ...more }))
      .ReservedConcurrentExecutions;
  return { endpoint, call };
}

/** What a local AWS gets wrong from now on, so many times. */
const plan = (endpoint: string, action: string, error: number | string, times: number) =>
  fetch(new URL("/_local/faults", endpoint), {
    method: "POST",
    body: JSON.stringify({ action, error, times }),
  });

function eventsOf(run: string): FaultEvent[] {
  const file = join(run, "events", "0.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === "fault");
}

const stepsOf = (run: string, step: FaultEvent["step"]): string[] =>
  eventsOf(run).flatMap((event) => (event.step === step ? [event.fault] : []));

test.concurrent(
  "a pool that was taken meanwhile: exit 4, the command first, and heal once it is free",
  PATIENT,
  async () => {
    const { endpoint, call } = await openShop();
    const edits = { ...LONG, OpenArn: "KeptArn", "undo: 20s": "undo: 4s" };
    const out = join(place.dir, "pool");
    const state = { XDG_STATE_HOME: join(place.dir, "pool.state") };
    const args = ["run", place.scenario(edits), "--endpoint", endpoint, "--out", out];
    const running = place.start(args, state);
    await running.until(() => stepsOf(out, "onset").length === 1);
    // 1,000 − 894 leaves 106: the 7 that were reserved before would leave less than the 100.
    await call("PutFunctionConcurrency", "open", { ReservedConcurrentExecutions: 894 });
    running.kill("SIGINT");
    const ended = await running.ended;
    expect([ended.code, await call("GetFunctionConcurrency", "kept")]).toEqual([4, 0]);
    expect(ended.out.split("\n")[0]).toBe(
      "NOT UNDONE kept reserved concurrency is 0, was 7. Do now: aws lambda " +
        "put-function-concurrency --function-name kept --reserved-concurrent-executions 7 " +
        `--region eu-west-1 --endpoint-url ${endpoint}`,
    );
    const refused = await place.start(["heal", "--dry-run"], state).ended;
    expect([refused.code, refused.out]).toEqual([0, expect.stringContaining("would be put back")]);
    await call("DeleteFunctionConcurrency", "open");
    const healed = await place.start(["heal", "--verify-clean"], state).ended;
    expect([healed.code, healed.out]).toEqual([0, expect.stringContaining("put back: Reserved")]);
    expect(await call("GetFunctionConcurrency", "kept")).toBe(7);
    const left = await place.run("status", "--endpoint", endpoint);
    expect(left.out).toBe("nobody changes anything\n");
  },
);

test.concurrent(
  "one run of several: its exit code 4 stands although a later one may not be run at all",
  PATIENT,
  async () => {
    const { endpoint } = await openShop();
    const all = join(place.dir, "several");
    const auth = { "timeout: 5s": 'timeout: 5s, auth: { command: { argv: ["true"] } }' };
    cpSync(place.scenario({ "undo: 20s": "undo: 4s" }), join(all, "a"), { recursive: true });
    cpSync(place.scenario(auth), join(all, "b"), { recursive: true });
    const args = ["run", "--all", all, "--endpoint", endpoint, "--out", join(all, "runs")];
    const running = place.start(args, { XDG_STATE_HOME: join(place.dir, "several.state") });
    const run = (): string => readdirSync(join(all, "runs"))[0] ?? "";
    const seen = (): boolean => existsSync(join(all, "runs"));
    await running.until(() => seen() && stepsOf(join(all, "runs", run()), "onset").length === 1);
    await plan(endpoint, "DeleteFunctionConcurrency", 500, 1_000_000);
    const ended = await running.ended;
    expect(ended.code, ended.out + ended.err).toBe(4);
    expect(ended.err).toContain("load visitor gets its token from a command");
  },
);

test("several scenarios are all read before the first of them runs", async () => {
  const all = join(place.dir, "read-first");
  cpSync(place.scenario(), join(all, "a"), { recursive: true });
  cpSync(place.scenario({ "seed: 3": "sead: 3" }), join(all, "b"), { recursive: true });
  const ended = await place.run("run", "--all", all, "--out", join(all, "runs"));
  expect([ended.code, ended.out, existsSync(join(all, "runs"))]).toEqual([64, "", false]);
  expect(ended.err).toContain("unknown key `sead`");
});

test.concurrent(
  "faults that overlap are undone newest first, each to its own",
  PATIENT,
  async () => {
    const { endpoint, call } = await openShop();
    const scenario = place.scenario({
      ...LONG,
      [FAULTS]: faultOn("OpenArn", "first", 1) + faultOn("KeptArn", "second", 2),
      [CHANGES]: 'change: ["{{outputs.OpenArn}}", "{{outputs.KeptArn}}"]',
      " during gone": " during first",
    });
    const out = join(place.dir, "overlap");
    const state = { XDG_STATE_HOME: join(place.dir, "overlap.state") };
    const args = ["run", scenario, "--endpoint", endpoint, "--out", out];
    const running = place.start(args, state);
    await running.until(() => stepsOf(out, "onset").length === 2);
    running.kill("SIGTERM");
    const ended = await running.ended;
    expect([ended.code, ended.out]).toEqual([
      143,
      expect.stringContaining("2 of 2 undone and verified"),
    ]);
    expect(stepsOf(out, "asked")).toEqual(["first", "second"]);
    expect(stepsOf(out, "restore-asked")).toEqual(["second", "first"]);
    const reserved = [
      await call("GetFunctionConcurrency", "open"),
      await call("GetFunctionConcurrency", "kept"),
    ];
    expect(reserved).toEqual([undefined, 7]);
  },
);

test.concurrent("AWS's errors on the way are borne: undone and verified", PATIENT, async () => {
  const { endpoint, call } = await openShop();
  const planned = [
    ["GetFunctionConcurrency", 500, 2],
    ["CreateSchedule", 429, 2],
    ["GetSchedule", 500, 1],
    ["PutFunctionConcurrency", 409, 2],
    ["DeleteFunctionConcurrency", 429, 2],
    ["DeleteSchedule", 409, 2],
  ] as const;
  const out = join(place.dir, "errors");
  const args = ["run", place.scenario({ "gone: 2500ms": "gone: 6s" }), "--endpoint", endpoint];
  const running = place.start([...args, "--out", out], {
    XDG_STATE_HOME: join(place.dir, "errors.state"),
  });
  await running.until(() => running.err.includes("planning"));
  for (const [action, error, times] of planned) await plan(endpoint, action, error, times);
  await running.until(() => stepsOf(out, "onset").length === 1);
  for (const [action, error, times] of planned) await plan(endpoint, action, error, times);
  await plan(endpoint, "GetFunctionConcurrency", "stale", 1);
  const ended = await running.ended;
  expect([ended.code, ended.out]).toEqual([
    0,
    expect.stringContaining("1 of 1 undone and verified"),
  ]);
  expect(await call("GetFunctionConcurrency", "open")).toBe(undefined);
  const left = await place.run("status", "--endpoint", endpoint);
  expect(left.out).toBe("nobody changes anything\n");
});
