// The parent's end of one child process: create, invoke, destroy, and notice its death.
import { type ChildProcess, fork } from "node:child_process";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { builtFile } from "../../core/built-file.ts";
import { InitFailure, type Invocation, type InvocationResult } from "../function-host.ts";
import { exitError, timeoutError } from "./lambda-error.ts";
import { guardAgainstOrphans } from "./orphan-guard.ts";
import type { CallResult, FromChild, LogLine, ToChild } from "./protocol.ts";

/** How long a child has to answer `cut` before the timeout is reported without its logs. */
const CUT_ANSWER_MS = 100;
/** A child that does not answer `cut` at all is stuck in a loop and is killed. */
const STUCK_MS = 3_000;
const STDERR_KEPT_BYTES = 4_096;

export interface ChildOptions {
  readonly load: ToChild & { kind: "load" };
  readonly environment: { readonly [name: string]: string };
  readonly execArgv: readonly string[];
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

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
  readonly #timeoutMs: number;
  readonly #creates = new Map<string, OpenCreate>();
  readonly #calls = new Map<number, OpenCall>();
  readonly #cutTimers = new Map<number, NodeJS.Timeout>();
  readonly #ready: Promise<void>;
  readonly #exited: Promise<void>;
  #settleReady: () => void = () => {};
  #stderr = "";
  #exit: Exit | null = null;
  #nextCall = 1;

  constructor(options: ChildOptions, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    const file = fileURLToPath(builtFile("./child/environment-child.js", import.meta.url));
    this.#child = fork(file, [], {
      env: { ...options.environment },
      execArgv: [...options.execArgv],
      serialization: "json",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    guardAgainstOrphans(this.#child);
    this.#ready = new Promise((resolve) => {
      this.#settleReady = resolve;
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => {
        this.#onExit({ code, signal });
        resolve();
      });
      this.#child.once("error", () => {
        this.#onExit({ code: null, signal: null });
        resolve();
      });
    });
    this.#child.on("message", (message) => this.#onMessage(message as FromChild));
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
    return new Promise((settle) => {
      const call = this.#nextCall++;
      const leftMs = Math.max(0, invocation.deadlineEpochMs - Date.now());
      const open: OpenCall = {
        requestId: invocation.requestId,
        startedMs: performance.now(),
        settle,
        timer: setTimeout(() => this.#cut(call, environment), leftMs),
        lastLogs: NO_LOGS,
      };
      this.#calls.set(call, open);
      if (this.#exit === null) this.#send({ kind: "invoke", call, environment, ...invocation });
      else this.#crash(call, open, this.#exit);
    });
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

  #send(message: ToChild): void {
    // A send that fails means that the child is dying: its exit settles whatever is open.
    if (this.#exit === null && this.#child.connected) this.#child.send(message, () => {});
  }

  #onMessage(message: FromChild): void {
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
        this.#onResult(message);
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

  #onResult(result: CallResult): void {
    clearTimeout(this.#cutTimers.get(result.call));
    this.#cutTimers.delete(result.call);
    const open = this.#calls.get(result.call);
    if (open === undefined) return;
    const { how, payload, durationMs, memoryMb, logs } = result;
    if (how === "cut") this.#timeOut(result.call, open, logs, memoryMb);
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

  #crash(call: number, open: OpenCall, exit: Exit): void {
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
    if (this.#exit !== null) return;
    this.#exit = exit;
    this.#settleReady();
    for (const timer of this.#cutTimers.values()) clearTimeout(timer);
    this.#failCreates(exit);
    for (const [call, open] of [...this.#calls]) this.#crash(call, open, exit);
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
