// Aggregates: what each cell should come to by the ledger, against what the sink counted in it.
import type { Window } from "../core/window.ts";
import type { Kind, LedgerBook } from "./ledger-book.ts";
import type { CellRow, Cells } from "./reconcile-result.ts";

/** Over the events due in the window; null = all. */
export function cellsOf(book: LedgerBook, window: Window | null): Cells {
  const expected = new Float64Array(book.cells.texts.length);
  const observed = new Float64Array(book.cells.texts.length);
  const used = new Uint8Array(book.cells.texts.length);
  for (let event = 0; event < book.events; event++) {
    if (!isIn(book.dueUs[event]!, window)) continue;
    const cell = book.cell[event]!;
    if (isExpected(book.kind(event))) {
      expected[cell]!++;
      used[cell] = 1;
    }
    book.eachCell(event, (at, count) => {
      observed[at]! += count;
      used[at] = 1;
    });
  }
  const rows: CellRow[] = [];
  let count = 0;
  for (const [code, cell] of book.cells.texts.entries()) {
    if (used[code] === 0) continue;
    count++;
    const row = { cell, expected: expected[code]!, observed: observed[code]! };
    if (row.expected !== row.observed) rows.push(row);
  }
  return { count, differing: furthestFirst(rows) };
}

export function furthestFirst(rows: readonly CellRow[]): CellRow[] {
  const gap = (row: CellRow): number => Math.abs(row.observed - row.expected);
  const order = (a: CellRow, b: CellRow): number =>
    gap(b) - gap(a) || (a.cell < b.cell ? -1 : a.cell > b.cell ? 1 : 0);
  return [...rows].sort(order);
}

/** An event of which nobody knows is expected where it was found, and nowhere else. */
function isExpected(kind: Kind): boolean {
  return kind !== "not-sent" && kind !== "unexpected" && kind !== "undecided";
}

export function isIn(dueUs: number, window: Window | null): boolean {
  return window === null || (dueUs >= window.startUs && dueUs < window.endUs);
}
