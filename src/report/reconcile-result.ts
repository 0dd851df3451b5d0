// What a reconciliation came to, as data for every output.
import type { SinkFile } from "../core/ledger-facts.ts";
import type { DifferenceKind } from "./ledger-book.ts";

/** One event whose two sides do not agree. */
export interface Difference {
  readonly kind: DifferenceKind;
  readonly id: string;
  /** The payload's own. */
  readonly cell: string;
  /** How often the sink counted it, in all and by the sink's cell. */
  readonly count: number;
  readonly found: { readonly [cell: string]: number };
  readonly load: string;
  readonly index: number;
  readonly dueUs: number;
  /** The fault or phase in which it was due; "" = outside of all. */
  readonly window: string;
}

export interface CellRow {
  readonly cell: string;
  /** Events acknowledged, or found though nobody knew. */
  readonly expected: number;
  readonly observed: number;
}

export interface Cells {
  readonly count: number;
  /** Those that differ, furthest first. */
  readonly differing: readonly CellRow[];
}

/** Differences of one kind and load that were due close together. */
export interface Stretch {
  readonly kind: DifferenceKind;
  readonly load: string;
  /** Due times of the first and the last of them, and their indexes in the plan. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly count: number;
  /** Events of the load that were due from the first to the last of them. */
  readonly of: number;
}

/**
 * Of one sink, over events (ids): acknowledged + unsure + givenUp = matched + misplaced + lost +
 * duplicated + undecided; events = these + notSent + unexpected.
 */
export interface SinkResult {
  readonly name: string;
  readonly kind: string;
  readonly of: readonly string[];
  /** A row of the sink is a cell with its sum: events are counted, and none can be named. */
  readonly counted: boolean;
  /** `never`: the run ended without looking. `looking`: it was killed while it looked. */
  readonly state: SinkFile["state"] | "never";
  readonly detail: string;
  /** At least one look was whole. */
  readonly read: boolean;
  /** From the first look's start to the last one's end. */
  readonly settledUs: number | null;
  /** Arrivals in the ledger, and different ids among them. */
  readonly arrivals: number;
  readonly events: number;
  /** Events with an ok answer; events sent of which nobody knows. */
  readonly acknowledged: number;
  readonly unsure: number;
  /** Refused at every attempt, until the sender gave up, and not there: part of `lost`. */
  readonly givenUp: number;
  readonly notSent: number;
  readonly matched: number;
  readonly lost: number;
  readonly duplicated: number;
  /** Counts beyond the first, of duplicated events. */
  readonly extra: number;
  readonly undecided: number;
  readonly unexpected: number;
  readonly misplaced: number;
  /** Found, but not yet when the load was over. */
  readonly late: number;
  /** Rows of ids that no ledger has: other people's, and not judged. */
  readonly foreign: { readonly rows: number; readonly examples: readonly string[] };
  readonly cells: Cells;
  /** Differences by where they were due, in order of time; windows without any are left out. */
  readonly windows: readonly {
    readonly window: string;
    readonly counts: { readonly [kind in DifferenceKind]?: number };
  }[];
  /** Where differences lie close together, in order of kind and time; at most eight of a kind. */
  readonly stretches: readonly Stretch[];
  /** The first hundred of each kind. */
  readonly named: readonly Difference[];
  /** All of them; reads the ledger again. */
  readonly differences: () => AsyncIterable<Difference>;
}
