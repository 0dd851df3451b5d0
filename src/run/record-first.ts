// All that comes before a change: prior, lease, record on disk, and the undo proven as a no-op.
import type { ControlPlane, Fault, Fields } from "../core/change.ts";
import { AwsFailure } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import { sameFields } from "../core/fields.ts";
import { type CallPorts, injectCall, readPrior } from "./inject-calls.ts";
import { Lease, type LeaseTerms } from "./lease.ts";
import { lookAt } from "./lease-calls.ts";
import { leaseNames } from "./lease-record.ts";
import { pause } from "./pace.ts";
import { type RunPlace, recordOf } from "./undo-entry.ts";
import type { UndoLog } from "./undo-log.ts";
import type { UndoRecord } from "./undo-record.ts";

export interface RecordPorts extends CallPorts {
  readonly undoLog: UndoLog;
  readonly place: RunPlace;
  /** Null: this system has no scheduler, so there is the record on disk alone. */
  readonly lease: LeaseTerms | null;
  /** With the identity that will put back. */
  readonly restoring: ControlPlane;
}

export interface Recorded {
  readonly record: UndoRecord;
  readonly lease: Lease | null;
}

/** Somebody else keeps changing the fields: after so many times it is their turn. */
const PRIOR_TRIES = 3;
const RELEASE_US = 10_000_000;
/** Faults are prepared ten seconds ahead, and one before it takes its time to be put back. */
const OWN_US = 20_000_000;

/** Nothing is changed yet. Whatever it rejects with, it has taken back what it had taken. */
export async function recordFirst(fault: Fault, ports: RecordPorts): Promise<Recorded> {
  const { undoLog, place, clock, lease: terms } = ports;
  for (let tried = 1; ; tried++) {
    const record = await ownBefore(fault, ports, async () => {
      const found = recordOf(fault, await readPrior(fault, ports), place, clock.wallMs());
      refuseSecrets(fault, found);
      const named = terms === null ? found : { ...found, leases: leaseNames(found) };
      // Before the lease: a process that dies behind that leaves no schedule that `heal` knows not.
      await undoLog.open(named);
      return named;
    });
    if (terms === null) return { record, lease: null };
    const lease = new Lease(record, terms, ports);
    if (await isHeld(fault, record, lease, ports)) return { record, lease };
    if (tried >= PRIOR_TRIES) throw restless(fault);
  }
}

/** False when the prior is another one by now: then all of it is given up. */
async function isHeld(
  fault: Fault,
  record: UndoRecord,
  lease: Lease,
  ports: RecordPorts,
): Promise<boolean> {
  try {
    ports.signal.throwIfAborted();
    await lease.take();
    if (await isStill(record.prior, fault, ports)) {
      ports.signal.throwIfAborted();
      lease.keep();
      await prove(fault, record, ports);
      return true;
    }
  } catch (error) {
    await giveUp(record, lease, ports).catch(() => {}); // it goes when it is due; `heal` sees it
    throw error;
  }
  await giveUp(record, lease, ports);
  return false;
}

async function giveUp(record: UndoRecord, lease: Lease, ports: RecordPorts): Promise<void> {
  await lease.release(ports.clock.nowUs() + RELEASE_US);
  await ports.undoLog.mark(record.id, "settled", "never injected");
}

/**
 * Again where it is refused because a fault of our own, just before this one, is still in force or
 * being put back: its lease says so.
 */
async function ownBefore<T>(fault: Fault, ports: RecordPorts, read: () => Promise<T>): Promise<T> {
  const { clock, pace, signal } = ports;
  const untilUs = clock.nowUs() + OWN_US;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const refused = error instanceof GatecrashError && error.code === "refused";
      const mayPass = refused && clock.nowUs() < untilUs && (await isHeldByUs(fault, ports));
      if (!mayPass) throw error;
      await pause(clock, pace.retryUs, untilUs);
      signal.throwIfAborted();
    }
  }
}

async function isHeldByUs({ resources, read }: Fault, ports: RecordPorts): Promise<boolean> {
  const { lease: terms, place, clock } = ports;
  if (terms === null) return false;
  const [name = ""] = leaseNames({ resource: resources[0] ?? "", fields: read.fields, undo: [] });
  const held = await lookAt(name, ports, clock.nowUs() + OWN_US);
  const note = typeof held === "string" ? null : held.note;
  return note?.run === place.run && note.by === terms.by;
}

/** Read again: before the lease, another run may have been putting back what we took for prior. */
async function isStill(prior: Fields, fault: Fault, ports: RecordPorts): Promise<boolean> {
  // Later, so that a stale first reading has had time to become a true one.
  await pause(ports.clock, ports.pace.settleUs, Number.POSITIVE_INFINITY);
  return sameFields(prior, await readPrior(fault, ports), fault.read.fields);
}

/** The undo's own calls, while they change nothing: a right that is missing is found now. */
async function prove(fault: Fault, record: UndoRecord, ports: RecordPorts): Promise<void> {
  if (record.undo.length === 0 || fault.unproven === true) return;
  const proving = { ...ports, control: ports.restoring };
  try {
    for (const change of record.undo) await injectCall(fault, change, proving);
  } catch (error) {
    const cause = error instanceof GatecrashError ? error.cause : error;
    if (!(cause instanceof AwsFailure)) throw error;
    const why = `${cause.name}: ${cause.message}`;
    const text = `fault ${fault.name}: its undo would be refused, so nothing was changed: ${why}`;
    throw new GatecrashError("refused", text, { cause, hint: `it is: ${record.command}` });
  }
  const now = await readPrior(fault, proving);
  if (!sameFields(now, record.prior, record.fields)) throw restless(fault);
}

/** What a schedule or a log holds can be read by more people than the resource itself. */
function refuseSecrets(fault: Fault, record: UndoRecord): void {
  const isSecret = [...record.undo, ...fault.inject(record.prior)].some(({ secret }) => secret);
  if (!isSecret) return;
  throw new GatecrashError(
    "refused",
    `fault ${fault.name}: what ${record.resource} was before may hold secrets`,
    { hint: "they would be in the undo record and in a schedule; nothing was changed" },
  );
}

function restless(fault: Fault): GatecrashError {
  const text = `fault ${fault.name}: somebody else is changing ${fault.resources.join(", ")}`;
  return new GatecrashError("refused", text, { hint: "nothing was changed; try again later" });
}
