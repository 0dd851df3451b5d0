// What everything that one run does is given.
import { randomBytes } from "node:crypto";
import { type Hide, hiding } from "../core/hiding.ts";
import type { RunClock } from "../run/clock.ts";
import type { CommandContext } from "./context.ts";
import type { Progress } from "./progress.ts";
import type { RunRequest } from "./run-request.ts";

export interface Session {
  readonly request: RunRequest;
  readonly context: CommandContext;
  readonly progress: Progress;
  readonly run: string;
  readonly dir: string;
  readonly clock: RunClock;
  readonly hide: Hide;
  /** Aborted at the very end. */
  readonly over: AbortController;
  /** What is found out later may not be written anywhere, either. */
  readonly keepSecret: (values: readonly string[]) => void;
}

/** `secrets` are known from the start; more may be kept later. */
export function newSession(
  parts: Omit<Session, "hide" | "keepSecret">,
  secrets: readonly string[],
): Session {
  let known = secrets;
  let hide = hiding(known);
  return {
    ...parts,
    hide: (text) => hide(text),
    keepSecret: (values) => {
      known = [...known, ...values];
      hide = hiding(known);
    },
  };
}

/** `2026-11-30T19-02Z-k4x`: sorts by time, differs within a minute. */
export function runName(wallMs: number): string {
  const minute = new Date(wallMs).toISOString().slice(0, 16).replace(":", "-");
  return `${minute}Z-${randomBytes(2).toString("hex")}`;
}
