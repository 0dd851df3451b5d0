// All faults of a run together: checked before the first write, undone newest first.
import type { Fault } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import { type Clock, US_PER_S } from "../core/time.ts";
import type { FaultRunner } from "./fault-runner.ts";
import { settledBy } from "./pace.ts";
import { refuseOpen, type UndoLog } from "./undo-log.ts";
import type { UndoRecord } from "./undo-record.ts";

/**
 * Before anything is sent: every ARN that a fault writes is in `allow.change`, and none has an open
 * undo record. Rejects with GatecrashError("refused"); the second names `gatecrash heal`.
 */
export async function preflight(
  faults: readonly Fault[],
  options: {
    readonly allowChange: readonly string[];
    readonly endpoint: string;
    readonly undoLog: UndoLog;
    readonly alive: (record: UndoRecord) => boolean;
    /** Rejects when nothing can be written to the undo log: then nothing may be injected. */
    readonly writable?: () => Promise<void>;
  },
): Promise<void> {
  for (const fault of faults) {
    const outside = fault.resources.find((arn) => !options.allowChange.includes(arn));
    if (outside === undefined) continue;
    throw new GatecrashError("refused", `fault ${fault.name} changes ${outside}`, {
      hint: "every ARN that a fault changes has to be listed under allow.change",
    });
  }
  if (faults.length === 0) return;
  const { entries } = await beforeAnything(() => options.undoLog.read());
  for (const resource of faults.flatMap((fault) => fault.resources)) {
    refuseOpen(entries, { resource, endpoint: options.endpoint }, options.alive);
  }
  await beforeAnything(async () => options.writable?.());
}

/** Nothing has been changed yet, so an undo log out of reach leaves nothing to put back. */
async function beforeAnything<T>(reach: () => Promise<T>): Promise<T> {
  try {
    return await reach();
  } catch (error) {
    if (!(error instanceof GatecrashError)) throw error;
    const { message, hint, place } = error;
    throw new GatecrashError("refused", message, {
      ...(hint === undefined ? {} : { hint }),
      ...(place === undefined ? {} : { place }),
      cause: error,
    });
  }
}

/** How long the next undo waits for the one before it. */
const PATIENCE_US = 2 * US_PER_S;

/**
 * Undoes newest first; one that is stuck delays the next by two seconds and never stops it. Never
 * rejects: what could not be put back is the errors it resolves to, each with the command to type.
 */
export async function restoreAll(
  newestFirst: readonly Pick<FaultRunner, "name" | "restore">[],
  clock: Clock,
): Promise<readonly unknown[]> {
  const endings: Promise<unknown>[] = [];
  for (const fault of newestFirst) {
    const ending = fault.restore().then(
      () => null,
      (error: unknown) => error ?? new Error(`fault ${fault.name} was not undone`),
    );
    endings.push(ending);
    await settledBy(ending, clock, clock.nowUs() + PATIENCE_US);
  }
  const failures = await Promise.all(endings);
  return failures.filter((failure) => failure !== null);
}
