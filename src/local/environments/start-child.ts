// Starts the process that runs execution environments, with a channel to it.
import { type ChildProcess, spawn } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { builtFile } from "../../core/built-file.ts";
import { CHANNEL_FD } from "./channel.ts";
import { guardAgainstOrphans } from "./orphan-guard.ts";
import type { ToChild } from "./protocol.ts";

export interface ChildOptions {
  readonly load: ToChild & { kind: "load" };
  readonly environment: { readonly [name: string]: string };
  readonly execArgv: readonly string[];
  /** The working directory: on Lambda that of the code. */
  readonly cwd: string;
}

/** A child that could not be started says so by its `error` event, and its channel is closed. */
export function startChild(options: ChildOptions): { child: ChildProcess; channel: Socket } {
  const file = fileURLToPath(builtFile("./child/environment-child.js", import.meta.url));
  const child = spawn(process.execPath, [...options.execArgv, file], {
    env: { ...options.environment },
    cwd: options.cwd,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  guardAgainstOrphans(child);
  // There are no streams where there was no descriptor left for them.
  const streams: ChildProcess["stdio"] | undefined = child.stdio;
  const channel = (streams?.[CHANNEL_FD] as Socket | undefined) ?? new Socket().destroy();
  return { child, channel };
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Between the end of a child and that of its channel. */
const PARTING_MS = 1_000;

/**
 * Resolves when the child is gone and its last words are read. A handler may close the channel: its
 * process is of no use then, and is killed. Or a process that the handler started holds it open.
 */
export function endOf(child: ChildProcess, channel: Socket): Promise<Exit> {
  const silent = new Promise<void>((resolve) => channel.once("close", resolve));
  channel.once("close", () => setTimeout(() => child.kill("SIGKILL"), PARTING_MS).unref());
  return new Promise((resolve) => {
    child.once("error", () => resolve({ code: null, signal: null }));
    child.once("exit", async (code, signal) => {
      const patience = setTimeout(() => channel.destroy(), PARTING_MS);
      await silent;
      clearTimeout(patience);
      resolve({ code, signal });
    });
  });
}
