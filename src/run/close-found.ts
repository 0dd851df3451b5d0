// Records whose change somebody has put back from elsewhere: found so, and closed. Reads AWS only.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import { sameFields } from "../core/fields.ts";
import { type Clock, US_PER_S } from "../core/time.ts";
import { lookAt } from "./lease-calls.ts";
import { paceOf, pause } from "./pace.ts";
import { readFields } from "./read-fields.ts";
import { showFields } from "./undo-entry.ts";
import type { UndoLog } from "./undo-log.ts";
import { isUnfinished, type UndoRecord } from "./undo-record.ts";

export interface FoundPorts {
  readonly undoLog: UndoLog;
  readonly clock: Clock;
  /** Where a record was made; null = not to be looked at. Rejects when it may not be used. */
  readonly connect: (record: UndoRecord) => Promise<ControlPlane | null>;
  readonly ownerAlive: (record: UndoRecord) => boolean;
}

export interface Found {
  readonly record: UndoRecord;
  /** One sentence for a person. */
  readonly line: string;
}

export interface FoundReport {
  readonly closed: readonly Found[];
  /** Of dead runs, and still to be healed. */
  readonly open: readonly UndoRecord[];
}

const READ_US = 10 * US_PER_S;

/**
 * A record of a dead run is closed when nobody holds its lease any more and two readings say that
 * everything is as before: `heal` on another machine, a person or the dead-man has put it back.
 * Whatever cannot be read stays open, for `heal`.
 */
export async function closeFound(ports: FoundPorts): Promise<FoundReport> {
  const { undoLog, ownerAlive } = ports;
  const { entries } = await undoLog.read();
  const closed: Found[] = [];
  const open: UndoRecord[] = [];
  for (const { record } of entries.filter(isUnfinished)) {
    if (ownerAlive(record)) continue;
    if (!(await isBack(record, ports))) {
      open.push(record);
      continue;
    }
    try {
      await undoLog.mark(record.id, "settled", "was found put back, by whoever");
    } catch (error) {
      if (!(error instanceof GatecrashError)) throw error;
      open.push(record); // whoever can write the log closes it
      continue;
    }
    const line = `${record.resource}: found put back (${showFields(record, record.prior)})`;
    closed.push({ record, line: `${line}  (fault ${record.fault} of run ${record.run})` });
  }
  return { closed, open };
}

async function isBack(record: UndoRecord, { connect, clock }: FoundPorts): Promise<boolean> {
  try {
    const control = await connect(record);
    if (control === null) return false;
    const pace = paceOf(record.endpoint);
    const untilUs = clock.nowUs() + READ_US;
    if (!(await isAsBefore(record, control))) return false;
    for (const name of record.leases ?? [])
      if ((await lookAt(name, { control, clock, pace }, untilUs)) !== "none") return false;
    await pause(clock, pace.settleUs, untilUs);
    return await isAsBefore(record, control);
  } catch (error) {
    if (error instanceof AwsFailure || error instanceof GatecrashError) return false;
    throw error;
  }
}

async function isAsBefore({ readBack, prior }: UndoRecord, control: ControlPlane) {
  const { fields, transition } = await readFields(control, readBack);
  return transition === "" && sameFields(fields, prior, readBack.fields);
}
