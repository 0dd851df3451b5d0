// Sums instead of events: what each cell of a sink came to, against what the ledger allows it.
import { ACTED, GIVEN_UP, MAYBE, NEVER_SENT } from "./arrival-table.ts";
import type { LedgerBook } from "./ledger-book.ts";
import { furthestFirst } from "./reconcile-cells.ts";
import type { CellRow, SinkResult } from "./reconcile-result.ts";

/** Before the ledger's cell while no shard is known to have stored the event. */
export const NO_SHARD = "?/";

type Sums = Pick<
  SinkResult,
  | "acknowledged"
  | "unsure"
  | "givenUp"
  | "notSent"
  | "matched"
  | "lost"
  | "duplicated"
  | "extra"
  | "undecided"
  | "cells"
>;

/** Events that must be in a cell's sum, and those of which nobody knows. */
interface Due {
  certain: number;
  unsure: number;
}

/**
 * acknowledged + unsure + givenUp = matched + lost + duplicated + undecided, as for events. Which
 * events are counted too often cannot be told: each count too many stands for one of them.
 */
export function sumsOf(book: LedgerBook, observed: ReadonlyMap<string, number>): Sums {
  const { due, roaming, ...totals } = dueOf(book);
  const found = { matched: 0, lost: 0, duplicated: 0, extra: 0, undecided: 0 };
  const rows: CellRow[] = [];
  let count = 0;
  for (const [cell, { certain, unsure }] of due) {
    const value = observed.get(cell) ?? 0;
    if (certain > 0 || value > 0) count++;
    const rest = restOf(cell);
    const beyond = Math.max(0, value - certain - unsure);
    const settled = Math.min(beyond, roaming.get(rest) ?? 0);
    if (settled > 0) roaming.set(rest, roaming.get(rest)! - settled);
    const most = certain + unsure + settled;
    const extra = Math.max(0, value - most);
    const duplicated = Math.min(extra, most);
    const lost = Math.max(0, certain - value);
    found.lost += lost;
    found.extra += extra;
    found.duplicated += duplicated;
    found.undecided += Math.min(unsure, Math.max(0, most - value));
    found.matched += Math.min(value, most) - duplicated;
    if (lost > 0 || extra > 0)
      rows.push({ cell, expected: lost > 0 ? certain : most, observed: value });
  }
  for (const left of roaming.values()) found.undecided += left;
  return { ...totals, ...found, cells: { count, differing: furthestFirst(rows) } };
}

/** `roaming`: events of which nobody knows, nor which shard has them; by their cell without it. */
function dueOf(book: LedgerBook) {
  const due = new Map<string, Due>();
  const roaming = new Map<string, number>();
  const by = [0, 0, 0, 0];
  for (let event = 0; event < book.events; event++) {
    const acted = book.acted[event]!;
    by[acted]!++;
    if (acted === NEVER_SENT) continue;
    const cell = book.cells.texts[book.cell[event]!] ?? "";
    if (acted === MAYBE && cell.startsWith(NO_SHARD)) {
      const rest = restOf(cell);
      roaming.set(rest, (roaming.get(rest) ?? 0) + 1);
      continue;
    }
    const at = due.get(cell) ?? { certain: 0, unsure: 0 };
    due.set(cell, at);
    if (acted === MAYBE) at.unsure++;
    else at.certain++;
  }
  const totals = {
    acknowledged: by[ACTED]!,
    unsure: by[MAYBE]!,
    givenUp: by[GIVEN_UP]!,
    notSent: by[NEVER_SENT]!,
  };
  return { due, roaming, ...totals };
}

const restOf = (cell: string): string => cell.slice(cell.indexOf("/") + 1);
