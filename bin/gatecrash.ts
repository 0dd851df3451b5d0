#!/usr/bin/env node
// Arguments, signals, exit code; nothing else.
import { main } from "../src/cli/main.ts";

const stop = new AbortController();
let received: "SIGINT" | "SIGTERM" | null = null;

for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    if (received !== null) {
      process.stderr.write(
        `${name} again: still undoing; please wait, nothing more will be sent\n`,
      );
      return;
    }
    received = name;
    stop.abort(name);
  });
}

process.exitCode = await main(process.argv.slice(2), stop.signal);
