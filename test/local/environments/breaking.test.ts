// Handlers that break what they run in: each ends as a crash at once, and the next one is served.
import { performance } from "node:perf_hooks";
import { afterEach, describe, expect, it } from "vitest";
import type { FunctionHost } from "../../../src/local/function-host.ts";
import { answerOf, call, startHost } from "./host.ts";

const open: FunctionHost[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each[Symbol.asyncDispose]()));
});

describe.each(["shared", "process"] as const)("%s isolation", (isolation) => {
  async function host(): Promise<FunctionHost> {
    const started = await startHost("breaks.handler", { isolation });
    open.push(started);
    return started;
  }

  it.each(["close", "scribble", "handDown"])(
    "survives a handler that does this to the channel: %s",
    async (way) => {
      const functions = await host();
      const result = await call(await functions.create("1"), { way });
      if (way === "handDown") process.kill(Number(result.logs[0]?.message.split("\t").at(-1)));
      expect(result.kind).toBe("crash");
      const next = await functions.create("1");
      expect((await call(next, { way: "slow", waitMs: 0 })).payload).toBe('"done"');
    },
  );

  it("keeps all that was printed before the process exits, however much", async () => {
    const result = await call(await (await host()).create("1"), { way: "flood" });
    expect(result).toMatchObject({ kind: "crash", logs: { length: 9_000 } });
  });

  it.each([
    ["throwOdd", "error", { errorType: "handled" }],
    ["throwUnreadable", "error", { errorType: "Error", errorMessage: "odd", trace: [] }],
    ["lateOdd", "crash", { errorType: "handled" }],
  ])("tells of what cannot be told: %s", async (way, kind, payload) => {
    const result = await call(await (await host()).create("1"), { way });
    expect(result.kind).toBe(kind);
    expect(answerOf(result)).toMatchObject(payload);
  });

  it("runs in the folder of the code, as on Lambda", async () => {
    const result = await call(await (await host()).create("1"), { way: "read" });
    expect(Number(result.payload)).toBeGreaterThan(1_000);
  });

  it("is too late with an answer that crosses with its end, and serves the next", async () => {
    const functions = await host();
    const environment = await functions.create("1");
    const answering = call(environment, { way: "slow", waitMs: 60 }, 100);
    await new Promise(setImmediate);
    const untilMs = performance.now() + 300; // the deadline's timer comes before the pipe is read
    while (performance.now() < untilMs);
    expect((await answering).kind).toBe("timeout");
    const next = await functions.create("1");
    expect((await call(next, { way: "slow", waitMs: 0 })).kind).toBe("ok");
  });
});
