// The facts of reconciliation: what the plan would send, and what each sink held after the run.

/**
 * Columns of `ledger/<load>-<seq>.parquet`, one row per arrival of a load with a `ledger:`, by
 * index: what the plan would send. Whether it was sent is in `attempts/`.
 * `index` INT32, `id` and `cell` UTF8: the payload's own fields.
 */
export const LEDGER_COLUMNS = ["index", "id", "cell"] as const;

/**
 * Columns of `effects/<sink>/<look>-<seq>.parquet`, one row per row of the sink, as it was read.
 * `id` UTF8; `cell` UTF8, null without a cell field; `count` INT32: how often the row says that
 * its event was counted (1 without a count field); `first_look` INT32: the look at which the id
 * was first seen, 1 = it was there when the load was over.
 */
export const EFFECT_COLUMNS = ["id", "cell", "count", "first_look"] as const;

/** Rows per Parquet file of ledger and effects. */
export const LEDGER_FILE_ROWS = 65_536;

/** `plan.json`: where effects of which loads are counted. */
export interface PlannedSink {
  readonly name: string;
  readonly kind: string;
  /** Names of loads whose events end here. */
  readonly of: readonly string[];
  /** Whether rows say which aggregate they count in. */
  readonly cells: boolean;
  /** A row is a cell (which is its `id`, too) with the sum of what was counted in it. */
  readonly counted?: boolean;
  /** Cells are per shard: `<shard id>/<the ledger's cell>`, by the shard that stored the event. */
  readonly by_shard?: boolean;
}

/** How looking at a sink ended. */
export type SettleState =
  | "quiet" // unchanged for the declared time: what is absent is lost
  | "at-most" // still changing when the longest wait was over
  | "unread" // the last look failed; `detail` says why
  | "stopped"; // the run was stopped by a person: one look, no waiting

/** One whole reading of a sink. */
export interface SinkLook {
  /** From 1. */
  readonly look: number;
  /** µs of the run: when reading began and ended. */
  readonly from_us: number;
  readonly at_us: number;
  readonly rows: number;
  /** Sum of the rows' counts. */
  readonly counted: number;
}

/** `effects/<sink>/sink.json`, replaced after every look. */
export interface SinkFile extends PlannedSink {
  readonly quiet_us: number;
  readonly at_most_us: number;
  readonly state: SettleState | "looking";
  readonly detail: string;
  /** Number of the look whose rows lie beside this file; 0 = none could be read. */
  readonly look: number;
  /** First, last, and those at which something had changed. */
  readonly looks: readonly SinkLook[];
}

/** One look at a sink after the load; its last one says how it ended. */
export interface SettleEvent {
  readonly kind: "settle";
  readonly sink: string;
  readonly look: number;
  readonly rows: number;
  /** Since when nothing has changed, µs of the run. */
  readonly quiet_since_us: number;
  readonly state: SettleState | "looking";
  readonly detail?: string;
}
