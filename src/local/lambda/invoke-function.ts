// The one way in: admission, execution environment, run, log lines, metrics.
import { randomBytes, randomUUID } from "node:crypto";
import type { Admission } from "../../model/limits.ts";
import type { InvocationResult, InvokeOptions, InvokeOutcome, Invoker } from "../function-host.ts";
import { type Acquired, acquire } from "./acquire-environment.ts";
import type { LocalFunction } from "./function-table.ts";
import { endLine, type Report, reportLine, startLine } from "./log-lines.ts";
import { LATEST, type PipelineDeps } from "./pipeline-deps.ts";
import { runWithBackstop } from "./run-with-backstop.ts";

/** The last part of the log that `LogType: Tail` returns. */
const TAIL_BYTES = 4_096;

export interface RunOptions extends InvokeOptions {
  readonly direct: boolean;
  /** A retry of an asynchronous event keeps its id. */
  readonly requestId?: string;
}

export class InvokePipeline implements Invoker {
  readonly #deps: PipelineDeps;

  constructor(deps: PipelineDeps) {
    this.#deps = deps;
  }

  /** For fronts: no XRAY line, whatever trace id the client sent. */
  invoke(functionName: string, event: string, options: InvokeOptions): Promise<InvokeOutcome> {
    return this.run(functionName, event, { ...options, direct: false });
  }

  /** `direct`: through the Invoke API, where active tracing shows in REPORT. */
  async run(functionName: string, event: string, options: RunOptions): Promise<InvokeOutcome> {
    const { functions, admission, metrics, clock } = this.#deps;
    const requestId = options.requestId ?? randomUUID();
    const fn = functions.get(functionName);
    if (fn === undefined) return { ...NOTHING, requestId, kind: "not-found" };
    const admitted = admission.admit(functionName, clock.nowUs());
    const startMs = clock.wallMs();
    if (!admitted.ok) {
      metrics.throttled(functionName, startMs);
      return { ...NOTHING, requestId, kind: "throttled", reason: admitted.reason };
    }
    metrics.concurrency(functionName, startMs, admission.concurrency(functionName));
    let keep = false;
    try {
      const acquired = await acquire(fn, admitted, this.#deps);
      const ended = await this.#execute(fn, acquired, { requestId, event, options });
      keep = ended.reusable;
      metrics.invoked(functionName, startMs, ended.durationMs, ended.outcome.kind !== "ok");
      return ended.outcome;
    } finally {
      this.#giveBack(fn, admitted, keep);
    }
  }

  async #execute(fn: LocalFunction, acquired: Acquired, call: InvocationCall): Promise<Ended> {
    const { clock } = this.#deps;
    const { requestId, event, options } = call;
    const startMs = clock.wallMs();
    const result: InvocationResult =
      acquired.kind === "failed"
        ? acquired.result
        : await runWithBackstop(fn.spec, acquired.environment, {
            requestId,
            event,
            deadlineEpochMs: startMs + fn.spec.timeoutMs,
            version: LATEST,
            traceId: options.traceId,
          });
    const suppressedMs = acquired.kind === "ready" ? acquired.suppressedInitMs : 0;
    const durationMs = Math.min(result.durationMs + suppressedMs, limitOf(fn, result));
    const report = reportOf(fn, acquired, call, { ...result, durationMs });
    const lines = [
      { atEpochMs: startMs, message: startLine(requestId, LATEST) },
      ...result.logs,
      { atEpochMs: clock.wallMs(), message: endLine(requestId) },
      { atEpochMs: clock.wallMs(), message: reportLine(report) },
    ];
    const tail = this.#write(fn, acquired.stream, lines, options.tail);
    const outcome: InvokeOutcome = {
      requestId,
      kind: result.kind === "ok" ? "ok" : "function-error",
      reason: "",
      payload: payloadOf(fn, requestId, result),
      executedVersion: LATEST,
      tail,
    };
    const reusable = acquired.kind === "ready" && (result.kind === "ok" || result.kind === "error");
    return { outcome, durationMs, reusable };
  }

  #write(
    fn: LocalFunction,
    stream: string,
    lines: readonly { readonly atEpochMs: number; readonly message: string }[],
    wantTail: boolean,
  ): string {
    let all = "";
    for (const { atEpochMs, message } of lines) {
      const text = message.endsWith("\n") ? message : `${message}\n`;
      this.#deps.logs.append(fn.spec.logGroup, stream, atEpochMs, text);
      if (wantTail) all += text;
    }
    return Buffer.from(all).subarray(-TAIL_BYTES).toString();
  }

  #giveBack(fn: LocalFunction, admitted: Admission & { ok: true }, keep: boolean): void {
    const { admission, clock } = this.#deps;
    const { environment } = admitted;
    if (!keep) {
      fn.environments.get(environment)?.destroy();
      fn.environments.delete(environment);
    }
    admission.release(fn.spec.name, environment, clock.nowUs(), keep);
  }
}

interface InvocationCall {
  readonly requestId: string;
  readonly event: string;
  readonly options: RunOptions;
}

interface Ended {
  readonly outcome: InvokeOutcome;
  readonly durationMs: number;
  readonly reusable: boolean;
}

const NOTHING = { reason: "", payload: "", executedVersion: LATEST, tail: "" } as const;

/** A timed-out invocation lasted exactly its limit; nothing else is cut. */
const limitOf = (fn: LocalFunction, result: InvocationResult): number =>
  result.kind === "timeout" ? fn.spec.timeoutMs : Number.POSITIVE_INFINITY;

/** What a handler throws leaves no Status in REPORT; crashes, timeouts and failed inits do. */
function reportOf(
  fn: LocalFunction,
  acquired: Acquired,
  { requestId, options }: InvocationCall,
  result: InvocationResult,
): Report {
  const failedInit = acquired.kind === "failed";
  const crashed = result.kind === "crash" || failedInit;
  return {
    requestId,
    durationMs: result.durationMs,
    initMs: acquired.kind === "ready" ? acquired.initMs : null,
    memoryMb: fn.spec.memoryMb,
    maxMemoryMb: result.maxMemoryMb,
    status: result.kind === "timeout" ? "timeout" : crashed ? "error" : "",
    errorType: failedInit
      ? acquired.errorType
      : crashed
        ? errorTypeOf(result.payload, "Runtime.ExitError")
        : "",
    xray: fn.activeTracing && options.direct ? xrayOf(options.traceId) : null,
  };
}

function errorTypeOf(payload: string, otherwise: string): string {
  try {
    const { errorType } = JSON.parse(payload) as { errorType?: unknown };
    return typeof errorType === "string" ? errorType : otherwise;
  } catch {
    return otherwise;
  }
}

/** `Root=1-…;Parent=…;Sampled=1`; not sampled = no line. */
function xrayOf(traceId: string | null): Report["xray"] {
  if (traceId === null || /Sampled=0/.test(traceId)) return null;
  const root = /Root=([^;]+)/.exec(traceId)?.[1] ?? traceId;
  return { traceId: root, segmentId: randomBytes(8).toString("hex") };
}

function payloadOf(fn: LocalFunction, requestId: string, result: InvocationResult): string {
  const seconds = (fn.spec.timeoutMs / 1_000).toFixed(2);
  if (result.kind === "timeout")
    return JSON.stringify({
      errorType: "Sandbox.Timedout",
      errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
    });
  if (result.kind === "crash" && result.payload === "")
    return JSON.stringify({
      errorType: "Runtime.ExitError",
      errorMessage: `RequestId: ${requestId} Error: Runtime exited without providing a reason`,
    });
  return result.payload === "" ? "null" : result.payload;
}
