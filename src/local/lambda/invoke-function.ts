// The one way in: admission, execution environment, run, log lines, metrics.
import { randomBytes, randomUUID } from "node:crypto";
import type { InvocationResult, InvokeOptions, InvokeOutcome, Invoker } from "../function-host.ts";
import { type Acquired, acquire } from "./acquire-environment.ts";
import type { Resolved } from "./function-table.ts";
import { type FunctionVersion, LATEST } from "./function-version.ts";
import { endLine, type Report, reportLine, startLine } from "./log-lines.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { runWithBackstop } from "./run-with-backstop.ts";

/** The last part of the log that `LogType: Tail` returns. */
const TAIL_BYTES = 4_096;

interface RunOptions extends InvokeOptions {
  /** A retry of an asynchronous event keeps its id. */
  readonly requestId?: string;
}

export class InvokePipeline implements Invoker {
  readonly #deps: PipelineDeps;

  constructor(deps: PipelineDeps) {
    this.#deps = deps;
  }

  async invoke(functionName: string, event: string, options: RunOptions): Promise<InvokeOutcome> {
    const { functions, admission, metrics, clock } = this.#deps;
    const requestId = options.requestId ?? randomUUID();
    const target = functions.target(functionName);
    if (target === null) return { ...NOTHING, requestId, kind: "not-found" };
    const { fn, qualifier } = target;
    const chosen = this.#choose(target);
    const provider = fn.providerOf(chosen, target.alias);
    const resource = { name: fn.name, qualifier, version: chosen.version };
    const wanted = { version: chosen.version, holder: provider?.qualifier ?? null };
    const admitted = admission.admit(fn.name, clock.nowUs(), wanted);
    const isAhead = admitted.ok && admitted.start === "provisioned";
    const version = isAhead && provider !== null ? provider.running : chosen;
    const startMs = clock.wallMs();
    if (!admitted.ok) {
      metrics.throttled(resource, startMs);
      return { ...NOTHING, requestId, kind: "throttled", reason: admitted.reason };
    }
    metrics.concurrency(fn.name, startMs, admission.concurrency(fn.name));
    if (provider !== null) metrics.provisioned(resource, startMs, isAhead, provider.usage());
    const functionArn = functions.arn(functionName);
    let keep = false;
    version.enter();
    try {
      const acquired = await acquire(version, admitted, this.#deps);
      const call = { requestId, event, options, functionArn };
      const ended = await this.#execute(version, acquired, call);
      keep = ended.reusable;
      metrics.invoked(resource, startMs, ended.durationMs, ended.outcome.kind !== "ok");
      return ended.outcome;
    } finally {
      const { environment } = admitted;
      const stays = admission.release(fn.name, environment, clock.nowUs(), keep);
      if (!stays) version.forget(environment);
      version.leave();
      if (!stays && isAhead) void provider?.replace();
    }
  }

  /** An alias with weights draws once for each invocation. */
  #choose({ fn, version, alias }: Resolved): FunctionVersion {
    const additional = alias?.additional ?? null;
    if (additional === null || this.#deps.rng.next() >= additional.weight) return version;
    return fn.versions.get(additional.version) ?? version;
  }

  async #execute(
    version: FunctionVersion,
    acquired: Acquired,
    call: InvocationCall,
  ): Promise<Ended> {
    const { clock } = this.#deps;
    const { requestId, event, options } = call;
    const startMs = clock.wallMs();
    const result: InvocationResult =
      acquired.kind === "failed"
        ? acquired.result
        : await runWithBackstop(version.spec, acquired.environment, {
            requestId,
            functionArn: call.functionArn,
            event,
            deadlineEpochMs: startMs + version.spec.timeoutMs,
            traceId: options.traceId,
          });
    const suppressedMs = acquired.kind === "ready" ? acquired.suppressedInitMs : 0;
    const durationMs = Math.min(result.durationMs + suppressedMs, limitOf(version, result));
    const report = reportOf(version, acquired, call, { ...result, durationMs });
    const lines = [
      { atEpochMs: startMs, message: startLine(requestId, version.version) },
      ...result.logs,
      { atEpochMs: clock.wallMs(), message: endLine(requestId) },
      { atEpochMs: clock.wallMs(), message: reportLine(report) },
    ];
    const tail = this.#write(version, acquired.stream, lines, options.tail);
    const outcome: InvokeOutcome = {
      requestId,
      kind: result.kind === "ok" ? "ok" : "function-error",
      reason: "",
      payload: payloadOf(version, requestId, result),
      executedVersion: version.version,
      tail,
    };
    const reusable = acquired.kind === "ready" && (result.kind === "ok" || result.kind === "error");
    return { outcome, durationMs, reusable };
  }

  #write(
    version: FunctionVersion,
    stream: string,
    lines: readonly { readonly atEpochMs: number; readonly message: string }[],
    wantTail: boolean,
  ): string {
    let all = "";
    for (const { atEpochMs, message } of lines) {
      const text = message.endsWith("\n") ? message : `${message}\n`;
      this.#deps.logs.append(version.spec.logGroup, stream, atEpochMs, text);
      if (wantTail) all += text;
    }
    return Buffer.from(all).subarray(-TAIL_BYTES).toString();
  }
}

interface InvocationCall {
  readonly requestId: string;
  readonly event: string;
  readonly options: RunOptions;
  /** As it was invoked, qualifier included. */
  readonly functionArn: string;
}

interface Ended {
  readonly outcome: InvokeOutcome;
  readonly durationMs: number;
  readonly reusable: boolean;
}

const NOTHING = { reason: "", payload: "", executedVersion: LATEST, tail: "" } as const;

/** A timed-out invocation lasted exactly its limit; nothing else is cut. */
const limitOf = (version: FunctionVersion, result: InvocationResult): number =>
  result.kind === "timeout" ? version.spec.timeoutMs : Number.POSITIVE_INFINITY;

/** What a handler throws leaves no Status in REPORT; crashes, timeouts and failed inits do. */
function reportOf(
  version: FunctionVersion,
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
    memoryMb: version.spec.memoryMb,
    maxMemoryMb: result.maxMemoryMb,
    status: result.kind === "timeout" ? "timeout" : crashed ? "error" : "",
    errorType: failedInit
      ? acquired.errorType
      : crashed
        ? errorTypeOf(result.payload, "Runtime.ExitError")
        : "",
    xray: xrayOf(options.traceId, version.config.activeTracing),
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

/**
 * `Root=1-…;Parent=…;Sampled=1`: whoever came before has decided. Where nobody has, a function with
 * active tracing is traced. Fronts that do not trace hand no id on.
 */
function xrayOf(traceId: string | null, isActive: boolean): Report["xray"] {
  const decided = /(?:^|;) *Sampled=([01])/.exec(traceId ?? "")?.[1];
  if (traceId === null || decided === "0" || (decided === undefined && !isActive)) return null;
  const root = /Root=([^;]+)/.exec(traceId)?.[1] ?? traceId;
  return { traceId: root, segmentId: randomBytes(8).toString("hex") };
}

function payloadOf(version: FunctionVersion, requestId: string, result: InvocationResult): string {
  const seconds = (version.spec.timeoutMs / 1_000).toFixed(2);
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
