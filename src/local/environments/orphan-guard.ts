// Makes sure that no child outlives this process, not even one that is stuck in a loop.
import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { builtFile } from "../../core/built-file.ts";

/**
 * A child ends itself when its channel closes, but a busy loop never sees that. So one small
 * process per local AWS is told every child's id; when its standard input ends, it kills the rest.
 */
let guard: Writable | null = null;

export function guardAgainstOrphans(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  guard ??= startGuard();
  const told = guard;
  told.write(`+${pid}\n`);
  child.once("exit", () => told.write(`-${pid}\n`));
}

function startGuard(): Writable {
  const file = fileURLToPath(builtFile("./child/orphan-guard-child.js", import.meta.url));
  const process = spawn(globalThis.process.execPath, [file], {
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
  });
  process.unref();
  // A guard that cannot start or was killed leaves the children's own `disconnect`, which is enough
  // for all but a busy loop; a later child starts another guard.
  const forget = (): void => {
    guard = null;
  };
  process.on("error", forget);
  process.on("exit", forget);
  process.stdin.on("error", forget);
  (process.stdin as Writable & { unref?: () => void }).unref?.();
  return process.stdin;
}
