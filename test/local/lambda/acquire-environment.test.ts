// Inits that fail or take too long, on virtual time with a host that does what the test says.
import { describe, expect, it } from "vitest";
import { seededRng } from "../../../src/core/rng.ts";
import {
  type ExecutionEnvironment,
  type FunctionHost,
  InitFailure,
} from "../../../src/local/function-host.ts";
import { acquire } from "../../../src/local/lambda/acquire-environment.ts";
import { FunctionTable } from "../../../src/local/lambda/function-table.ts";
import { FunctionVersion } from "../../../src/local/lambda/function-version.ts";
import { LambdaMetrics } from "../../../src/local/lambda/lambda-metrics.ts";
import { MetricStore } from "../../../src/local/metrics/store.ts";
import { AdmissionModel } from "../../../src/model/admission.ts";
import { TestClock } from "../../support/test-clock.ts";

const PAYLOAD = '{"errorType":"Runtime.ImportModuleError"}';
const failure = (initMs: number): InitFailure =>
  new InitFailure(PAYLOAD, "Runtime.ImportModuleError", "no such module", initMs);

const environment = (initMs: number): ExecutionEnvironment => ({
  id: "e",
  stream: "2026/01/01/[$LATEST]e",
  initMs,
  invoke: () => Promise.reject(new Error("not invoked here")),
  destroy: () => {},
});

const SPEC = {
  logicalId: "F",
  name: "f",
  arn: "arn:aws:lambda:eu-west-1:000000000000:function:f",
  runtime: "nodejs22.x",
  handler: "a.handler",
  codeDir: "/code",
  timeoutMs: 3_000,
  memoryMb: 128,
  environment: {},
  reserved: null,
  initMs: 0,
  isolation: "shared",
  logGroup: "/aws/lambda/f",
  endpoint: "http://127.0.0.1:1",
} as const;
const CONFIG = {
  spec: SPEC,
  description: "",
  activeTracing: false,
  deadLetterArn: null,
  layers: [],
};

/** Acquires a new environment whose inits end one after the other as given. */
async function acquireWith(...inits: (ExecutionEnvironment | InitFailure)[]) {
  const clock = new TestClock();
  const lines: string[] = [];
  const host: FunctionHost = {
    create: async () => {
      const next = inits.shift();
      if (next === undefined) throw new Error("one init too many");
      if (next instanceof InitFailure) throw next;
      return next;
    },
    async [Symbol.asyncDispose]() {},
  };
  const functions = new FunctionTable("000000000000", "eu-west-1", async () => host);
  const version = new FunctionVersion("$LATEST", CONFIG, async () => host, 0);
  const admission = new AdmissionModel({
    concurrency: 10,
    unreservedMinimum: 1,
    scalingBucket: 10,
    idleKeepUs: 1,
  });
  const logs = {
    append: (_: string, stream: string, __: number, message: string) =>
      lines.push(`${stream} ${message}`),
  };
  const metrics = new LambdaMetrics(new MetricStore());
  const deps = { functions, admission, logs, metrics, clock, rng: seededRng(1) };
  const acquiring = acquire(version, 1, deps);
  await clock.advance(20_000);
  const messages = lines.map((line) => line.replace(/^\S+ /, "").replace(/\tRuntime.*\n$/, "\n"));
  return { acquired: await acquiring, messages, lines };
}

describe("an init", () => {
  it("that works is REPORT's Init Duration", async () => {
    const { acquired, messages } = await acquireWith(environment(45.5));
    expect(acquired).toMatchObject({ kind: "ready", initMs: 45.5, suppressedInitMs: 0 });
    expect(messages).toEqual(["INIT_START Runtime Version: nodejs:22.v0\n"]);
  });

  it("that fails once runs again inside the invocation, without Init Duration", async () => {
    const { acquired, messages } = await acquireWith(failure(90), environment(85));
    expect(acquired).toMatchObject({ kind: "ready", initMs: null, suppressedInitMs: 85 });
    expect(messages.slice(1)).toEqual([
      "INIT_REPORT Init Duration: 90.00 ms\tPhase: init\tStatus: error\t" +
        "Error Type: Runtime.ImportModuleError\n",
      "INIT_REPORT Init Duration: 85.00 ms\tPhase: invoke\n",
    ]);
  });

  it("that fails twice is the invocation's error", async () => {
    const { acquired, lines } = await acquireWith(failure(90), failure(85));
    expect(acquired).toMatchObject({
      kind: "failed",
      errorType: "Runtime.ImportModuleError",
      result: { kind: "error", payload: PAYLOAD, durationMs: 85 },
    });
    expect(lines.length).toBe(3);
    expect(new Set(lines.map((line) => line.split(" ")[0])).size).toBe(1);
  });

  it("that overruns ten seconds is paid again as Duration", async () => {
    const { acquired, messages } = await acquireWith(environment(12_000));
    expect(acquired).toMatchObject({ kind: "ready", initMs: null, suppressedInitMs: 12_000 });
    expect(messages.slice(1)).toEqual([
      "INIT_REPORT Init Duration: 10000.00 ms\tPhase: init\tStatus: timeout\n",
      "INIT_REPORT Init Duration: 12000.00 ms\tPhase: invoke\n",
    ]);
  });
});
