// Puts one recorded change back: reads, compares three ways, writes only what is ours, reads again.
import { AwsFailure, type ControlPlane, type Fields } from "../core/change.ts";
import { sameField, sameFields } from "../core/fields.ts";
import { type Clock, US_PER_S } from "../core/time.ts";
import { otherHolder } from "./lease-calls.ts";
import { type Pace, pause, settledBy } from "./pace.ts";
import { readFields } from "./read-fields.ts";
import type { UndoRecord } from "./undo-record.ts";

export type PutBack =
  /** Read back and equal to the prior; `wrote` = an undo call was answered. */
  | { readonly kind: "verified"; readonly fields: Fields; readonly wrote: boolean }
  | Foreign
  | { readonly kind: "failed"; readonly detail: string };

/** Somebody else's by now, untouched. */
export type Foreign =
  /** Neither ours nor the prior. `fields` null = resource gone. */
  | { readonly kind: "drift"; readonly fields: Fields | null }
  /** Ours to look at, but another run has the lease: somebody had put ours back before. */
  | { readonly kind: "taken"; readonly by: string };

export interface PutBackPorts {
  readonly control: ControlPlane;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Run time at which it gives up. */
  readonly deadlineUs: number;
  /** False when nobody knows whether our inject call still is on its way to AWS. */
  readonly answered: boolean;
}

interface Settled {
  readonly is: "prior" | "ours" | "foreign";
  readonly fields: Fields | null;
  readonly revision: string;
}
type Reading = Settled | { readonly is: "busy"; readonly detail: string };

/**
 * Works from the record alone, and any number of times. Knows no abort: only its deadline ends it.
 *
 *   reading   the captured fields are …              then
 *   prior     … as recorded                          verified
 *   ours      … the fault's, or a mix of both        undo calls, read again
 *             … and another run holds the lease      taken, untouched
 *   foreign   … something else, or resource is gone  drift, untouched
 *   busy      … not yet what they will be            read again
 *
 * A reading of prior or foreign is believed at its second time, `settleUs` later, unless our own
 * answered undo call explains it: the first may be stale, or an inject call still on its way.
 */
export async function putBack(record: UndoRecord, ports: PutBackPorts): Promise<PutBack> {
  const { clock, pace, deadlineUs } = ports;
  let detail = "no answer in time";
  let wrote = false;
  let before: Settled | null = null;
  while (clock.nowUs() < deadlineUs) {
    try {
      const now = await read(record, ports);
      if (now.is === "busy") {
        before = null;
        detail = now.detail;
        await pause(clock, pace.retryUs, deadlineUs);
        continue;
      }
      if (now.is === "ours") {
        before = null;
        if (wrote) await pause(clock, pace.retryUs, deadlineUs); // answered, yet not seen
        const by = await holderOf(record, ports);
        if (by !== null) return { kind: "taken", by };
        await write(record, now.revision, ports);
        wrote = true;
        continue;
      }
      const explained = now.is === "prior" && wrote && ports.answered;
      if (explained || (before !== null && same(record, before, now))) return close(now, wrote);
      before = now;
      await pause(clock, pace.settleUs, deadlineUs);
    } catch (error) {
      if (!(error instanceof AwsFailure)) throw error;
      detail = `${error.name}: ${error.message}`;
      await pause(clock, pace.retryUs, deadlineUs);
    }
  }
  return { kind: "failed", detail };
}

/** Longest time to ask who holds the lease; at most half of what is left. */
const HOLDER_US = 5 * US_PER_S;

/**
 * The other run that holds the lease, or null. Where the scheduler does not say, nobody does: to
 * end another run's fault early is a smaller harm than to leave ours in force.
 */
async function holderOf(record: UndoRecord, ports: PutBackPorts): Promise<string | null> {
  const nowUs = ports.clock.nowUs();
  const untilUs = nowUs + Math.min(HOLDER_US, (ports.deadlineUs - nowUs) / 2);
  try {
    return await otherHolder(record, ports, untilUs);
  } catch (error) {
    if (error instanceof AwsFailure) return null;
    throw error;
  }
}

function close(now: Settled, wrote: boolean): PutBack {
  if (now.is === "prior" && now.fields !== null) {
    return { kind: "verified", fields: now.fields, wrote };
  }
  return { kind: "drift", fields: now.fields };
}

function same(record: UndoRecord, before: Settled, now: Settled): boolean {
  if (before.fields === null || now.fields === null) return before.fields === now.fields;
  return sameFields(before.fields, now.fields, record.fields);
}

async function read(record: UndoRecord, ports: PutBackPorts): Promise<Reading> {
  try {
    const now = await bounded(readFields(ports.control, record.readBack), ports);
    if (now.transition !== "") return { is: "busy", detail: now.transition };
    const { fields, revision } = now;
    return { is: classify(record, fields), fields, revision };
  } catch (error) {
    if (!isGone(error)) throw error;
    return { is: "foreign", fields: null, revision: "" };
  }
}

/** The prior is asked first: where it equals the fault's value there is nothing to write. */
function classify(record: UndoRecord, now: Fields): Settled["is"] {
  if (sameFields(now, record.prior, record.fields)) return "prior";
  const explained = record.fields.every(
    (name) => sameField(now, record.prior, name) || sameField(now, record.faulted, name),
  );
  return explained ? "ours" : "foreign";
}

/** Calls that AWS refuses (412) when the resource is not the one that was read any more. */
const COMPARED = ["UpdateFunctionConfiguration", "UpdateAlias"];

/** Where AWS can compare and set, what somebody writes behind our reading is not overwritten. */
async function write(record: UndoRecord, revision: string, ports: PutBackPorts): Promise<void> {
  for (const { service, action, input } of record.undo) {
    const isCompared = revision !== "" && record.undo.length === 1 && COMPARED.includes(action);
    const asRead = isCompared ? { ...input, RevisionId: revision } : input;
    await bounded(ports.control.call(service, action, asRead), ports);
  }
}

async function bounded<T>(call: Promise<T>, ports: PutBackPorts): Promise<T> {
  const result = await settledBy(call, ports.clock, ports.deadlineUs);
  if (result === "late") throw new AwsFailure("TimeoutError", "no answer in time", "", 0);
  return result;
}

/** SQS has a name of its own for it, and an older one. */
const GONE = [
  "ResourceNotFoundException",
  "QueueDoesNotExist",
  "AWS.SimpleQueueService.NonExistentQueue",
];

/** True when AWS says that the resource does not exist (any more). */
function isGone(error: unknown): boolean {
  return error instanceof AwsFailure && GONE.includes(error.name);
}
