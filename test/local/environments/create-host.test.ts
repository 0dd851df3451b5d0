// Handlers in real child processes: isolation, init, results, errors and the end of an environment.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { FunctionHost, FunctionSpec } from "../../../src/local/function-host.ts";
import { answerOf, call, startHost } from "./host.ts";

const open: FunctionHost[] = [];

async function host(handler: string, more: Partial<FunctionSpec> = {}): Promise<FunctionHost> {
  const started = await startHost(handler, more);
  open.push(started);
  return started;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each[Symbol.asyncDispose]()));
});

describe.each(["shared", "process"] as const)("%s isolation", (isolation) => {
  it("keeps module state within an environment, own files included", async () => {
    const functions = await host("counter.handler", { isolation });
    const [one, two] = [await functions.create("$LATEST"), await functions.create("7")];
    const answers = [await call(one), await call(one), await call(two)].map(answerOf);
    const common = { ballast: 12_000 };
    expect(answers).toEqual([
      { ...common, calls: 1, label: "label.mjs lib 1", stream: one.stream },
      { ...common, calls: 2, label: "label.mjs lib 2", stream: one.stream },
      { ...common, calls: 1, label: "label.mjs lib 1", stream: two.stream },
    ]);
  });

  it("names streams after the day, the version and the environment", async () => {
    const functions = await host("tiny.handler", { isolation });
    const { id, stream } = await functions.create("7");
    const day = new Date().toISOString().slice(0, 10).replaceAll("-", "/");
    expect(stream).toBe(`${day}/[7]${id}`);
    const own = await host("tiny.handler", { isolation, logGroup: "/shop" });
    expect((await own.create("7")).stream).toMatch(/^\d{4}\/\d\d\/\d\d\/unit\[7\][0-9a-f]{32}$/);
  });

  it("prints what init printed before the first invocation's own lines", async () => {
    const functions = await host("counter.handler", { isolation });
    const { logs } = await call(await functions.create("$LATEST"), { say: "hello" });
    const texts = logs.map(({ message }) => message.split("\t").slice(1).join("|"));
    expect(texts).toEqual([
      "undefined|INFO|evaluated",
      expect.stringMatching(/^00000000-0000-4000-8000-\d{12}\|INFO\|hello$/),
    ]);
  });

  it("adds the declared init to the real one", async () => {
    const functions = await host("tiny.handler", { isolation, initMs: 120 });
    const { initMs } = await functions.create("$LATEST");
    expect(initMs).toBeGreaterThan(120);
    expect(initMs).toBeLessThan(1_000);
  });

  it("gives the handler Lambda's context", async () => {
    const functions = await host("steps.handler", { isolation });
    const environment = await functions.create("3");
    const result = await call(environment, { step: "context" }, 5_000);
    expect(answerOf(result)).toEqual({
      callbackWaitsForEmptyEventLoop: true,
      functionVersion: "3",
      functionName: "unit",
      memoryLimitInMB: "256",
      logGroupName: "/aws/lambda/unit",
      logStreamName: environment.stream,
      invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:unit",
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      remaining: expect.any(Number),
    });
    const { remaining } = answerOf(result) as { remaining: number };
    expect(remaining).toBeGreaterThan(3_000);
    expect(remaining).toBeLessThanOrEqual(5_000);
  });

  it("shows the handler its own variables and none of ours", async () => {
    process.env.SECRET_OF_THE_HARNESS = "leaked";
    const functions = await host("steps.handler", { isolation });
    delete process.env.SECRET_OF_THE_HARNESS;
    const result = await call(await functions.create("1"), { step: "environment" });
    const environment = answerOf(result) as { [name: string]: string };
    expect(environment).toMatchObject({ TABLE: "orders", AWS_REGION: "us-east-1" });
    const others = Object.keys(environment).filter((name) => !/^(AWS|LAMBDA)_/.test(name));
    expect(others.sort()).toEqual(["HOME", "LANG", "PATH", "TABLE", "TZ", "_HANDLER"]);
  });

  it("reports a timeout, keeps what was printed before it, and gives up the environment", async () => {
    const functions = await host("steps.handler", { isolation, timeoutMs: 1_500 });
    const result = await call(await functions.create("1"), { step: "hang" }, 80);
    expect(result).toMatchObject({
      kind: "timeout",
      durationMs: 1_500,
      logs: [{ message: expect.stringMatching(/INFO\tbefore the wait$/) }],
    });
    expect(answerOf(result)).toEqual({
      errorType: "Sandbox.Timedout",
      errorMessage: expect.stringMatching(/^RequestId: \S+ Error: Task timed out after 1.50 sec/),
    });
  });

  it("frees itself from a handler that never yields", async () => {
    const functions = await host("steps.handler", { isolation });
    const stuck = await functions.create("1");
    const result = await call(stuck, { step: "spin" }, 50);
    expect(result.kind).toBe("timeout");
    const fresh = await functions.create("1");
    expect((await call(fresh, { step: "nothing" })).payload).toBe("null");
  });

  it("reports the exit of the process, with what was printed before it", async () => {
    const functions = await host("steps.handler", { isolation });
    const result = await call(await functions.create("1"), { step: "exit", code: 7 });
    expect(result).toMatchObject({
      kind: "crash",
      logs: [{ message: expect.stringMatching(/INFO\tleaving$/) }],
    });
    expect(answerOf(result)).toEqual({
      errorType: "Runtime.ExitError",
      errorMessage: expect.stringMatching(/Error: Runtime exited with error: exit status 7$/),
    });
    const fresh = await functions.create("1");
    expect((await call(fresh, { step: "nothing" })).kind).toBe("ok");
  });

  it("finds packages of the project from the handler, the AWS SDK among them", async () => {
    const server = createServer((_request, response) => response.end('"from there"'));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const environment = { AWS_REGION: "us-east-1", AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` };
    const functions = await host("sdk.handler", { isolation, environment });
    const result = await call(await functions.create("1"), { name: "other" });
    server.close();
    expect(answerOf(result)).toEqual({ status: 200, payload: '"from there"' });
  });

  it("finds packages beside local AWS for code that has none around it", async () => {
    const dir = mkdtempSync(join(tmpdir(), "environments-"));
    const text = `import { LambdaClient } from "@aws-sdk/client-lambda";
      export const handler = async () => typeof LambdaClient;`;
    writeFileSync(join(dir, "far.mjs"), text);
    const functions = await host("far.handler", { isolation, codeDir: dir });
    const result = await call(await functions.create("1"));
    rmSync(dir, { recursive: true });
    expect(answerOf(result)).toBe("function");
  });

  it.each([
    ["init-throws.handler", "RangeError", /^no table$/],
    ["missing-package.handler", "Runtime.ImportModuleError", /no-such-package-anywhere/],
    ["absent.handler", "Runtime.ImportModuleError", /^Error: Cannot find module 'absent'$/],
    ["tiny.other", "Runtime.HandlerNotFound", /^tiny.other is undefined or not exported$/],
  ])("rejects the init of %s with %s", async (handler, errorType, errorMessage) => {
    const functions = await host(handler, { isolation });
    const failure = await functions.create("1").catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ name: "InitFailure", errorType });
    expect(JSON.parse((failure as { payload: string }).payload)).toMatchObject({
      errorType,
      errorMessage: expect.stringMatching(errorMessage),
    });
  });

  it("says that a file cannot be parsed", async () => {
    const dir = mkdtempSync(join(tmpdir(), "environments-"));
    writeFileSync(join(dir, "broken.mjs"), "export const handler = async () => {;\n");
    const functions = await host("broken.handler", { isolation, codeDir: dir });
    const failure = await functions.create("1").catch((thrown: unknown) => thrown);
    rmSync(dir, { recursive: true });
    expect(failure).toMatchObject({ errorType: "Runtime.UserCodeSyntaxError" });
  });
});

describe("results of a handler", () => {
  it.each([
    ["steps.callback", {}, "ok", { called: true }],
    ["steps.plain", {}, "ok", null],
    ["steps.api.nested", {}, "ok", "nested"],
    ["old-style.handler", {}, "ok", "old-style.cjs"],
    ["steps.handler", { step: "nothing" }, "ok", null],
    ["steps.callback", { fail: "told" }, "error", { errorType: "Error", errorMessage: "told" }],
    [
      "steps.handler",
      { step: "throw" },
      "error",
      { errorType: "TypeError", errorMessage: "no such order" },
    ],
    [
      "steps.handler",
      { step: "throwText" },
      "error",
      { errorType: "string", errorMessage: "only text", trace: [] },
    ],
    ["steps.handler", { step: "circular" }, "error", { errorType: "Runtime.MarshalError" }],
    [
      "steps.handler",
      { step: "large" },
      "error",
      {
        errorType: "Function.ResponseSizeTooLarge",
        errorMessage:
          "Response payload size exceeded maximum allowed payload size (6291556 bytes).",
      },
    ],
    [
      "steps.handler",
      { step: "lateThrow" },
      "crash",
      { errorType: "Error", errorMessage: "in a timer" },
    ],
    [
      "steps.handler",
      { step: "lateReject" },
      "crash",
      { errorType: "Runtime.UnhandledPromiseRejection", errorMessage: "Error: nobody waits" },
    ],
  ])("%s of %j is %s", async (handler, event, kind, payload) => {
    const functions = await host(handler);
    const result = await call(await functions.create("1"), event);
    expect(result.kind).toBe(kind);
    if (payload === null || typeof payload !== "object") expect(answerOf(result)).toBe(payload);
    else expect(answerOf(result)).toMatchObject(payload);
  });
});

describe("shared isolation under concurrency", () => {
  it("gives each invocation the lines that it printed, in order", async () => {
    const functions = await host("steps.handler");
    const names = Array.from({ length: 40 }, (_, i) => `n${i}`);
    const environments = await Promise.all(names.map(() => functions.create("1")));
    const results = await Promise.all(
      names.map((name, i) => call(environments[i]!, { step: "talk", name })),
    );
    const texts = results.map(({ logs }) => logs.map(({ message }) => message.split("\t").at(-1)));
    expect(texts).toEqual(
      names.map((n) => [`${n} 0`, `${n} 1`, `${n} 2`, `last of ${n}`, `raw ${n}`]),
    );
  });

  it("puts a line printed after the answer into the next invocation, as Lambda does", async () => {
    const functions = await host("steps.handler");
    const environment = await functions.create("1");
    expect((await call(environment, { step: "later" })).logs).toEqual([]);
    const next = await call(environment, { step: "slow", waitMs: 60 });
    expect(next.logs.map(({ message }) => message.split("\t").at(-1))).toEqual(["late"]);
  });

  it("crashes whatever ran in the process that exits, and serves idle environments again", async () => {
    const functions = await host("steps.handler");
    const [a, b, idle] = await Promise.all([1, 2, 3].map(() => functions.create("1")));
    const running = call(a!, { step: "slow", waitMs: 10_000 });
    const leaving = call(b!, { step: "exit", code: 0, afterMs: 20 });
    expect([(await running).kind, (await leaving).kind]).toEqual(["crash", "crash"]);
    expect(answerOf(await call(idle!, { step: "slow", waitMs: 1 }))).toBe("done");
  });

  it("runs other environments on while one times out", async () => {
    const functions = await host("steps.handler");
    const [a, b] = await Promise.all([functions.create("1"), functions.create("1")]);
    const other = call(b!, { step: "slow", waitMs: 120 });
    expect((await call(a!, { step: "hang" }, 30)).kind).toBe("timeout");
    expect(answerOf(await other)).toBe("done");
  });
});

describe("a module that awaits at its top level", () => {
  it("gets a process of its own per environment, though shared was asked for", async () => {
    const functions = await host("awaiting.handler");
    const [one, two] = await Promise.all([functions.create("1"), functions.create("1")]);
    const first = answerOf(await call(one!)) as { pid: number };
    const second = answerOf(await call(two!)) as { pid: number };
    expect([first, second]).toMatchObject([
      { ready: "awaited", calls: 1 },
      { ready: "awaited", calls: 1 },
    ]);
    expect(first.pid).not.toBe(second.pid);
    expect(one!.initMs).toBeGreaterThan(15);
  });

  it("ends one environment when its process exits, and no other", async () => {
    const functions = await host("awaiting.handler");
    const [one, two] = await Promise.all([functions.create("1"), functions.create("1")]);
    const [crashed, fine] = await Promise.all([call(one!, { exit: true }), call(two!)]);
    expect([crashed.kind, fine.kind]).toEqual(["crash", "ok"]);
  });

  it("finds packages beside local AWS too", async () => {
    const functions = await host("awaiting-sdk.handler");
    expect(answerOf(await call(await functions.create("1")))).toEqual({ region: "us-east-1" });
  });
});
