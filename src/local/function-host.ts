// The seam inside local AWS between invoking (admission, log lines) and running handlers.

/** A function of the template, its code on disk and its limits; `scale` is already applied. */
export interface FunctionSpec {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  readonly runtime: string;
  /** `index.handler`: file without extension, then the exported name. */
  readonly handler: string;
  /** Absolute folder of CodeUri, inside the template's folder. */
  readonly codeDir: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** The function's own variables. */
  readonly environment: { readonly [name: string]: string };
  readonly reserved: number | null;
  /** Declared init time, added to the real import (LOCAL.md: cold-storm trap). */
  readonly initMs: number;
  readonly isolation: "shared" | "process";
  readonly logGroup: string;
  /** Where the handler's own SDK clients go: `http://127.0.0.1:PORT`. */
  readonly endpoint: string;
}

export interface Invocation {
  readonly requestId: string;
  /** As it was invoked, qualifier included. */
  readonly functionArn: string;
  /** JSON text. */
  readonly event: string;
  readonly deadlineEpochMs: number;
  readonly traceId: string | null;
}

export interface InvocationResult {
  readonly kind: "ok" | "error" | "timeout" | "crash";
  /** JSON text: the handler's result, or Lambda's error payload. */
  readonly payload: string;
  /** Time inside the handler, init excluded. */
  readonly durationMs: number;
  readonly maxMemoryMb: number;
  /** What the handler printed, in order. */
  readonly logs: readonly { readonly atEpochMs: number; readonly message: string }[];
}

/** One execution environment: one invocation at a time. */
export interface ExecutionEnvironment {
  readonly id: string;
  /** Log stream name: `YYYY/MM/DD/[version]<id>`. */
  readonly stream: string;
  /** Real import plus declared init. */
  readonly initMs: number;
  invoke(invocation: Invocation): Promise<InvocationResult>;
  destroy(): void;
}

/** What `create` rejects with when the handler's module cannot be loaded. */
export class InitFailure extends Error {
  /** JSON text of Lambda's error payload. */
  readonly payload: string;
  /** `Runtime.ImportModuleError`, … as in REPORT's Error Type. */
  readonly errorType: string;
  /** Time until the failure, declared init not included. */
  readonly initMs: number;

  constructor(payload: string, errorType: string, message: string, initMs: number) {
    super(message);
    this.name = "InitFailure";
    this.payload = payload;
    this.errorType = errorType;
    this.initMs = initMs;
  }
}

/** Runs one function's code. A handler whose init fails rejects `create` with an InitFailure. */
export interface FunctionHost extends AsyncDisposable {
  create(version: string): Promise<ExecutionEnvironment>;
}

/** How fronts invoke: one door, so that admission and log lines are the same for all of them. */
export interface Invoker {
  /** `functionName` may end in `:alias` or `:version`. */
  invoke(functionName: string, event: string, options: InvokeOptions): Promise<InvokeOutcome>;
}

export interface InvokeOptions {
  readonly traceId: string | null;
  readonly tail: boolean;
}

export interface InvokeOutcome {
  readonly requestId: string;
  readonly kind: "ok" | "function-error" | "throttled" | "not-found";
  /** Lambda's `Reason` of a throttle, "" otherwise. */
  readonly reason: string;
  readonly payload: string;
  readonly executedVersion: string;
  /** Log tail when asked for: the last 4 KB, START to REPORT. */
  readonly tail: string;
}
