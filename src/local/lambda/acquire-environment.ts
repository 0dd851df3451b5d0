// The execution environment that admission decided on: reused, or created with its init run.
import { runUs, US_PER_MS } from "../../core/time.ts";
import { type ExecutionEnvironment, InitFailure, type InvocationResult } from "../function-host.ts";
import { type FunctionVersion, unusedStream } from "./function-version.ts";
import { initReportLine, initStartLine } from "./log-lines.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";

/** On-demand init may take this long; after that it runs again inside the first invocation. */
const INIT_LIMIT_MS = 10_000;

export type Acquired =
  | {
      readonly kind: "ready";
      readonly environment: ExecutionEnvironment;
      readonly stream: string;
      /** For REPORT: null when warm, or when the init ran inside the invocation. */
      readonly initMs: number | null;
      /** Init time that counts as Duration (init overran its limit, or failed once). */
      readonly suppressedInitMs: number;
    }
  | {
      readonly kind: "failed";
      readonly stream: string;
      readonly errorType: string;
      readonly result: InvocationResult;
    };

/** One that is there already. */
export const warm = (environment: ExecutionEnvironment): Acquired =>
  ready(environment, { initMs: null, suppressedInitMs: 0 });

/**
 * A new one, under the number that admission gave it. Never rejects for what the function's own
 * code does.
 */
export async function acquire(
  version: FunctionVersion,
  number: number,
  deps: PipelineDeps,
): Promise<Acquired> {
  const createdMs = deps.clock.wallMs();
  const first = await version.create();
  if (first instanceof InitFailure) return initAgain(version, number, deps, { createdMs, first });
  version.environments.set(number, first);
  const log = logTo(version, deps, first.stream);
  log(createdMs, initStartLine(version.spec.runtime, deps.functions.region));
  if (first.initMs <= INIT_LIMIT_MS)
    return ready(first, { initMs: first.initMs, suppressedInitMs: 0 });
  log(createdMs + INIT_LIMIT_MS, initReportLine(INIT_LIMIT_MS, "init", "timeout"));
  await deps.clock.sleepUntil(runUs(deps.clock.nowUs() + INIT_LIMIT_MS * US_PER_MS));
  log(deps.clock.wallMs(), initReportLine(first.initMs, "invoke", ""));
  return ready(first, { initMs: null, suppressedInitMs: first.initMs });
}

/** AWS runs a failed init once more, inside the invocation; both lines come before START. */
async function initAgain(
  version: FunctionVersion,
  number: number,
  deps: PipelineDeps,
  { createdMs, first }: { createdMs: number; first: InitFailure },
): Promise<Acquired> {
  const firstEndMs = deps.clock.wallMs();
  const second = await version.create();
  const stream = second instanceof InitFailure ? unusedStream(version) : second.stream;
  const log = logTo(version, deps, stream);
  log(createdMs, initStartLine(version.spec.runtime, deps.functions.region));
  log(firstEndMs, initReportLine(first.initMs, "init", "error", first.errorType));
  if (!(second instanceof InitFailure)) {
    version.environments.set(number, second);
    log(deps.clock.wallMs(), initReportLine(second.initMs, "invoke", ""));
    return ready(second, { initMs: null, suppressedInitMs: second.initMs });
  }
  log(deps.clock.wallMs(), initReportLine(second.initMs, "invoke", "error", second.errorType));
  const result: InvocationResult = {
    kind: "error",
    payload: second.payload,
    durationMs: second.initMs,
    maxMemoryMb: version.spec.memoryMb,
    logs: [],
  };
  return { kind: "failed", stream, errorType: second.errorType, result };
}

const ready = (
  environment: ExecutionEnvironment,
  init: { initMs: number | null; suppressedInitMs: number },
): Acquired => ({ kind: "ready", environment, stream: environment.stream, ...init });

const logTo =
  (version: FunctionVersion, deps: PipelineDeps, stream: string) =>
  (atEpochMs: number, message: string): void =>
    deps.logs.append(version.spec.logGroup, stream, atEpochMs, message);
