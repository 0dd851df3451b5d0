// An undo record for one fault, and how changes read in messages.
import type { Fault, Fields } from "../core/change.ts";
import { commandsOf } from "../core/command.ts";
import { GatecrashError } from "../core/error.ts";
import { sameField, showField } from "../core/fields.ts";
import { formatMinute } from "../core/format.ts";
import type { NotifySpec } from "../core/notice.ts";
import type { LeaseNote } from "./lease-note.ts";
import { LEASE_GROUP } from "./lease-record.ts";
import type { ProcessMark, UndoActor, UndoRecord } from "./undo-record.ts";

/** Where a run's changes are made, and by whom: written into every record. */
export interface RunPlace {
  readonly run: string;
  /** Loopback URL, or `aws`. */
  readonly endpoint: string;
  readonly account: string;
  readonly region: string;
  /** This process. */
  readonly owner: ProcessMark;
  /** The local AWS that this run started, null for any other. */
  readonly local: ProcessMark | null;
  /** Absent where no environment was chosen. */
  readonly actor?: UndoActor;
  readonly notify?: readonly NotifySpec[];
}

/** The record of one fault; `at` makes its id unique where a run id is used twice. */
export function recordOf(fault: Fault, prior: Fields, place: RunPlace, at: number): UndoRecord {
  const undo = fault.undo(prior);
  return {
    v: 1,
    id: `${place.run}/${fault.name}/${place.owner.pid}-${at}`,
    run: place.run,
    fault: fault.name,
    kind: fault.kind,
    endpoint: place.endpoint,
    local: place.local,
    account: place.account,
    region: place.region,
    resource: fault.resources[0] ?? "",
    owner: place.owner,
    fields: fault.read.fields,
    prior,
    faulted: fault.faulted,
    undo,
    readBack: fault.read,
    command: commandsOf(undo, place),
    ...(place.actor === undefined ? {} : { actor: place.actor }),
    ...(place.notify === undefined ? {} : { notify: place.notify }),
  };
}

/** `ReservedConcurrentExecutions unset → 0`; of several fields, those that change. */
export function showChange({ fields, prior, faulted }: UndoRecord): string {
  const changed = fields.filter((name) => !sameField(prior, faulted, name));
  return (changed.length > 0 ? changed : fields)
    .map((name) => `${name} ${showField(prior, name)} → ${showField(faulted, name)}`)
    .join(", ");
}

export function showFields(record: UndoRecord, of: Fields): string {
  return record.fields.map((name) => `${name} is ${showField(of, name)}`).join(", ");
}

/** What is there instead of ours; null = the resource itself is gone. */
export function showDrift(record: UndoRecord, now: Fields | null): string {
  const is = now === null ? "the resource is gone" : showFields(record, now);
  const was = showFields(record, record.prior).replaceAll(" is ", " was ");
  return `${is}, ${was}; not touched, see first who wants that`;
}

export const heldBy = (run: string): string =>
  `run ${run} holds it now, so somebody had put ours back before`;

/** Of a lease whose holder cannot be seen from here. */
export function mayBeAlive({ run }: UndoRecord, dueMs: number): string {
  return (
    "left alone: its run began on another machine, in another container or before a restart, " +
    `and holds it until ${formatMinute(dueMs)}; ` +
    `when you know it dead: gatecrash abort ${run} --dead`
  );
}

/** The error of a change whose lease another run has by now: what is in force is that run's. */
export function takenOver({ resource }: UndoRecord, by: string): GatecrashError {
  const hint = "gatecrash heal, when that run is over, sees to it that it is put back";
  return new GatecrashError("undo", `LEFT ALONE ${resource}: ${heldBy(by)}`, { hint });
}

/** The error of a change that somebody else has replaced by their own. */
export function drifted({ resource, command }: UndoRecord, detail: string): GatecrashError {
  const text = `DRIFT ${resource}: somebody else changed it meanwhile: ${detail}`;
  const hint = command === "" ? "look at it" : `if it is wrong: ${command}`;
  return new GatecrashError("undo", text, { hint });
}

/** The error of a change that is still in place, with the command that a person would type. */
export function notUndone(record: UndoRecord, why: string): GatecrashError {
  const { resource, faulted, prior, command } = record;
  const was = showFields(record, prior).replaceAll(" is ", " was ");
  const state = `${showFields(record, faulted)} unless somebody changed it, ${was}`;
  return new GatecrashError("undo", `NOT UNDONE ${resource}: ${state} (${why})`, {
    hint: command === "" ? "nothing was written; look at it" : `do now: ${command}`,
  });
}

/** The error of a change that is back, while its dead-man would still write the prior again. */
export function stillArmed(record: UndoRecord, why: string): GatecrashError {
  const text = `${record.resource} is put back, but ${armedText(why)}`;
  return new GatecrashError("undo", text, { hint: `do now: ${disarmCommand(record)}` });
}

export const armedText = (why: string): string => `its dead-man could not be deleted (${why})`;

/**
 * Whether the lease under a record's name is its own, and not another run's. Throws
 * GatecrashError("undo") when somebody has edited its description, so that nobody can tell.
 */
export function isLeaseOf({ run, fault, leases = [] }: UndoRecord, note: LeaseNote | null) {
  if (note !== null) return note.run === run && note.fault === fault;
  throw new GatecrashError(
    "undo",
    `somebody has edited schedule ${leases[0]}, which no longer says whose it is; delete it ` +
      "unless another run is changing the same",
  );
}

/** What a person would type so that no dead-man of this change acts any more. */
export function disarmCommand(record: UndoRecord): string {
  const calls = (record.leases ?? []).map((name) => {
    const input = { Name: name, GroupName: LEASE_GROUP };
    return { service: "scheduler", action: "DeleteSchedule", input };
  });
  return commandsOf(calls, record);
}
