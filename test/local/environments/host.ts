// Starts hosts of the functions beside this file, and invokes them with little ado.
import { fileURLToPath } from "node:url";
import { createFunctionHost } from "../../../src/local/environments/create-host.ts";
import type {
  ExecutionEnvironment,
  FunctionHost,
  FunctionSpec,
  InvocationResult,
} from "../../../src/local/function-host.ts";

export const FUNCTIONS = fileURLToPath(new URL("./functions", import.meta.url));

export function specOf(handler: string, more: Partial<FunctionSpec> = {}): FunctionSpec {
  const name = "unit";
  return {
    logicalId: "Unit",
    name,
    arn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    runtime: "nodejs22.x",
    handler,
    codeDir: FUNCTIONS,
    timeoutMs: 20_000,
    memoryMb: 256,
    environment: { AWS_REGION: "us-east-1", TABLE: "orders" },
    reserved: null,
    initMs: 0,
    isolation: "shared",
    logGroup: `/aws/lambda/${name}`,
    endpoint: "http://127.0.0.1:1",
    ...more,
  };
}

export function startHost(
  handler: string,
  more: Partial<FunctionSpec> = {},
): Promise<FunctionHost> {
  return createFunctionHost(specOf(handler, more));
}

let calls = 0;

/** Invokes with a fresh request id. */
export function call(
  environment: ExecutionEnvironment,
  event: unknown = {},
  timeoutMs = 20_000,
): Promise<InvocationResult> {
  calls += 1;
  return environment.invoke({
    requestId: `00000000-0000-4000-8000-${String(calls).padStart(12, "0")}`,
    event: JSON.stringify(event),
    deadlineEpochMs: Date.now() + timeoutMs,
    functionArn: "arn:aws:lambda:us-east-1:000000000000:function:unit",
    traceId: null,
  });
}

export function answerOf(result: InvocationResult): unknown {
  return JSON.parse(result.payload);
}
