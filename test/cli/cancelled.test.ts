// What a CI does to a job that it cancels: SIGINT, SIGTERM 7.5 s later, SIGKILL 2.5 s after that.
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import { type Running, Workplace } from "../support/command-line.ts";
import { HoldingProxy } from "../support/holding-proxy.ts";

const place = new Workplace();
afterAll(() => place[Symbol.asyncDispose]());

const PATIENT = { timeout: 120_000 };
/** Long enough never to be over by itself. */
const LONG = { "gone: 2500ms": "gone: 60s", "duration: 30s": "duration: 90s", "60/s": "20/s" };

interface Job {
  readonly running: Running;
  readonly proxy: HoldingProxy;
  readonly shop: string;
  reserved(): Promise<unknown>;
}

/** A run whose fault is in force. */
async function inFault(name: string): Promise<Job> {
  const { endpoint: shop } = await place.local(join(place.scenario(), "template.yaml"));
  const control = createControlPlane({
    ...{ endpoint: shop, region: "eu-west-1", account: null, runId: "test" },
  });
  const proxy = await HoldingProxy.start(shop);
  const out = join(place.dir, name);
  const args = ["run", place.scenario(LONG), "--endpoint", proxy.endpoint, "--out", out];
  const running = place.start(args, { XDG_STATE_HOME: join(place.dir, `${name}.state`) });
  const events = join(out, "events", "0.jsonl");
  await running.until(() => existsSync(events) && /"onset"/.test(readFileSync(events, "utf8")));
  return {
    ...{ running, proxy, shop },
    reserved: async () => {
      const input = { FunctionName: "open" };
      const answer = await control.call("lambda", "GetFunctionConcurrency", input);
      return answer.ReservedConcurrentExecutions;
    },
  };
}

/** From its first signal a CI gives a cancelled job so long. */
const KILLED_AFTER_MS = 10_000;

test.concurrent("finishes in time: undone, judged and reported", PATIENT, async () => {
  const job = await inFault("quick");
  await using _proxy = job.proxy;
  const startMs = performance.now();
  job.running.kill("SIGINT");
  const ended = await job.running.ended;
  expect(performance.now() - startMs).toBeLessThan(KILLED_AFTER_MS);
  expect([ended.code, ended.signal, await job.reserved()]).toEqual([130, null, undefined]);
  expect(ended.out).toContain("1 of 1 undone and verified");
  expect(ended.err).toMatch(
    /^SIGINT: nothing more is sent; putting back gone \(aws lambda delete-function-concurrency .*\)$/m,
  );
  const left = await place.run("status", "--endpoint", job.shop);
  expect(left.out).toBe("nobody changes anything\n");
});

test.concurrent(
  "on a control plane too slow for that it hands over: any machine puts back",
  PATIENT,
  async () => {
    const job = await inFault("slow");
    await using _proxy = job.proxy;
    const { running } = job;
    const thaw = job.proxy.freeze();
    running.kill("SIGINT");
    await running.until(() => running.err.includes("if this process is killed"));
    running.kill("SIGTERM");
    await running.until(() => running.err.includes("SIGTERM again: still undoing"));
    await running.until(() => running.err.includes("NOT PUT BACK YET"));
    running.kill("SIGKILL");
    const ended = await running.ended;
    expect([ended.signal, await job.reserved()]).toEqual(["SIGKILL", 0]);
    expect(ended.err).toMatch(
      /^ {2}if this process is killed: gatecrash heal, or its dead-man by/m,
    );
    expect(ended.err).toMatch(/^NOT PUT BACK YET: gone \(aws lambda delete-function/m);
    const status = await place.run("status", "--endpoint", job.shop);
    expect(status.out).toMatch(/ReservedConcurrentExecutions unset → 0\n {2}fault gone of run/);
    // From another machine: its own undo log is empty.
    const healed = await place.run("heal", "--endpoint", job.shop, "--verify-clean");
    expect([healed.code, healed.err]).toEqual([0, ""]);
    // The dead process's last call may still have arrived: then there is nothing left to write.
    expect(healed.out).toMatch(
      /(put back|was back already): ReservedConcurrentExecutions 0 → unset/,
    );
    thaw(); // what the dead process had asked for arrives late, and changes nothing more
    expect(await job.reserved()).toBe(undefined);
  },
);

const RECYCLE = fileURLToPath(new URL("../fixtures/every-fault/", import.meta.url));

test.concurrent(
  "while a fault is still being staged, what is changed for that is told as well",
  PATIENT,
  async () => {
    const folder = join(place.dir, "staged-scenario");
    cpSync(RECYCLE, folder, { recursive: true });
    const { endpoint: shop } = await place.local(join(folder, "template.yaml"));
    await using proxy = await HoldingProxy.start(shop);
    // The description of $LATEST is changed, and nobody hears of it.
    const held = proxy.hold("PUT", "after", "recycled by the fault");
    const args = ["run", folder, "--endpoint", proxy.endpoint, "--out", join(place.dir, "staged")];
    const running = place.start(args, { XDG_STATE_HOME: join(place.dir, "staged.state") });
    await held.met;
    running.kill("SIGINT");
    await running.until(() => running.err.includes("if this process is killed"));
    expect(running.err).toMatch(
      /^SIGINT: nothing more is sent; putting back cold \(aws lambda update-function-configuration .*\)$/m,
    );
    expect(running.err).toMatch(/^ {2}if this process is killed: gatecrash heal, or its dead-man/m);
    held.release();
    const ended = await running.ended;
    expect(ended.code, ended.err).toBe(130);
    const left = await place.run("status", "--endpoint", shop);
    expect(left.out).toBe("nobody changes anything\n");
  },
);
