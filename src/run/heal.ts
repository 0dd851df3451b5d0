// Finishes what a dead run left: every open record is put back, or settled with the reason why not.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { messageOf } from "../core/error.ts";
import { sameFields, showField } from "../core/fields.ts";
import type { Clock } from "../core/time.ts";
import { heldUntil, removeLease } from "./lease-calls.ts";
import type { LeaseNote } from "./lease-note.ts";
import { paceOf } from "./pace.ts";
import type { Life } from "./process-mark.ts";
import { putBack } from "./put-back.ts";
import { readFields } from "./read-fields.ts";
import {
  armedText,
  disarmCommand,
  heldBy,
  isLeaseOf,
  mayBeAlive,
  showFields,
} from "./undo-entry.ts";
import type { UndoLog } from "./undo-log.ts";
import { isUnfinished, type UndoEntry, type UndoRecord, type UndoState } from "./undo-record.ts";

export interface HealPorts {
  readonly undoLog: UndoLog;
  readonly clock: Clock;
  /** The control plane of a record's endpoint and region; rejects when it may not be used. */
  readonly connect: (record: UndoRecord) => Promise<ControlPlane>;
  /**
   * The process that made the record. While it runs its own undo is left to it; where nobody can
   * tell it is, as long as its lease holds.
   */
  readonly owner: (record: UndoRecord) => Life;
  /** What is said of a record whose owner is alive. */
  readonly busy?: (record: UndoRecord) => string;
  /** Is the local AWS that the run started known to be gone? False where it did not start it. */
  readonly localGone: (record: UndoRecord) => boolean;
  /** Asks a local AWS that a run started to end, once all of its records are settled. */
  readonly stopLocal: (endpoint: string) => Promise<void>;
  /** Longest time for one record. */
  readonly undoUs: number;
  readonly dryRun: boolean;
}

export type HealOutcome = "verified" | "settled" | "void" | "drift" | "failed" | "busy" | "would";

export interface Healed {
  readonly record: UndoRecord;
  readonly outcome: HealOutcome;
  /** One sentence for a person. */
  readonly line: string;
  /** What a person would type who does it by hand; "" = there is nothing to write. */
  readonly command: string;
}

export interface HealReport {
  /** Newest first. */
  readonly healed: readonly Healed[];
  /** Endpoints of local AWS that were stopped. */
  readonly stopped: readonly string[];
  /** Lines of the log that could not be read. */
  readonly torn: number;
  /** A sentence for each schedule that was left because nobody can tell whose it is. */
  readonly unclear: readonly string[];
  /** True when nothing of ours is left (or, on a dry run, when nothing stands in the way). */
  readonly clean: boolean;
}

const CLEAN: readonly HealOutcome[] = ["verified", "settled", "void", "would"];

/** Any number of times: records that are settled are not looked at again. */
export async function heal(ports: HealPorts): Promise<HealReport> {
  const { entries, torn } = await ports.undoLog.read();
  const healed: Healed[] = [];
  for (const entry of entries.filter(isUnfinished).reverse()) {
    healed.push(await healOne(entry, ports));
  }
  const stopped = ports.dryRun ? [] : await stopFinished(entries, healed, ports);
  const clean = healed.every(({ outcome }) => CLEAN.includes(outcome));
  return { healed, stopped, torn, unclear: [], clean };
}

async function healOne(entry: UndoEntry, ports: HealPorts): Promise<Healed> {
  const { record } = entry;
  const ended: End = (outcome, line, command = record.command) => ({
    record,
    outcome,
    line: `${record.resource}: ${line}  (fault ${record.fault} of run ${record.run})`,
    command,
  });
  if (ports.owner(record) === "runs") {
    const text = `left alone: its run is alive (process ${record.owner.pid}), stop that first`;
    return ended("busy", ports.busy?.(record) ?? text);
  }
  try {
    return await settle(entry, ports, ended);
  } catch (error) {
    const why = whyOf(error);
    if (!ports.dryRun) await mark(ports, record, "failed", why);
    return ended("failed", `NOT UNDONE: ${why}; ${doNow(record)}`);
  }
}

type End = (outcome: HealOutcome, line: string, command?: string) => Healed;

const whyOf = (error: unknown): string =>
  error instanceof AwsFailure ? `${error.name}: ${error.message}` : messageOf(error);

async function settle(entry: UndoEntry, ports: HealPorts, ended: End): Promise<Healed> {
  const { record, state } = entry;
  const close = (as: UndoState & HealOutcome, line: string): Promise<Healed> =>
    recorded(record, as, line, ports, ended);
  const isUntouched = state === "open" && record.undo.length > 0;
  const never = "recorded but never changed, nothing to undo";
  if (isUntouched && record.leases === undefined) return close("settled", never);
  const gone = `void: its local AWS at ${record.endpoint} is gone, and the change with it`;
  if (ports.localGone(record)) return close("void", gone);
  const control = await ports.connect(record);
  if (await isRefused(record, control)) return close("void", gone);
  const { clock } = ports;
  const pace = paceOf(record.endpoint);
  const isUnknown = ports.owner(record) === "unknown";
  const heldMs = isUnknown ? await heldUntil(record, { control, clock, pace }) : 0;
  if (heldMs > clock.wallMs()) return ended("busy", mayBeAlive(record, heldMs));
  const free = (as: UndoState & HealOutcome, line: string): Promise<Healed> =>
    releaseLeases(record, control, ports).then(
      () => close(as, line),
      (error: unknown) => armed(record, line, error, ended),
    );
  if (isUntouched) return free("settled", never);
  const given = ports.dryRun ? "would be given up" : "is given up now";
  if (state === "verified") return free("settled", `was put back, its lease ${given}`);
  if (ports.dryRun) return preview(record, control, ended);
  await mark(ports, record, "restoring");
  const deadlineUs = clock.nowUs() + ports.undoUs;
  // What the dead process had sent may have had no answer: then one reading is not believed.
  const answered = state === "injected";
  const result = await putBack(record, { control, clock, pace, deadlineUs, answered });
  if (result.kind === "failed") throw new Error(result.detail);
  if (result.kind === "taken") {
    await mark(ports, record, "failed", heldBy(result.by));
    return ended("busy", `left alone: ${heldBy(result.by)}; heal again when that is over`);
  }
  if (result.kind === "verified") {
    await mark(ports, record, "verified");
    const back = result.wrote ? "put back" : "was back already";
    return free("settled", `${back}: ${restored(record)}`);
  }
  const is = result.fields === null ? "it is gone" : showFields(record, result.fields);
  const was = showFields(record, record.prior).replaceAll(" is ", " was ");
  return free("drift", `DRIFT: somebody else changed it (${is}; ${was}), not touched`);
}

async function recorded(
  { id }: UndoRecord,
  as: UndoState & HealOutcome,
  line: string,
  { undoLog, dryRun }: HealPorts,
  ended: End,
): Promise<Healed> {
  try {
    if (!dryRun) await undoLog.mark(id, as, line);
    return ended(as, line);
  } catch (error) {
    return ended("failed", `${line}, but that could not be recorded: ${messageOf(error)}`);
  }
}

/** Its record stays unfinished, so that the next `heal` tries to delete the schedule again. */
function armed(record: UndoRecord, line: string, error: unknown, ended: End): Healed {
  const command = disarmCommand(record);
  return ended("failed", `${line}, but ${armedText(whyOf(error))}; do now: ${command}`, command);
}

async function releaseLeases(
  record: UndoRecord,
  control: ControlPlane,
  { clock, undoUs, dryRun }: HealPorts,
): Promise<void> {
  if (dryRun) return;
  const ports = { control, clock, pace: paceOf(record.endpoint) };
  const isOurs = (note: LeaseNote | null): boolean => isLeaseOf(record, note);
  await removeLease(record.leases ?? [], isOurs, ports, clock.nowUs() + undoUs);
}

/** Nobody listens on a loopback port: whatever state that local AWS held has ended with it. */
async function isRefused(record: UndoRecord, control: ControlPlane): Promise<boolean> {
  if (record.endpoint === "aws") return false;
  const { service, action, input } = record.readBack;
  try {
    await control.call(service, action, input);
    return false;
  } catch (error) {
    return error instanceof AwsFailure && error.status === 0 && error.name === "ECONNREFUSED";
  }
}

async function preview(record: UndoRecord, control: ControlPlane, ended: End): Promise<Healed> {
  const { fields } = record.readBack;
  const { fields: now } = await readFields(control, record.readBack);
  if (sameFields(now, record.prior, fields)) {
    return ended("would", `is back already: ${restored(record)}`);
  }
  if (!sameFields(now, record.faulted, fields)) {
    return ended("drift", `DRIFT: ${showFields(record, now)}; would not be touched`);
  }
  return ended("would", `would be put back: ${restored(record)}, by ${record.command}`);
}

/** `ReservedConcurrentExecutions 0 → unset, verified`. */
function restored(record: UndoRecord): string {
  const { fields, faulted, prior } = record;
  const each = fields.map(
    (name) => `${name} ${showField(faulted, name)} → ${showField(prior, name)}`,
  );
  return each.join(", ");
}

function doNow(record: UndoRecord): string {
  return record.command === "" ? "look at it" : `do now: ${record.command}`;
}

/** The log may be unwritable (a full disk): what counts is the system, so healing goes on. */
async function mark(ports: HealPorts, record: UndoRecord, state: UndoState, detail?: string) {
  await ports.undoLog.mark(record.id, state, detail).catch(() => {});
}

/** Every local AWS of a dead run that still runs and has nothing left to put back. */
async function stopFinished(
  entries: readonly UndoEntry[],
  healed: readonly Healed[],
  ports: HealPorts,
): Promise<string[]> {
  const needed = healed.filter(({ outcome }) => outcome === "failed" || outcome === "busy");
  const keep = new Set(needed.map(({ record }) => record.endpoint));
  const left = entries.filter(
    ({ record }) =>
      record.local !== null && ports.owner(record) === "ended" && !ports.localGone(record),
  );
  const stopped: string[] = [];
  for (const endpoint of new Set(left.map(({ record }) => record.endpoint))) {
    if (keep.has(endpoint)) continue;
    try {
      await ports.stopLocal(endpoint);
      stopped.push(endpoint);
    } catch {
      // It ends by itself once it is idle.
    }
  }
  return stopped;
}
