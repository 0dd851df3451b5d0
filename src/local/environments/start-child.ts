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
}

/** A child that could not be started says so by its `error` event, and its channel is closed. */
export function startChild(options: ChildOptions): { child: ChildProcess; channel: Socket } {
  const file = fileURLToPath(builtFile("./child/environment-child.js", import.meta.url));
  const child = spawn(process.execPath, [...options.execArgv, file], {
    env: { ...options.environment },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  guardAgainstOrphans(child);
  // There are no streams where there was no descriptor left for them.
  const streams: ChildProcess["stdio"] | undefined = child.stdio;
  const channel = (streams?.[CHANNEL_FD] as Socket | undefined) ?? new Socket().destroy();
  return { child, channel };
}
