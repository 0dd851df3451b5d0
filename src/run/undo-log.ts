// The record of changes, written before they are made: what a crashed run leaves for `heal`.
import { GatecrashError } from "../core/error.ts";
import type { Clock } from "../core/time.ts";
import type { UndoFile } from "./undo-file.ts";
import {
  encodeLine,
  foldLines,
  isOpen,
  type UndoEntry,
  type UndoFold,
  type UndoRecord,
  type UndoState,
} from "./undo-record.ts";

export interface UndoLog {
  readonly path: string;
  read(): Promise<UndoFold>;
  /**
   * Writes a new record; resolves when it is on disk. Rejects with GatecrashError("refused") when
   * the resource has an open record already: a second would take the faulted value as the original.
   */
  open(record: UndoRecord): Promise<void>;
  /** Writes that a record has reached a state. */
  mark(id: string, state: UndoState, detail?: string): Promise<void>;
}

export interface UndoLogOptions {
  readonly file: UndoFile;
  readonly clock: Clock;
  /** The run directory's copy; it may fail without consequence. */
  readonly copy?: UndoFile;
  /** Is the process that made this record still running? */
  readonly alive: (record: UndoRecord) => boolean;
}

export function createUndoLog(options: UndoLogOptions): UndoLog {
  const { file, clock, copy } = options;
  const append = async (text: string): Promise<void> => {
    await file.append(text);
    await copy?.append(text).catch(() => {}); // the copy is for readers of the run, not for undo
  };
  const read = async (): Promise<UndoFold> => foldLines(await file.read());
  return {
    path: file.path,
    read,
    async open(record: UndoRecord): Promise<void> {
      refuseOpen(besides((await read()).entries, record), record, options.alive);
      await append(encodeLine({ at: clock.wallMs(), state: "open", record }));
      // No lock: two runs may both have got here. Appends have one order, and the first one wins.
      const { entries } = await read();
      const own = entries.findIndex((entry) => entry.record.id === record.id);
      if (entries[own]?.state !== "open")
        throw new GatecrashError("undo", `the undo log did not keep a record: ${file.path}`);
      try {
        refuseOpen(besides(entries.slice(0, own), record), record, options.alive);
      } catch (refusal) {
        await append(encodeLine({ at: clock.wallMs(), state: "settled", id: record.id }));
        throw refusal;
      }
    },
    async mark(id: string, state: UndoState, detail?: string): Promise<void> {
      const more = detail === undefined ? {} : { detail };
      await append(encodeLine({ at: clock.wallMs(), state, id, ...more }));
    },
  };
}

/** Without what the same run changes of the same resource in other fields: each has its undo. */
function besides(entries: readonly UndoEntry[], record: UndoRecord): UndoEntry[] {
  const { run, owner, fields } = record;
  const isOurs = (other: UndoRecord): boolean =>
    other.run === run && other.owner.pid === owner.pid && other.owner.began === owner.began;
  return entries.filter(
    ({ record: other }) => !isOurs(other) || other.fields.some((field) => fields.includes(field)),
  );
}

type Alive = UndoLogOptions["alive"];

/** What a record is about: the resource, and where. */
type Place = Pick<UndoRecord, "resource" | "endpoint">;

/** Throws GatecrashError("refused") when an open record stands in the way of changing `place`. */
export function refuseOpen(entries: readonly UndoEntry[], place: Place, alive: Alive): void {
  for (const { record, state } of entries) {
    if (!isOpen(state) || record.resource !== place.resource) continue;
    const running = alive(record);
    // Two runs side by side, each with a local AWS of its own, do not meet.
    if (running && record.endpoint !== place.endpoint) continue;
    const who = `run ${record.run} (process ${record.owner.pid})`;
    throw new GatecrashError(
      "refused",
      running
        ? `${who} is changing ${record.resource} right now`
        : `${record.resource} was changed by ${who} and has not been put back`,
      {
        hint: running
          ? "wait for it to end, or stop it with Ctrl-C: it then undoes its change"
          : "put it back first: gatecrash heal",
      },
    );
  }
}
