// A sink that a command prints: started without a shell, only with --allow-exec, ended in time.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { GatecrashError, messageOf } from "../../core/error.ts";
import type { SinkSpec } from "../../core/scenario.ts";
import { type ReadRecords, type SinkPorts, textInput, unreadable } from "./sink-row.ts";
import { textRecords } from "./text-records.ts";

/** What a program needs to start and to print text; everything else only by name (`env:`). */
const ENVIRONMENT = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ"];
const STDERR_CHARACTERS = 2_000;

/** The whole group of processes is killed when `signal` aborts, or nobody reads on. */
export const commandRecords: ReadRecords = async function* (spec, ports, signal) {
  assertMayRun(spec, ports);
  const child = start(spec, ports);
  const kill = (): void => killGroup(child);
  signal.addEventListener("abort", kill, { once: true });
  const exited = exitOf(child);
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARACTERS);
  });
  try {
    const format = textInput(spec, "format") === "csv" ? "csv" : "ndjson";
    if (child.stdout !== null) yield* textRecords(format, child.stdout);
    const { failure, code, signalled } = await exited;
    if (failure !== null) throw new Error(failure);
    // Half a list looks like losses: only a program that says it is done is believed.
    if (code !== 0) throw new Error(`it ended with ${signalled ?? `exit code ${code}`}`);
  } catch (cause) {
    signal.throwIfAborted();
    const said = stderr.trim().split("\n").at(-1) ?? "";
    const more = said === "" ? "" : `; it said: ${said}`;
    throw unreadable(spec, `${argvOf(spec)[0]}: ${messageOf(cause)}${more}`);
  } finally {
    signal.removeEventListener("abort", kill);
    killGroup(child);
    child.stderr?.destroy();
  }
};

/** @throws GatecrashError `refused` when commands are not allowed. */
export function assertMayRun(spec: SinkSpec, { allowExec }: Pick<SinkPorts, "allowExec">): void {
  if (spec.kind !== "command" || allowExec) return;
  const command = argvOf(spec).join(" ");
  throw new GatecrashError("refused", `sink ${spec.name} would run: ${command}`, {
    hint: "a scenario may run commands with --allow-exec only",
  });
}

function argvOf({ input }: SinkSpec): readonly string[] {
  return Array.isArray(input.argv) ? (input.argv as readonly string[]) : [];
}

function start(spec: SinkSpec, { dir, env }: SinkPorts): ChildProcess {
  const [program = "", ...args] = argvOf(spec);
  const named = Array.isArray(spec.input.env) ? (spec.input.env as readonly string[]) : [];
  const seen = [...ENVIRONMENT, ...named].flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  return spawn(program, args, {
    cwd: dir,
    env: Object.fromEntries(seen),
    stdio: ["ignore", "pipe", "pipe"],
    shell: false,
    detached: true, // a process group of its own, so that its children can be ended with it
  });
}

interface Exit {
  readonly failure: string | null;
  readonly code: number | null;
  readonly signalled: string | null;
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  try {
    const [code, signalled] = (await once(child, "close")) as [number | null, string | null];
    return { failure: null, code, signalled };
  } catch (cause) {
    return { failure: messageOf(cause), code: null, signalled: null };
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    return; // nobody is left in it
  }
}
