// One line of the undo log, and how lines fold into the state of each change.
import type { Change, Fields, ReadBack } from "../core/change.ts";
import type { NotifySpec } from "../core/notice.ts";
import type { IdentitySpec } from "../core/scenario.ts";

/**
 *   from                                      to
 *   open                                      injecting, or settled (nothing was written)
 *   injecting                                 injected, restoring
 *   injected                                  restoring
 *   restoring, failed                         verified, then settled
 *   restoring, failed                         failed  (still open: heal tries again)
 *   restoring, failed                         drift   (somebody else changed it: untouched)
 *   any open one                              void    (its local AWS is gone, with the change)
 */
export const UNDO_STATES = [
  "open", // recorded, nothing written to AWS yet
  "injecting", // the write may or may not have happened
  "injected",
  "restoring",
  "failed",
  "verified",
  "settled",
  "void",
  "drift",
] as const;
export type UndoState = (typeof UNDO_STATES)[number];

/** In these states something of ours may still be in place. */
const UNDONE: readonly UndoState[] = ["verified", "settled", "void", "drift"];

export function isOpen(state: UndoState): boolean {
  return !UNDONE.includes(state);
}

/** Put back or not, its lease is still to be given up. */
export function isUnfinished({ state, record }: UndoEntry): boolean {
  return isOpen(state) || (state === "verified" && (record.leases?.length ?? 0) > 0);
}

/** A process: its id, and when it began where the system tells (ids are used again). */
export interface ProcessMark {
  readonly pid: number;
  readonly began: string | null;
  /** Among which processes the id holds; null where the system does not say, absent in old logs. */
  readonly among?: string | null;
}

/** Who puts back: names of a profile, roles and files, and references; never a secret's value. */
export interface UndoActor {
  /** Of the scenario. */
  readonly environment: string;
  readonly identity: IdentitySpec;
}

/** Everything that undo needs, written before the change is made. Holds changed fields only. */
export interface UndoRecord {
  readonly v: 1;
  readonly id: string;
  readonly run: string;
  /** Name of the fault in its scenario. */
  readonly fault: string;
  readonly kind: string;
  /** Loopback URL, or `aws`. */
  readonly endpoint: string;
  /** The local AWS that the run started for itself; null = it was there before, or it is AWS. */
  readonly local: ProcessMark | null;
  readonly account: string;
  readonly region: string;
  readonly resource: string;
  readonly owner: ProcessMark;
  readonly fields: readonly string[];
  /** A field of `fields` that is absent here was unset. */
  readonly prior: Fields;
  readonly faulted: Fields;
  /** Empty when the prior equals the fault's value: nothing was written, undo only reads. */
  readonly undo: readonly Change[];
  readonly readBack: { readonly service: string } & ReadBack;
  /** What a person would type to undo it by hand; "" when there is nothing to write. */
  readonly command: string;
  /** Schedules that hold its lease and its dead-man; none where there is no scheduler. */
  readonly leases?: readonly string[];
  /** Absent where no environment was chosen. */
  readonly actor?: UndoActor;
  /** Who is told when it cannot be put back; references, never secrets. Absent = nobody. */
  readonly notify?: readonly NotifySpec[];
}

/** A record with its latest state; `at` is ms since 1970. */
export interface UndoEntry {
  readonly record: UndoRecord;
  readonly state: UndoState;
  readonly at: number;
  readonly detail: string | null;
}

export type UndoLine =
  | { readonly at: number; readonly state: "open"; readonly record: UndoRecord }
  | {
      readonly at: number;
      readonly state: UndoState;
      readonly id: string;
      readonly detail?: string;
    };

export function encodeLine(line: UndoLine): string {
  return `${JSON.stringify(line)}\n`;
}

export interface UndoFold {
  /** In the order in which the records were opened. */
  readonly entries: readonly UndoEntry[];
  /** Lines that are no record: cut off when their writer died, before it did anything. */
  readonly torn: number;
}

/**
 * A line without its end was cut off by a crash. It is ignored: a change is made only after its
 * line is on disk, so a torn line stands for something that never happened.
 */
export function foldLines(text: string): UndoFold {
  const entries = new Map<string, UndoEntry>();
  let torn = 0;
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  if (last !== "") torn++;
  for (const each of lines) {
    if (each === "") continue;
    const line = decodeLine(each);
    if (line === null) torn++;
    else fold(entries, line);
  }
  return { entries: [...entries.values()], torn };
}

function fold(entries: Map<string, UndoEntry>, line: UndoLine): void {
  if ("record" in line) {
    // The first record of an id stands: a second one would hold the faulted value as its prior.
    if (entries.has(line.record.id)) return;
    entries.set(line.record.id, { record: line.record, state: "open", at: line.at, detail: null });
    return;
  }
  const known = entries.get(line.id);
  if (known === undefined) return;
  // A closed record is never opened again, whatever comes late.
  if (!isOpen(known.state) && isOpen(line.state)) return;
  const { state, at, detail = null } = line;
  entries.set(line.id, { record: known.record, state, at, detail });
}

function decodeLine(text: string): UndoLine | null {
  try {
    const line = JSON.parse(text) as Partial<UndoLine> & { record?: UndoRecord; id?: string };
    if (typeof line !== "object" || line === null) return null;
    if (!UNDO_STATES.includes(line.state as UndoState)) return null;
    if (line.record !== undefined) return isRecord(line.record) ? (line as UndoLine) : null;
    return typeof line.id === "string" ? (line as UndoLine) : null;
  } catch {
    return null;
  }
}

function isRecord(record: UndoRecord): boolean {
  return (
    record.v === 1 &&
    typeof record.id === "string" &&
    typeof record.resource === "string" &&
    Array.isArray(record.fields) &&
    Array.isArray(record.undo)
  );
}
