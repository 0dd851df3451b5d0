// Entry of a child process: evaluates a handler per execution environment and runs its invocations.
import { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { CHANNEL_FD, encodeFrame, type Framed, frameReader } from "../channel.ts";
import { errorOf, initErrorOf, type LambdaError } from "../lambda-error.ts";
import type { FromChild, FunctionFacts, ToChild } from "../protocol.ts";
import { captureConsole, type LogBuffer, printing } from "./console-capture.ts";
import { type Handler, Instance } from "./instance.ts";
import { type Evaluate, loadModule } from "./load-module.ts";
import { countEnvironments } from "./memory.ts";
import { writeNow } from "./write-now.ts";

const EXIT_UNCAUGHT = 129; // the runtime's own exit status after an uncaught exception

interface Loaded {
  readonly facts: FunctionFacts;
  readonly evaluate: Evaluate;
  readonly exportPath: readonly string[];
  readonly handler: string;
}

let loaded: Loaded | null = null;
const instances = new Map<string, Instance>();

const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });

const send = (message: FromChild, text = ""): void => {
  if (channel.writable) channel.write(encodeFrame(message, text));
};

function load(message: ToChild & { kind: "load" }): void {
  const { facts, exportPath, handler } = message;
  let evaluate: Evaluate;
  try {
    evaluate = loadModule(message.source);
  } catch (thrown) {
    // Text that does not compile: every init fails, as on Lambda.
    evaluate = () => {
      throw thrown;
    };
  }
  loaded = { facts, evaluate, exportPath, handler };
  send({ kind: "ready" });
}

async function create(message: ToChild & { kind: "create" }): Promise<void> {
  if (loaded === null) return;
  const { environment, stream, version } = message;
  const instance = new Instance(loaded.facts, stream, version, send);
  instances.set(environment, instance);
  countEnvironments(instances.size);
  const startMs = performance.now();
  const initMs = (): number => performance.now() - startMs;
  try {
    const evaluated = printing.run(instance.logs, loaded.evaluate);
    // Awaiting would add a turn of the loop to a synchronous init.
    const exported = evaluated instanceof Promise ? await evaluated : evaluated;
    instance.handler = findHandler(exported, loaded);
    send({ kind: "created", environment, initMs: initMs() });
  } catch (thrown) {
    forget(environment);
    const error = thrown instanceof HandlerMissing ? thrown.error : initErrorOf(thrown);
    const payload = JSON.stringify(error);
    send({
      kind: "init-failed",
      environment,
      initMs: initMs(),
      errorType: error.errorType,
      payload,
    });
  }
}

class HandlerMissing extends Error {
  readonly error: LambdaError;

  constructor(handler: string) {
    super(handler);
    this.error = {
      errorType: "Runtime.HandlerNotFound",
      errorMessage: `${handler} is undefined or not exported`,
      trace: [],
    };
  }
}

function findHandler(exported: unknown, { exportPath, handler }: Loaded): Handler {
  const from = (root: unknown): unknown =>
    exportPath.reduce<unknown>(
      (value, name) => (value as Record<string, unknown> | null | undefined)?.[name],
      root,
    );
  const found = from(exported) ?? from((exported as { default?: unknown }).default);
  if (typeof found !== "function") throw new HandlerMissing(handler);
  return found as Handler;
}

function forget(environment: string): void {
  instances.delete(environment);
  countEnvironments(instances.size);
}

function onMessage(message: ToChild, text: string): void {
  switch (message.kind) {
    case "load":
      load(message);
      break;
    case "create":
      void create(message);
      break;
    case "invoke":
      instances.get(message.environment)?.invoke(message, text);
      break;
    case "cut":
      instances.get(message.environment)?.cut();
      forget(message.environment);
      break;
    case "destroy":
      forget(message.environment);
      break;
  }
}

/** Ends the environment whose code threw; the process only when nobody owns the error. */
function onLost(error: LambdaError, thrown: unknown): void {
  const owner = printing.getStore();
  const instance = [...instances.values()].find(({ logs }) => logs === owner);
  if (instance !== undefined) instance.breakWith(error);
  if (owner !== undefined) return; // handled, or left over from an environment that is gone
  process.stderr.write(`${errorOf(thrown).trace?.join("\n")}\n`);
  process.exit(EXIT_UNCAUGHT);
}

const lastLogs = (call: number, logs: LogBuffer): FromChild => ({
  kind: "last-logs",
  call,
  logs: logs.drain(),
});

captureConsole();
const receive = ({ message, text }: Framed<ToChild>): void => onMessage(message, text);
const read = frameReader(receive, () => process.exit(EXIT_UNCAUGHT));
channel.on("data", read);
channel.on("error", () => {}); // its end is what counts
channel.on("close", () => process.exit(0));
process.on("uncaughtException", (thrown) => onLost(errorOf(thrown), thrown));
process.on("unhandledRejection", (reason) => {
  const { errorType, errorMessage, trace = [] } = errorOf(reason);
  const message = `${errorType}: ${errorMessage}`;
  const type = "Runtime.UnhandledPromiseRejection";
  onLost({ errorType: type, errorMessage: message, trace }, reason);
});
// Ctrl-C reaches the whole process group; what runs is ended by the parent, in its own order.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("exit", () => {
  if (channel.writableLength > 0) return; // nothing can follow half a message
  for (const { call, logs } of instances.values()) {
    if (call !== null) writeNow(CHANNEL_FD, encodeFrame(lastLogs(call, logs), ""));
  }
});
