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
export function runWithBackstop(
  spec: FunctionSpec,
  environment: ExecutionEnvironment,
  invocation: Invocation,
): Promise<InvocationResult> {
  const nothing = { payload: "", maxMemoryMb: spec.memoryMb, logs: [] };
  const startMs = performance.now();
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => resolve({ ...nothing, kind: "timeout", durationMs: spec.timeoutMs }),
      spec.timeoutMs + GRACE_MS,
    );
    const end = (result: InvocationResult): void => {
      clearTimeout(timer);
      resolve(result);
    };
    environment.invoke(invocation).then(end, (thrown: unknown) => {
      const logs = [{ atEpochMs: Date.now(), message: messageOf(thrown) }];
      end({ ...nothing, kind: "crash", durationMs: performance.now() - startMs, logs });
    });
  });
}
