// Runs one invocation and does not wait forever for a host that fails to enforce the timeout.
import { messageOf } from "../../core/error.ts";
import type {
  ExecutionEnvironment,
  FunctionSpec,
  Invocation,
  InvocationResult,
} from "../function-host.ts";

/** The host enforces the timeout; this much later we do, so that none can hold a caller. */
const GRACE_MS = 1_000;

/** Never rejects: a host that breaks is a crashed invocation. */
export async function runWithBackstop(
  spec: FunctionSpec,
  environment: ExecutionEnvironment,
  invocation: Invocation,
): Promise<InvocationResult> {
  const nothing = { payload: "", maxMemoryMb: spec.memoryMb, logs: [] };
  let timer: NodeJS.Timeout | undefined;
  const backstop = new Promise<InvocationResult>((resolve) => {
    timer = setTimeout(
      () => resolve({ ...nothing, kind: "timeout", durationMs: spec.timeoutMs }),
      spec.timeoutMs + GRACE_MS,
    );
  });
  const startMs = performance.now();
  const run = environment.invoke(invocation).catch((thrown: unknown): InvocationResult => {
    const logs = [{ atEpochMs: Date.now(), message: messageOf(thrown) }];
    return { ...nothing, kind: "crash", durationMs: performance.now() - startMs, logs };
  });
  const result = await Promise.race([run, backstop]);
  clearTimeout(timer);
  return result;
}
