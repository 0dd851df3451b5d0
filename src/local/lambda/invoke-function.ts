// The one way in: admission, execution environment, run, log lines, metrics.
import { randomBytes, randomUUID } from "node:crypto";
import { messageOf } from "../../core/error.ts";
import type { InvocationResult, InvokeOptions, InvokeOutcome, Invoker } from "../function-host.ts";
import { type Acquired, acquire, warm } from "./acquire-environment.ts";
import type { Resolved } from "./function-table.ts";
import { type FunctionVersion, LATEST } from "./function-version.ts";
import type { Invoked } from "./lambda-metrics.ts";
import { endLine, type Report, reportLine, startLine } from "./log-lines.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import type { ProvisionedConfig } from "./provisioned-config.ts";

/** The last part of the log that `LogType: Tail` returns. */
const TAIL_BYTES = 4_096;

interface RunOptions extends InvokeOptions {
  /** A retry of an asynchronous event keeps its id. */
  readonly requestId?: string;
}

/** An invocation that was let in, until it has ended. */
interface Running extends InvokeOptions {
  readonly requestId: string;
  /** As it was invoked, qualifier included. */
  readonly functionArn: string;
  readonly resource: Invoked;
  readonly version: FunctionVersion;
  /** Admission's number of the execution environment. */
  readonly environment: number;
  /** Whose provisioned environment it took; null = it runs on demand. */
  readonly provider: ProvisionedConfig | null;
  readonly startMs: number;
}

export class InvokePipeline implements Invoker {
  readonly #deps: PipelineDeps;

  constructor(deps: PipelineDeps) {
    this.#deps = deps;
  }

  /**
   * Hundreds are open at a time, and the collector copies what each of them holds: so there are
   * few promises between here and the child, and nobody keeps the event.
   */
  invoke(functionName: string, event: string, options: RunOptions): Promise<InvokeOutcome> {
    const { functions, admission, metrics, clock } = this.#deps;
    const requestId = options.requestId ?? randomUUID();
    const target = functions.target(functionName);
    if (target === null) return refused(requestId, "not-found", "");
    const { fn, qualifier } = target;
    const chosen = this.#choose(target);
    const provider = fn.providerOf(chosen, target.alias);
    const resource = { name: fn.name, qualifier, version: chosen.version };
    const wanted = { version: chosen.version, holder: provider?.qualifier ?? null };
    const admitted = admission.admit(fn.name, clock.nowUs(), wanted);
    const startMs = clock.wallMs();
    if (!admitted.ok) {
      metrics.throttled(resource, startMs);
      return refused(requestId, "throttled", admitted.reason);
    }
    const isAhead = admitted.start === "provisioned";
    metrics.concurrency(fn.name, startMs, admission.concurrency(fn.name));
    if (provider !== null) metrics.provisioned(resource, startMs, isAhead, provider.usage());
    const version = isAhead && provider !== null ? provider.running : chosen;
    const { environment } = admitted;
    const running: Running = {
      requestId,
      functionArn: functions.arn(functionName),
      resource,
      version,
      environment,
      provider: isAhead ? provider : null,
      startMs,
      traceId: options.traceId,
      tail: options.tail,
    };
    version.enter();
    const idle = version.environments.get(environment);
    if (idle !== undefined) return this.#run(running, warm(idle), event);
    return acquire(version, environment, this.#deps).then(
      (acquired) => this.#run(running, acquired, event),
      (thrown: unknown) => {
        this.#release(running, false);
        throw thrown;
      },
    );
  }

  /** An alias with weights draws once for each invocation. */
  #choose({ fn, version, alias }: Resolved): FunctionVersion {
    const additional = alias?.additional ?? null;
    if (additional === null || this.#deps.rng.next() >= additional.weight) return version;
    return fn.versions.get(additional.version) ?? version;
  }

  #run(running: Running, acquired: Acquired, event: string): Promise<InvokeOutcome> {
    const beganMs = this.#deps.clock.wallMs();
    if (acquired.kind === "failed")
      return Promise.resolve(this.#end(running, acquired, beganMs, acquired.result));
    const { requestId, functionArn, traceId, version } = running;
    const deadlineEpochMs = beganMs + version.spec.timeoutMs;
    const invocation = { requestId, functionArn, event, deadlineEpochMs, traceId };
    return acquired.environment.invoke(invocation).then(
      (result) => this.#end(running, acquired, beganMs, result),
      (thrown: unknown) =>
        this.#end(running, acquired, beganMs, this.#broken(version, beganMs, thrown)),
    );
  }

  /** A host that breaks is a crashed invocation. */
  #broken(version: FunctionVersion, beganMs: number, thrown: unknown): InvocationResult {
    const nowMs = this.#deps.clock.wallMs();
    const logs = [{ atEpochMs: nowMs, message: messageOf(thrown) }];
    const maxMemoryMb = version.spec.memoryMb;
    return { kind: "crash", payload: "", durationMs: nowMs - beganMs, maxMemoryMb, logs };
  }

  #end(
    running: Running,
    acquired: Acquired,
    beganMs: number,
    result: InvocationResult,
  ): InvokeOutcome {
    const { requestId, resource, version, startMs } = running;
    let keep = false;
    try {
      const suppressedMs = acquired.kind === "ready" ? acquired.suppressedInitMs : 0;
      const durationMs = Math.min(result.durationMs + suppressedMs, limitOf(version, result));
      const report = reportOf(running, acquired, { ...result, durationMs });
      const tail = this.#write(running, acquired.stream, beganMs, result, reportLine(report));
      this.#deps.metrics.invoked(resource, startMs, durationMs, result.kind !== "ok");
      keep = acquired.kind === "ready" && (result.kind === "ok" || result.kind === "error");
      return {
        requestId,
        kind: result.kind === "ok" ? "ok" : "function-error",
        reason: "",
        payload: payloadOf(version, requestId, result),
        executedVersion: version.version,
        tail,
      };
    } finally {
      this.#release(running, keep);
    }
  }

  #release({ resource, version, environment, provider }: Running, keep: boolean): void {
    const { admission, clock } = this.#deps;
    const stays = admission.release(resource.name, environment, clock.nowUs(), keep);
    if (!stays) version.forget(environment);
    version.leave();
    if (!stays) void provider?.replace();
  }

  /** All lines of one invocation; gives their end where it was asked for. */
  #write(
    { requestId, version, tail }: Running,
    stream: string,
    beganMs: number,
    { logs }: InvocationResult,
    report: string,
  ): string {
    const said: string[] = [];
    const write = (atEpochMs: number, text: string): void => {
      this.#deps.logs.append(version.spec.logGroup, stream, atEpochMs, text);
      if (tail) said.push(text);
    };
    write(beganMs, startLine(requestId, version.version));
    for (const { atEpochMs, message } of logs)
      write(atEpochMs, message.endsWith("\n") ? message : `${message}\n`);
    const nowMs = this.#deps.clock.wallMs();
    write(nowMs, endLine(requestId));
    write(nowMs, report);
    return tail ? Buffer.from(said.join("")).subarray(-TAIL_BYTES).toString() : "";
  }
}

const refused = (
  requestId: string,
  kind: InvokeOutcome["kind"],
  reason: string,
): Promise<InvokeOutcome> =>
  Promise.resolve({ requestId, kind, reason, payload: "", executedVersion: LATEST, tail: "" });

/** A timed-out invocation lasted exactly its limit; nothing else is cut. */
const limitOf = (version: FunctionVersion, result: InvocationResult): number =>
  result.kind === "timeout" ? version.spec.timeoutMs : Number.POSITIVE_INFINITY;

/** What a handler throws leaves no Status in REPORT; crashes, timeouts and failed inits do. */
function reportOf(
  { requestId, version, traceId }: Running,
  acquired: Acquired,
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
    xray: xrayOf(traceId, version.config.activeTracing),
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
