// Visits the rows that a selection means: arrivals, or single attempts.
import { type ArrivalTable, UNSEEN } from "./arrival-table.ts";
import { reportFilter, type Selection } from "./selection.ts";
import type { Tables } from "./tables.ts";

/** Visits the arrivals that a selection means, in due order within each load and arm. */
export function eachArrival(
  tables: Tables,
  selection: Selection,
  visit: (table: ArrivalTable, i: number) => void,
  between: () => void = () => {},
): void {
  const accepts = reportFilter(selection, tables.platform);
  for (const table of tables.arrivals) {
    if (!selection.loads[table.load]) continue;
    if (selection.arm >= 0 && selection.arm !== table.arm) continue;
    const routes = selection.routes?.[table.load] ?? null;
    between();
    for (let i = 0; i < table.length; i++) {
      if (table.outcome[i] === UNSEEN) continue;
      if (routes !== null && !routes[table.route[i]!]) continue;
      if (accepts !== null && !accepts(table.report[i]!)) continue;
      visit(table, i);
    }
  }
}

type Chunk = NonNullable<Tables["attempts"]>[number];

export function eachAttempt(
  tables: Tables,
  selection: Selection,
  visit: (chunk: Chunk, row: number) => void,
): void {
  const accepts = reportFilter(selection, tables.platform);
  for (const chunk of tables.attempts ?? []) {
    for (let row = 0; row < chunk.rows; row++) {
      const load = chunk.load[row]!;
      if (!selection.loads[load]) continue;
      if (selection.arm >= 0 && selection.arm !== chunk.arm[row]) continue;
      if (selection.routes !== null && !selection.routes[load]![chunk.route[row]!]) continue;
      if (accepts !== null && !accepts(chunk.report?.[row] ?? -1)) continue;
      visit(chunk, row);
    }
  }
}
