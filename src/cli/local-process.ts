// Starts local AWS as a process of its own and reads the one line that says where it listens.
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { builtFile } from "../core/built-file.ts";
import { GatecrashError, messageOf } from "../core/error.ts";

export interface LocalOptions {
  /** Absolute path of the SAM template. */
  readonly template: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly scale: number;
  readonly concurrency: number;
  readonly unreservedMinimum: number;
  readonly scalingBucket: number;
  /** Twelve digits; absent = twelve zeros. */
  readonly account?: string;
  /** Absent = eu-west-1. */
  readonly region?: string;
  /** Absolute path of a stack with roles. */
  readonly roles?: string;
  /** Twelve digits; absent = no other account sees its logs. */
  readonly logsAccount?: string;
  readonly logsGroups?: string;
  /** Absolute path of a stack with roles of that account. */
  readonly logsRoles?: string;
}

export interface LocalProcess {
  readonly endpoint: string;
  readonly pid: number;
  readonly outputs: { readonly [name: string]: string };
  /** Rejects with the reason when the process goes away before `stop`. */
  readonly gone: Promise<never>;
  stop(): Promise<void>;
}

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 10_000;
const NICENESS = 5;
/**
 * Of 20 MB, as it begins, the heap is collected whole every few seconds at a thousand requests a
 * second: 15 ms in which nobody is answered. From 128 MB on that is early enough.
 */
export const LOCAL_NODE_FLAGS = ["--initial-old-space-size=128"];

/**
 * Local AWS outlives a harness that is killed, so that `heal` can still reach it: it is detached
 * from our process group and ends by itself after ten idle minutes, or at once when it was left
 * alone before anybody had changed anything.
 */
export async function startLocalProcess(options: LocalOptions): Promise<LocalProcess> {
  const entry = builtFile("../local/main.js", import.meta.url);
  const flags = [
    ["--template", options.template],
    ["--port", options.port],
    ["--scale", options.scale],
    ["--concurrency", options.concurrency],
    ["--unreserved-minimum", options.unreservedMinimum],
    ["--scaling-bucket", options.scalingBucket],
    ["--starter", process.pid],
    ["--account", options.account],
    ["--region", options.region],
    ["--roles", options.roles],
    ["--logs-account", options.logsAccount],
    ["--logs-groups", options.logsGroups],
    ["--logs-roles", options.logsRoles],
  ].flatMap(([flag, value]) => (value === undefined ? [] : [String(flag), String(value)]));
  const child = spawn(process.execPath, [...LOCAL_NODE_FLAGS, fileURLToPath(entry), ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: localEnvironment(),
  });
  yieldTo(child.pid);
  // Not inherited: a local AWS that outlives us would keep whoever reads our output waiting.
  child.stderr?.pipe(process.stderr, { end: false });
  const ready = await readReadyLine(child);
  child.stdout?.resume();
  letGo(child);
  let stopping = false;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const gone = exited.then((): never => {
    if (stopping) return new Promise<never>(() => {}) as never;
    throw new GatecrashError("local", "local AWS went away in the middle of the run");
  });
  gone.catch(() => {}); // whoever races it sees the rejection
  const stop = async (): Promise<void> => {
    stopping = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  };
  return { endpoint: ready.endpoint, pid: child.pid ?? 0, outputs: ready.outputs, gone, stop };
}

/** Neither the process nor what it may still say keeps this one running. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
}

/** On one machine the system under test gives way to the generator, as it would elsewhere. */
function yieldTo(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // not allowed here: the run is judged by its own lag all the same
  }
}

export interface LocalPlace {
  readonly account: string;
  readonly region: string;
}

/** What a local AWS that somebody else started plays, and what is deployed there. */
export async function readLocal(
  endpoint: string,
): Promise<LocalPlace & { readonly outputs: { readonly [name: string]: string } }> {
  try {
    const read = async (path: string): Promise<{ [name: string]: string }> => {
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
      const answer = await fetch(new URL(path, endpoint), { signal });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return (await answer.json()) as { [name: string]: string };
    };
    const { account = "", region = "" } = await read("/_local/health");
    if (!/^\d{12}$/.test(account)) throw new Error("it does not say which account it plays");
    return { account, region, outputs: await read("/_local/outputs") };
  } catch (cause) {
    // `fetch` says "fetch failed"; why is in its cause.
    const why = messageOf((cause instanceof Error && cause.cause) || cause);
    throw new GatecrashError("local", `no local AWS answers at ${endpoint}: ${why}`, {
      hint: "start one with: gatecrash local --template <file>, or leave --endpoint out",
      cause,
    });
  }
}

/** Nothing of the user's AWS configuration may reach local AWS or the handlers it runs. */
function localEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("AWS_"));
  return { ...Object.fromEntries(kept), AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" };
}

interface ReadyLine {
  readonly endpoint: string;
  readonly outputs: { readonly [name: string]: string };
}

function readReadyLine(child: ChildProcess): Promise<ReadyLine> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new GatecrashError("local", `local AWS was not ready within ${READY_TIMEOUT_MS} ms`));
    }, READY_TIMEOUT_MS);
    child.once("error", (cause) => {
      clearTimeout(timer);
      reject(new GatecrashError("local", `local AWS: ${messageOf(cause)}`, { cause }));
    });
    // `close` comes after the last line, `exit` may come before it.
    child.once("close", (code) => {
      clearTimeout(timer);
      reject(new GatecrashError("local", `local AWS ended at its start with exit code ${code}`));
    });
    if (!child.stdout) return; // there was no handle left for it: `error` says so
    const lines = createInterface({ input: child.stdout });
    lines.once("line", (line) => {
      clearTimeout(timer);
      lines.close();
      try {
        resolve(parseReadyLine(line));
      } catch (error) {
        reject(error);
      }
    });
  });
}

interface StartError {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly hint?: string;
  /** Set when it is no error of the operator's but a bug of local AWS. */
  readonly stack?: string;
}

function parseReadyLine(line: string): ReadyLine {
  const parsed = JSON.parse(line) as ReadyLine & { readonly error?: StartError };
  if (parsed.error === undefined) return parsed;
  const { message, file, line: at, hint, stack } = parsed.error;
  if (stack !== undefined) throw Object.assign(new Error(message), { stack });
  const place = file === undefined ? undefined : at === undefined ? { file } : { file, line: at };
  throw new GatecrashError("scenario", message, {
    ...(hint === undefined ? {} : { hint }),
    ...(place === undefined ? {} : { place }),
  });
}
