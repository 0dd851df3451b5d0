// One execution environment inside a child process: its handler, its logs, its one invocation.
import { performance } from "node:perf_hooks";
import { errorOf, type LambdaError, RESPONSE_BYTES_MAX } from "../lambda-error.ts";
import type { CallResult, FunctionFacts, ToChild } from "../protocol.ts";
import { LogBuffer, printing } from "./console-capture.ts";
import { perEnvironmentMb } from "./memory.ts";

export type Handler = (event: unknown, context: object, callback: Callback) => unknown;
type Callback = (error?: unknown, result?: unknown) => void;
type InvokeMessage = ToChild & { kind: "invoke" };
type Send = (result: CallResult, payload: string) => void;

/** The one invocation that an environment may serve at a time. */
interface Running {
  readonly call: number;
  readonly startMs: number;
}

export class Instance {
  readonly logs = new LogBuffer();
  readonly #facts: FunctionFacts;
  readonly #stream: string;
  readonly #version: string;
  readonly #send: Send;
  #handler: Handler | null = null;
  #running: Running | null = null;
  /** Thrown between two invocations: the next one finds the runtime gone. */
  #broken: LambdaError | null = null;

  constructor(facts: FunctionFacts, stream: string, version: string, send: Send) {
    this.#facts = facts;
    this.#stream = stream;
    this.#version = version;
    this.#send = send;
  }

  /** Set once the module has been evaluated. */
  set handler(handler: Handler) {
    this.#handler = handler;
  }

  get call(): number | null {
    return this.#running?.call ?? null;
  }

  /** `event` is JSON text. */
  invoke(message: InvokeMessage, event: string): void {
    const running = { call: message.call, startMs: performance.now() };
    this.#running = running;
    this.logs.requestId = message.requestId;
    if (this.#broken !== null) {
      this.#finish(running, "crash", this.#broken);
      return;
    }
    printing.run(this.logs, () => {
      this.#run(message, event).then(
        (result) => this.#answer(running, result),
        (thrown) => this.#fail(running, errorOf(thrown)),
      );
    });
  }

  /** The deadline has passed: what has been logged is all there is. */
  cut(): void {
    if (this.#running !== null) this.#finish(this.#running, "cut", null);
  }

  /** Something was thrown outside the handler's own promise; on Lambda this ends the runtime. */
  breakWith(error: LambdaError): void {
    this.logs.addConsole("ERROR", `Uncaught Exception \t${JSON.stringify(error)}`);
    this.#broken = error;
    if (this.#running !== null) this.#finish(this.#running, "crash", error);
  }

  async #run(message: InvokeMessage, text: string): Promise<unknown> {
    const handler = this.#handler;
    if (handler === null) throw new Error("the module has not been evaluated");
    const event: unknown = JSON.parse(text);
    const context = this.#context(message);
    return new Promise((resolve, reject) => {
      const callback: Callback = (error, result) =>
        error === undefined || error === null ? resolve(result) : reject(error);
      const returned = handler(event, context, callback);
      if (isThenable(returned)) returned.then(resolve, reject);
      // The runtime ignores what a plain function returns, and waits for its callback if it has
      // one.
      else if (handler.length < 3) resolve(null);
    });
  }

  #context(message: InvokeMessage): object {
    return {
      callbackWaitsForEmptyEventLoop: true,
      functionVersion: this.#version,
      functionName: this.#facts.name,
      memoryLimitInMB: String(this.#facts.memoryMb),
      logGroupName: this.#facts.logGroup,
      logStreamName: this.#stream,
      clientContext: undefined,
      identity: undefined,
      invokedFunctionArn: message.functionArn,
      awsRequestId: message.requestId,
      getRemainingTimeInMillis: () => message.deadlineEpochMs - Date.now(),
    };
  }

  #answer(running: Running, result: unknown): void {
    const { payload, error } = serialise(result);
    if (error?.errorType === "Runtime.MarshalError") this.#fail(running, error);
    else this.#finish(running, error === null ? "ok" : "error", error, payload);
  }

  #fail(running: Running, error: LambdaError): void {
    if (this.#running !== running) return;
    this.logs.addConsole("ERROR", `Invoke Error \t${JSON.stringify(error)}`);
    this.#finish(running, "error", error);
  }

  #finish(running: Running, how: CallResult["how"], error: LambdaError | null, text = ""): void {
    if (this.#running !== running) return; // cut or broken before
    this.#running = null;
    const result: CallResult = {
      kind: "result",
      call: running.call,
      how,
      durationMs: performance.now() - running.startMs,
      memoryMb: Math.min(this.#facts.memoryMb, perEnvironmentMb()),
      logs: this.logs.drain(),
    };
    this.#send(result, error === null ? text : JSON.stringify(error));
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** The answer's JSON text, or the error that Lambda makes of a result that has none. */
function serialise(result: unknown): { payload: string; error: LambdaError | null } {
  let payload: string;
  try {
    payload = JSON.stringify(result) ?? "null";
  } catch (thrown) {
    const { errorMessage } = errorOf(thrown);
    return { payload: "", error: { errorType: "Runtime.MarshalError", errorMessage, trace: [] } };
  }
  if (Buffer.byteLength(payload) <= RESPONSE_BYTES_MAX) return { payload, error: null };
  const limit = `${RESPONSE_BYTES_MAX} bytes`;
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${limit}).`;
  return { payload: "", error: { errorType: "Function.ResponseSizeTooLarge", errorMessage } };
}
