#!/usr/bin/env node
// Arguments, signals, what nobody caught, exit code; nothing else.
import { main } from "../src/cli/main.ts";
import { EXIT } from "../src/core/exit.ts";

const stop = new AbortController();
let received: string | null = null;
let crashed = false;

/** Whatever ends a run, ends it in good order: what was changed is put back first. */
function end(name: string): void {
  if (received !== null) {
    const start = process.stderr.isTTY ? "\n" : ""; // a line of progress may stand there
    const text = `${name} again: still undoing; please wait, nothing more will be sent\n`;
    process.stderr.write(start + text);
    return;
  }
  received = name;
  stop.abort(name);
}

// SIGHUP: the terminal is gone, the fault is not.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => end(name));

// A reader that has seen enough, or a full disk behind a redirection, must not leave a fault.
process.stderr.on("error", () => {});
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.stderr.write(`warning: standard output cannot be written: ${error.message}\n`);
});

process.on("uncaughtException", (error) => {
  process.stderr.write(`internal error, please report it: ${error?.stack ?? String(error)}\n`);
  crashed = true;
  process.exitCode = EXIT.bug;
  stop.abort("SIGTERM");
});

const code = await main(process.argv.slice(2), stop.signal);
process.exitCode = crashed && code !== EXIT.undoNotVerified ? EXIT.bug : code;
