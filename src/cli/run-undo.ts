// The undo log that a run writes to, and how its records name the run and its system.
import { rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { GatecrashError, messageOf } from "../core/error.ts";
import type { NotifySpec } from "../core/notice.ts";
import type { EnvironmentSpec } from "../core/scenario.ts";
import type { Clock } from "../core/time.ts";
import { lifeOf, markProcess } from "../run/process-mark.ts";
import type { RunPlace } from "../run/undo-entry.ts";
import { undoFile, undoLogPath } from "../run/undo-file.ts";
import { createUndoLog, type UndoLog } from "../run/undo-log.ts";
import type { UndoActor, UndoRecord } from "../run/undo-record.ts";
import { declaredFor } from "./account.ts";
import type { System } from "./system-contract.ts";

export function ownerAlive(record: UndoRecord): boolean {
  return lifeOf(record.owner) === "runs";
}

/** The user's log, with a copy for the readers of the run directory. */
export function undoLogOf(clock: Clock, dir: string): UndoLog {
  const file = undoFile(undoLogPath(process.env));
  return createUndoLog({ file, clock, alive: ownerAlive, copy: undoFile(join(dir, "undo.jsonl")) });
}

/** More than all the records of a run. */
const ROOM = Buffer.alloc(64 * 1_024);

/** Rejects when the user's log cannot be written, or its disk is full; adds nothing to it. */
export async function checkUndoLog(): Promise<void> {
  const path = undoLogPath(process.env);
  await undoFile(path).append("");
  const probe = `${path}.room-${process.pid}`;
  try {
    await writeFile(probe, ROOM, { mode: 0o600, flush: true });
  } catch (cause) {
    throw new GatecrashError("refused", `no room for the undo log: ${messageOf(cause)}`, {
      place: { file: path },
      hint: "without it nothing is injected: free some space, or set XDG_STATE_HOME elsewhere",
      cause,
    });
  } finally {
    await rm(probe, { force: true });
  }
}

export function placeOf(run: string, system: System, notify: readonly NotifySpec[] = []): RunPlace {
  const { endpoint, account, region, local, environment } = system;
  const owner = markProcess(process.pid);
  return {
    ...{ run, endpoint, account, region, owner, local: local && markProcess(local.pid) },
    ...(environment === null ? {} : { actor: actorOf(environment) }),
    ...(notify.length === 0 ? {} : { notify }),
  };
}

/** `heal` may be started in another folder, so a token's file is named in full. */
function actorOf(environment: EnvironmentSpec): UndoActor {
  const declared = declaredFor(environment, "restore");
  const { webIdentityFile: file } = declared;
  const identity = { ...declared, webIdentityFile: file === null ? null : resolve(file) };
  return { environment: environment.name, identity };
}
