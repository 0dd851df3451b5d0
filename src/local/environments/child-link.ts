// The parent's end of one child process: create, invoke, destroy, and notice its death.
import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { InitFailure, type Invocation, type InvocationResult } from "../function-host.ts";
import { encodeFrame, type Framed, frameReader } from "./channel.ts";
import { exitError, timeoutError } from "./lambda-error.ts";
import { OpenCalls } from "./open-calls.ts";
import type { CallResult, FromChild, LogLine, ToChild } from "./protocol.ts";
import { type ChildOptions, type Exit, endOf, startChild } from "./start-child.ts";

/** How long a child has to answer `cut` before the timeout is reported without its logs. */
const CUT_ANSWER_MS = 100;
/** A child that does not answer `cut` at all is stuck in a loop and is killed. */
const STUCK_MS = 3_000;
const STDERR_KEPT_BYTES = 4_096;

interface OpenCall {
  readonly requestId: string;
  readonly startedMs: number;
  readonly settle: (result: InvocationResult) => void;
  /** Until its deadline; then until the answer to `cut`. */
  timer: NodeJS.Timeout;
  lastLogs: readonly LogLine[];
}

const NO_LOGS: readonly LogLine[] = [];

interface OpenCreate {
  readonly startedMs: number;
  readonly resolve: (initMs: number) => void;
  readonly reject: (failure: InitFailure) => void;
}

export class ChildLink {
  readonly #child: ChildProcess;
  readonly #channel: Socket;
  readonly #timeoutMs: number;
  readonly #creates = new Map<string, OpenCreate>();
  readonly #calls = new OpenCalls<OpenCall>();
  readonly #cutTimers = new Map<number, NodeJS.Timeout>();
  readonly #ready: Promise<void>;
  readonly #exited: Promise<void>;
  #settleReady: () => void = () => {};
  #stderr = "";
  #exit: Exit | null = null;

  constructor(options: ChildOptions, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    const { child, channel } = startChild(options);
    this.#child = child;
    this.#channel = channel;
    this.#ready = new Promise((resolve) => {
      this.#settleReady = resolve;
    });
    this.#exited = endOf(child, channel).then((exit) => this.#onExit(exit));
    const receive = ({ message, text }: Framed<FromChild>): void => this.#onMessage(message, text);
    this.#channel.on(
      "data",
      frameReader(receive, () => this.kill()),
    );
    this.#channel.on("error", () => {}); // the child is dying: its exit settles whatever is open
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT_BYTES);
    });
    this.#send(options.load);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get alive(): boolean {
    return this.#exit === null;
  }

  /** Resolves when the handler is compiled, or the child has died. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Evaluates the module for a new environment; resolves to the time that took, ms. */
  create(environment: string, stream: string, version: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#creates.set(environment, { startedMs: performance.now(), resolve, reject });
      if (this.#exit !== null) this.#failCreates(this.#exit);
      else this.#send({ kind: "create", environment, stream, version });
    });
  }

  invoke(environment: string, invocation: Invocation): Promise<InvocationResult> {
    let call = 0;
    const { event, ...about } = invocation;
    const { requestId, deadlineEpochMs } = about;
    const result = new Promise<InvocationResult>((settle) => {
      const leftMs = Math.max(0, deadlineEpochMs - Date.now());
      const timer = setTimeout(() => this.#cut(call, environment), leftMs);
      const startedMs = performance.now();
      call = this.#calls.add({ requestId, startedMs, settle, timer, lastLogs: NO_LOGS });
    });
    if (this.#exit === null) this.#send({ kind: "invoke", call, environment, ...about }, event);
    else this.#crash(call, this.#exit);
    return result;
  }

  destroy(environment: string): void {
    this.#send({ kind: "destroy", environment });
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Kills and waits until the process is gone. */
  async close(): Promise<void> {
    this.kill();
    await this.#exited;
  }

  #send(message: ToChild, text = ""): void {
    if (this.#channel.writable) this.#channel.write(encodeFrame(message, text));
  }

  #onMessage(message: FromChild, text: string): void {
    switch (message.kind) {
      case "ready":
        this.#settleReady();
        break;
      case "created":
        this.#takeCreate(message.environment)?.resolve(message.initMs);
        break;
      case "init-failed": {
        const { payload, errorType, initMs } = message;
        const failure = new InitFailure(payload, errorType, `init failed: ${errorType}`, initMs);
        this.#takeCreate(message.environment)?.reject(failure);
        break;
      }
      case "result":
        this.#onResult(message, text);
        break;
      case "last-logs": {
        const open = this.#calls.get(message.call);
        if (open !== undefined) open.lastLogs = message.logs;
        break;
      }
    }
  }

  #takeCreate(environment: string): OpenCreate | undefined {
    const open = this.#creates.get(environment);
    this.#creates.delete(environment);
    return open;
  }

  #onResult(result: CallResult, payload: string): void {
    clearTimeout(this.#cutTimers.get(result.call));
    // An answer may cross with the cut: it is too late, and its environment is forgotten there.
    const isCut = this.#cutTimers.delete(result.call);
    const open = this.#calls.get(result.call);
    if (open === undefined) return;
    const { how, durationMs, memoryMb, logs } = result;
    if (isCut || how === "cut") this.#timeOut(result.call, open, logs, memoryMb);
    else {
      const maxMemoryMb = memoryMb;
      this.#settle(result.call, open, { kind: how, payload, durationMs, maxMemoryMb, logs });
    }
  }

  #cut(call: number, environment: string): void {
    const open = this.#calls.get(call);
    if (open === undefined) return;
    this.#send({ kind: "cut", call, environment });
    open.timer = setTimeout(() => this.#timeOut(call, open, NO_LOGS, 0), CUT_ANSWER_MS);
    const stuck = setTimeout(() => this.kill(), STUCK_MS);
    stuck.unref();
    this.#cutTimers.set(call, stuck);
  }

  #timeOut(call: number, open: OpenCall, logs: readonly LogLine[], memoryMb: number): void {
    this.#settle(call, open, {
      kind: "timeout",
      payload: JSON.stringify(timeoutError(open.requestId, this.#timeoutMs)),
      durationMs: this.#timeoutMs,
      maxMemoryMb: memoryMb,
      logs,
    });
  }

  #crash(call: number, exit: Exit): void {
    const open = this.#calls.get(call);
    if (open === undefined) return;
    const { requestId } = open;
    const atEpochMs = Date.now();
    const stderr = this.#stderr.split("\n").filter((line) => line.trim() !== "");
    this.#settle(call, open, {
      kind: "crash",
      payload: JSON.stringify(exitError(requestId, exit.code, exit.signal)),
      durationMs: performance.now() - open.startedMs,
      maxMemoryMb: 0,
      logs: [...open.lastLogs, ...stderr.map((message) => ({ atEpochMs, message }))],
    });
  }

  #settle(call: number, open: OpenCall, result: InvocationResult): void {
    this.#calls.delete(call);
    clearTimeout(open.timer);
    open.settle(result);
  }

  #onExit(exit: Exit): void {
    this.#exit = exit;
    this.#settleReady();
    for (const timer of this.#cutTimers.values()) clearTimeout(timer);
    this.#failCreates(exit);
    for (const call of [...this.#calls]) this.#crash(call, exit);
  }

  #failCreates(exit: Exit): void {
    for (const { startedMs, reject } of this.#creates.values()) {
      const { errorType, errorMessage } = exitError("", exit.code, exit.signal);
      const message = errorMessage.replace("RequestId:  ", "");
      const payload = JSON.stringify({ errorType, errorMessage: message });
      reject(new InitFailure(payload, errorType, message, performance.now() - startedMs));
    }
    this.#creates.clear();
  }
}
