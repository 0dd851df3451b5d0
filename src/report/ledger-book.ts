// Double entry, event by event: what was sent on one side, what the sink held on the other.
import { requestKey } from "../core/ids.ts";
import { KeyTable } from "../core/key-table.ts";
import { ACTED, type Acted, GIVEN_UP, NEVER_SENT } from "./arrival-table.ts";
import { Codes, grown } from "./growing.ts";

/** Where an event of the plan stands once both sides are known. */
export type Kind =
  | "matched"
  | "lost" // acknowledged, or refused until its sender gave up, and not there
  | "duplicated" // there more than once
  | "undecided" // not there, and nobody knows whether it was accepted
  | "unexpected" // there, though it was never sent, or refused every time
  | "misplaced" // there once, in another cell than its own
  | "not-sent"; // not there, and never sent

/** The kinds that are differences, in the order in which they matter. */
export const DIFFERENCES = [
  "lost",
  "duplicated",
  "undecided",
  "unexpected",
  "misplaced",
] as const satisfies readonly Kind[];
export type DifferenceKind = (typeof DIFFERENCES)[number];

/** What an arrival says about its event. */
export interface Entry {
  readonly id: string;
  readonly cell: string;
  readonly load: number;
  readonly index: number;
  readonly dueUs: number;
  readonly acted: Acted;
}

const NO_CELL = -1;
/** Rows of one event lie in several cells: see #spread. */
const SPREAD = -2;

/**
 * Events are told apart by id: one that was sent several times, by a resend or by the plan, is
 * still one and has to be there once. Some 100 bytes an event.
 */
export class LedgerBook {
  readonly cells = new Codes();
  arrivals = 0;
  events = 0;
  /** By event: the arrival that stands for it (an acknowledged one, if there is one). */
  load = new Uint8Array(0);
  index = new Int32Array(0);
  dueUs = new Float64Array(0);
  acted = new Uint8Array(0);
  cell = new Int32Array(0);
  /** Sum of the counts of its rows in the sink. */
  seen = new Int32Array(0);
  late = new Uint8Array(0);
  #seenCell = new Int32Array(0);
  readonly #spread = new Map<number, Map<number, number>>();
  readonly #keys = new KeyTable();

  /** One arrival of the plan. */
  enter(entry: Entry): void {
    const key = requestKey(entry.id);
    const known = this.#keys.get(key, 0);
    const event = known < 0 ? this.#open(key, entry.cell) : known;
    this.arrivals++;
    if (known >= 0 && this.acted[event]! >= entry.acted) return;
    this.acted[event] = entry.acted;
    this.cell[event] = this.cells.code(entry.cell);
    this.load[event] = entry.load;
    this.index[event] = entry.index;
    this.dueUs[event] = entry.dueUs;
  }

  #open(key: Uint8Array, cell: string): number {
    const event = this.events++;
    this.#keys.set(key, 0, event);
    this.load = grown(this.load, this.events, 0);
    this.index = grown(this.index, this.events, 0);
    this.dueUs = grown(this.dueUs, this.events, 0);
    this.acted = grown(this.acted, this.events, 0);
    this.cell = grown(this.cell, this.events, 0);
    this.seen = grown(this.seen, this.events, 0);
    this.late = grown(this.late, this.events, 0);
    this.#seenCell = grown(this.#seenCell, this.events, NO_CELL);
    this.cell[event] = this.cells.code(cell);
    return event;
  }

  /** One row of the sink; false when its id is none of the plan's. */
  found(row: { id: string; cell: string | null; count: number; late: boolean }): boolean {
    const event = this.#keys.get(requestKey(row.id), 0);
    if (event < 0) return false;
    if (row.count === 0) return true;
    this.seen[event]! += row.count;
    if (row.late) this.late[event] = 1;
    this.#place(
      event,
      row.cell === null ? this.cell[event]! : this.cells.code(row.cell),
      row.count,
    );
    return true;
  }

  #place(event: number, cell: number, count: number): void {
    const before = this.#seenCell[event]!;
    if (before === NO_CELL || before === cell) {
      this.#seenCell[event] = cell;
      return;
    }
    const parts = this.#spread.get(event) ?? new Map([[before, this.seen[event]! - count]]);
    parts.set(cell, (parts.get(cell) ?? 0) + count);
    this.#spread.set(event, parts);
    this.#seenCell[event] = SPREAD;
  }

  /** Counts of an event's rows by cell. */
  eachCell(event: number, visit: (cell: number, count: number) => void): void {
    const cell = this.#seenCell[event]!;
    if (cell >= 0) visit(cell, this.seen[event]!);
    else if (cell === SPREAD) for (const [at, count] of this.#spread.get(event)!) visit(at, count);
  }

  kind(event: number): Kind {
    const seen = this.seen[event]!;
    const acted = this.acted[event]!;
    if (acted === NEVER_SENT) return seen === 0 ? "not-sent" : "unexpected";
    if (acted === GIVEN_UP) return seen === 0 ? "lost" : "unexpected";
    if (seen === 0) return acted === ACTED ? "lost" : "undecided";
    if (seen > 1) return "duplicated";
    return this.#seenCell[event] === this.cell[event] ? "matched" : "misplaced";
  }

  /** The event for which this arrival stands, −1 = another one does. */
  eventOf(id: string, load: number, index: number): number {
    const event = this.#keys.get(requestKey(id), 0);
    return event >= 0 && this.load[event] === load && this.index[event] === index ? event : -1;
  }
}
