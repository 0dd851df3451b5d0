// The undo log that a run writes to, and how its records name the run and its system.
import { join } from "node:path";
import type { Clock } from "../core/time.ts";
import { isRunning, markProcess } from "../run/process-mark.ts";
import { undoFile, undoLogPath } from "../run/undo-file.ts";
import { createUndoLog, type UndoLog } from "../run/undo-log.ts";
import type { UndoRecord } from "../run/undo-record.ts";
import type { System } from "./system-contract.ts";

export function ownerAlive(record: UndoRecord): boolean {
  return isRunning(record.owner);
}

/** The user's log, with a copy for the readers of the run directory. */
export function undoLogOf(clock: Clock, dir: string): UndoLog {
  const file = undoFile(undoLogPath(process.env));
  return createUndoLog({ file, clock, alive: ownerAlive, copy: undoFile(join(dir, "undo.jsonl")) });
}

/** Rejects when nothing can be added to the user's log; adds nothing. */
export function checkUndoLog(): Promise<void> {
  return undoFile(undoLogPath(process.env)).append("");
}

export function placeOf(run: string, { endpoint, account, region, local }: System) {
  const owner = markProcess(process.pid);
  return { run, endpoint, account, region, owner, local: local && markProcess(local.pid) };
}
