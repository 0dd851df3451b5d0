// Server, clients and C peers of the benchmarks, each a process of its own on a core of its own.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the client and the server run, when the machine can be told. */
const CLIENT_CORE = "0";
const SERVER_CORE = "1";

export interface Peers extends Disposable {
  /** Folder for files of this benchmark; removed with it. */
  readonly dir: string;
  /** Builds a C peer; null when there is no compiler. */
  compiled(name: string): string | null;
}

export function openPeers(): Peers {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-bench-"));
  return {
    dir,
    compiled: (name) => {
      const source = fileURLToPath(new URL(`./${name}.c`, sourceFolder()));
      const binary = join(dir, name);
      return spawnSync("cc", ["-O2", "-o", binary, source]).status === 0 ? binary : null;
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** The C sources are not copied to dist/. */
function sourceFolder(): string {
  return import.meta.url.replace("/dist/bench/", "/bench/");
}

export function hasCommand(name: string): boolean {
  return spawnSync(name, ["--version"]).error === undefined;
}

const pinnable = hasCommand("taskset") && availableParallelism() >= 2;

function pinned(core: string, command: readonly string[]): [string, string[]] {
  const [program = "", ...rest] = pinnable ? ["taskset", "-c", core, ...command] : command;
  return [program, rest];
}

export interface Server {
  readonly port: number;
  /** True when it is the C one. */
  readonly native: boolean;
  /** Ends it; with a stamps file, that is whole afterwards. */
  stop(): Promise<void>;
}

/** The epoll server, or a raw Node server where there is no compiler. */
export async function startServer(peers: Peers, stampsFile?: string): Promise<Server> {
  const native = peers.compiled("epoll-server");
  const node = [process.execPath, fileURLToPath(new URL("./raw-server.js", import.meta.url))];
  const stamps = stampsFile === undefined ? [] : [stampsFile];
  const [program, rest] = pinned(SERVER_CORE, [...(native ? [native] : node), ...stamps]);
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once("data", (data) => resolve(Number(String(data))));
    child.once("error", reject);
    child.once("exit", () => reject(new Error("the server of the benchmark ended")));
  });
  return {
    port,
    native: native !== null,
    stop: async () => {
      const ended = exitOf(child);
      child.kill("SIGTERM");
      await ended;
    },
  };
}

export interface NodeServer {
  readonly port: number;
  /** User and system time of its process so far. */
  cpuUs(): Promise<number>;
  stop(): Promise<void>;
}

/** A server written in TypeScript, below bench/peers, that tells its CPU time when it is asked. */
export async function startNodeServer(
  name: string,
  ...args: readonly string[]
): Promise<NodeServer> {
  const [program, rest] = pinned(SERVER_CORE, nodeClient(name, ...args));
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.on("data", (data) => resolve(Number(String(data))));
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`the server ${name} ended`)));
  });
  return {
    port,
    cpuUs: () =>
      new Promise((resolve) => {
        child.once("message", ({ user, system }: NodeJS.CpuUsage) => resolve(user + system));
        child.send("cpu");
      }),
    stop: async () => {
      const ended = exitOf(child);
      child.send("end");
      await ended;
    },
  };
}

/** Runs a client to its end and returns what it printed. */
export async function runClient(command: readonly string[]): Promise<string> {
  const [program, rest] = pinned(CLIENT_CORE, command);
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (data) => {
    output += String(data);
  });
  const code = await exitOf(child);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}`);
  return output;
}

/** A client written in TypeScript, below bench/peers. */
export function nodeClient(name: string, ...args: readonly string[]): string[] {
  return [process.execPath, fileURLToPath(new URL(`./${name}.js`, import.meta.url)), ...args];
}

/** 'close': after the last byte of its output. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("close", resolve));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Nearest rank. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}
