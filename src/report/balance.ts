// Does every planned arrival appear exactly once in the facts, in each second and in all?
import type { PlannedLoad } from "../core/facts.ts";
import { formatNumber } from "../core/format.ts";
import { outcomeCode } from "../core/outcome.ts";
import { US_PER_S } from "../core/time.ts";
import { type ArrivalTable, UNSEEN } from "./arrival-table.ts";
import { armName } from "./labels.ts";
import type { BalanceResult, LoadCounts } from "./result.ts";
import type { Story } from "./story.ts";
import type { Tables } from "./tables.ts";
import { isClosed } from "./tally.ts";

const DROPPED = outcomeCode("dropped");

/**
 * planned = sent + dropped, per second of `due` and in all; attempts numbered without gaps. A
 * closed
 * loop has no plan: its workers take indexes one after the other, so none may be missing.
 */
export function balanceOf(
  tables: Tables,
  story: Story,
  loads: readonly LoadCounts[],
): BalanceResult {
  const problems: string[] = [];
  for (const [place, table] of tables.arrivals.entries()) {
    const counts = loads[place]!;
    const found = counts.sent + counts.dropped;
    if (found !== counts.planned) {
      const many = `${formatNumber(counts.planned)} planned`;
      problems.push(`${armName(counts)}: ${many}, ${formatNumber(found)} accounted for`);
    } else {
      const off = outOfPlace(tables, table);
      if (off !== null) problems.push(`${armName(counts)}: ${off}`);
    }
    const torn = attemptsOff(table);
    if (torn > 0)
      problems.push(
        `${armName(counts)}: ${formatNumber(torn)} arrivals whose attempts are missing or doubled`,
      );
  }
  if (story.rows !== null && story.rows !== tables.rows)
    problems.push(
      `${formatNumber(story.rows)} attempts were recorded, ${formatNumber(tables.rows)} are stored`,
    );
  return { holds: problems.length === 0, problems };
}

/** Facts that add up and yet are not the planned ones, as words; or null. */
function outOfPlace({ plan }: Tables, table: ArrivalTable): string | null {
  const load = plan.loads[table.load]!;
  if (isClosed(load)) {
    const missing = gaps(table, Math.max(1, plan.slices * plan.workers));
    return missing === 0
      ? null
      : `${formatNumber(missing)} arrivals of the closed loop are missing`;
  }
  const second = secondOff(load, table);
  return second === null ? null : `second ${second} does not balance`;
}

/**
 * Each of `shares` workers takes every `shares`-th index: unseen ones before its last are missing.
 */
function gaps(table: ArrivalTable, shares: number): number {
  let missing = 0;
  for (let share = 0; share < shares; share++) {
    let [seen, last] = [0, -1];
    for (let i = share; i < table.length; i += shares) {
      if (table.outcome[i] === UNSEEN) continue;
      seen++;
      last = i;
    }
    if (last >= 0) missing += (last - share) / shares + 1 - seen;
  }
  return missing;
}

/** The first second whose arrivals are not the planned ones, or null. */
function secondOff(load: PlannedLoad, table: ArrivalTable): number | null {
  if (load.planned_per_s.length === 0) return null;
  const found = new Float64Array(load.planned_per_s.length);
  for (let i = 0; i < table.length; i++) {
    if (table.outcome[i] === UNSEEN) continue;
    const second = Math.floor(table.dueUs[i]! / US_PER_S);
    if (second < 0 || second >= found.length) return second;
    found[second]!++;
  }
  const off = found.findIndex((count, second) => count !== load.planned_per_s[second]);
  return off < 0 ? null : off;
}

/** Arrivals that do not have exactly the attempts 1…last, or one row if dropped. */
function attemptsOff(table: ArrivalTable): number {
  let off = 0;
  for (let i = 0; i < table.length; i++) {
    if (table.outcome[i] === UNSEEN) continue;
    const expected = table.outcome[i] === DROPPED && table.last[i] === 0 ? 1 : table.last[i]!;
    if (table.rows[i] !== expected) off++;
  }
  return off;
}
