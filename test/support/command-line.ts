// The built command as a person runs it: a child process with a home of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";

const SHORT = fileURLToPath(new URL("../fixtures/short/", import.meta.url));
const BIN = fileURLToPath(new URL("../../dist/bin/gatecrash.js", import.meta.url));
/** How often outputs are looked at, and how long something may be awaited on a busy machine. */
const LOOK = { interval: 4, timeout: 180_000 };

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** One command that runs: what it has said so far, and how it ends. */
export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  out = "";
  err = "";

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.out += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.err += text;
    });
    this.ended = once(child, "close").then(([code, signal]) => {
      return { code, signal, out: this.out, err: this.err };
    });
  }

  /** Resolves as soon as `seen` holds; rejects when the command ends before. */
  async until(seen: () => boolean): Promise<void> {
    const look = (): void => {
      if (!seen()) throw new Error(`not seen yet; so far: ${this.out}${this.err}`);
    };
    const over = this.ended.then(look);
    await Promise.race([vi.waitFor(look, LOOK), over]);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** A folder, an undo log and a mark in the environment of every process, all its own. */
export class Workplace implements AsyncDisposable {
  readonly dir: string;
  readonly undoLog: string;
  #scenarios = 0;

  constructor(name = "gatecrash-cli-") {
    this.dir = mkdtempSync(join(tmpdir(), name));
    this.undoLog = join(this.dir, "state", "gatecrash", "undo.jsonl");
    mkdirSync(join(this.dir, "home"));
  }

  /** A copy of test/fixtures/short in which each of these texts is replaced by the other. */
  scenario(edits: { readonly [text: string]: string } = {}): string {
    const folder = join(this.dir, `scenario-${++this.#scenarios}`);
    cpSync(SHORT, folder, { recursive: true });
    const file = join(folder, "scenario.yaml");
    let yaml = readFileSync(file, "utf8");
    for (const [text, other] of Object.entries(edits)) {
      if (!yaml.includes(text)) throw new Error(`the short scenario has no ${text}`);
      yaml = yaml.replaceAll(text, other);
    }
    writeFileSync(file, yaml);
    return folder;
  }

  start(args: readonly string[], env: { readonly [name: string]: string } = {}): Running {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: this.dir,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: join(this.dir, "home"),
        XDG_STATE_HOME: join(this.dir, "state"),
        GATECRASH_TEST_PLACE: this.dir,
        ...env,
      },
    });
    return new Running(child);
  }

  run(...args: readonly string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  /** `gatecrash local` and its endpoint and outputs, once it listens. */
  async local(template: string): Promise<LocalCommand> {
    const running = this.start(["local", "--template", template, "--json"]);
    await running.until(() => running.out.includes("\n"));
    return { running, ...(JSON.parse(running.out) as Omit<LocalCommand, "running">) };
  }

  /** Ids of processes started here, directly or not, that still run; none without /proc. */
  processes(): number[] {
    if (!existsSync("/proc/self/environ")) return [];
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && this.#isOurs(environmentOf(name)))
      .map(Number);
  }

  /** Commands and local AWS hand our mark on; functions see the folder of their own code. */
  #isOurs(environment: readonly string[]): boolean {
    const ours = [`GATECRASH_TEST_PLACE=${this.dir}`, `LAMBDA_TASK_ROOT=${this.dir}/`];
    return environment.some((each) => ours.some((mark) => each.startsWith(mark)));
  }

  /** Resolves when none of them runs any more. */
  async quiet(): Promise<void> {
    await vi.waitFor(() => {
      const left = this.processes();
      if (left.length > 0) throw new Error(`still running: ${left.join(", ")}`);
    }, LOOK);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.processes()) process.kill(pid, "SIGKILL");
    await this.quiet();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

export interface LocalCommand {
  readonly running: Running;
  readonly endpoint: string;
  readonly pid: number;
  readonly outputs: { readonly [name: string]: string };
}

/** Nothing for a process that has ended or belongs to somebody else. */
function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
