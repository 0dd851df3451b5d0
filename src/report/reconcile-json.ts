// The `reconciliation` block of result.json, and the lines of differences.ndjson.
import type { Difference, SinkResult } from "./reconcile-result.ts";

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
    cells: sink.cells,
    windows: sink.windows,
    named: sink.named.map(differenceJson),
  };
}

/** One line of `effects/<sink>/differences.ndjson`, without its newline. */
export function differenceJson({ dueUs, ...difference }: Difference) {
  return { ...difference, due_ms: dueUs / 1_000 };
}
