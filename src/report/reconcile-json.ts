// The `reconciliation` block of result.json, and the lines of differences.ndjson.
import type { CellRow, Difference, SinkResult, Stretch } from "./reconcile-result.ts";

/** Cells in result.json; the file of differences has all. */
const CELLS_MAX = 50;

export function sinkJson(sink: SinkResult) {
  return {
    name: sink.name,
    kind: sink.kind,
    of: sink.of,
    ...(sink.counted ? { counted: true } : {}),
    state: sink.state,
    detail: sink.detail,
    read: sink.read,
    settled_ms: sink.settledUs === null ? null : sink.settledUs / 1_000,
    arrivals: sink.arrivals,
    events: sink.events,
    acknowledged: sink.acknowledged,
    unsure: sink.unsure,
    given_up: sink.givenUp,
    not_sent: sink.notSent,
    matched: sink.matched,
    lost: sink.lost,
    duplicated: sink.duplicated,
    extra: sink.extra,
    undecided: sink.undecided,
    unexpected: sink.unexpected,
    misplaced: sink.misplaced,
    late: sink.late,
    foreign: sink.foreign,
    cells: {
      count: sink.cells.count,
      differing: sink.cells.differing.length,
      worst: sink.cells.differing.slice(0, CELLS_MAX),
    },
    windows: sink.windows,
    stretches: sink.stretches.map(stretchJson),
    named: sink.named.map(differenceJson),
  };
}

function stretchJson({ fromUs, toUs, firstIndex, lastIndex, ...stretch }: Stretch) {
  const time = { from_ms: fromUs / 1_000, to_ms: toUs / 1_000 };
  return { ...stretch, ...time, first_index: firstIndex, last_index: lastIndex };
}

/** A line of `effects/<sink>/differences.ndjson` about one cell, without its newline. */
export function cellJson({ cell, expected, observed }: CellRow) {
  return { kind: "cell", cell, expected, observed, difference: observed - expected };
}

/** One line of `effects/<sink>/differences.ndjson`, without its newline. */
export function differenceJson({ dueUs, ...difference }: Difference) {
  return { ...difference, due_ms: dueUs / 1_000 };
}
