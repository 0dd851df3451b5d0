// The facts of single items: batch targets only, a row per item and attempt.

/**
 * Integer columns of `items/<slice>-<worker>-<seq>.parquet`, in order: batch targets only, one row
 * per item and attempt, beside its row in `attempts/` (same load, index and attempt). Codes as
 * there. `call` numbers the calls of one worker and load from 0.
 * Then `sequence`, UTF8, OPTIONAL: sequence number or message id; null = not stored, or not known.
 */
export const ITEM_INTS = [
  "load",
  "index",
  "attempt",
  "call",
  "position",
  "outcome",
  "refused_by",
  "error",
  "shard", // -1 = not stored, or not known
  "worker",
] as const;
export type ItemInt = (typeof ITEM_INTS)[number];

/** Longer sequences are not kept; Kinesis's have 56 digits. */
export const SEQUENCE_LENGTH_MAX = 63;

/** A segment of items in memory. */
export interface ItemSegment {
  rows: number;
  ints: { readonly [name in ItemInt]: Int32Array };
  /** SEQUENCE_LENGTH_MAX + 1 bytes per row: the length, then ASCII. */
  sequences: Uint8Array;
}
