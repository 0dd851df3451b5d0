// Runs a fault in a process of its own, kills that, and runs `gatecrash heal` as the command line
// does.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { healCommand } from "../../src/cli/heal.ts";
import { builtFile } from "../../src/core/built-file.ts";

export interface Killed {
  /**
   * Killed at this line (from 1) of test/support/killed-run.ts, each before or after one effect.
   */
  readonly line: number;
  readonly shop: { readonly endpoint: string; readonly functions: { readonly checkout: string } };
  /** Path of the undo log. */
  readonly log: string;
  /** Stands still at that line; otherwise it is killed in the middle of whatever it does next. */
  readonly standing?: boolean;
  /** Process of the local AWS that the run says it has started. */
  readonly localPid?: number;
}

/** Resolves to the lines that were said. */
export async function killedAt(what: Killed): Promise<string[]> {
  const { line, shop, log, standing = false, localPid = 0 } = what;
  const script = builtFile("./killed-run.js", import.meta.url).pathname;
  const stand = standing ? line : 0;
  const options = [shop.endpoint, shop.functions.checkout, log, String(stand), String(localPid)];
  const child = spawn(process.execPath, [script, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const lines: string[] = [];
  for await (const each of createInterface({ input: child.stdout })) {
    lines.push(each);
    if (lines.length === line) child.kill("SIGKILL");
  }
  await ended;
  return lines;
}

/** The command as the command line runs it. */
export async function heal(...flags: string[]): Promise<{ text: string; code: number }> {
  let text = "";
  let code = -1;
  const context = {
    signal: new AbortController().signal,
    out: (more: string) => {
      text += more;
    },
    err: () => {},
    exit: (wanted: number) => {
      code = wanted;
    },
  };
  await healCommand(context).parseAsync(flags, { from: "user" });
  return { text, code };
}
