// Does every planned arrival appear exactly once in the facts, in each second and in all?
import { formatNumber } from "../core/format.ts";
import { outcomeCode } from "../core/outcome.ts";
import { US_PER_S } from "../core/time.ts";
import { type ArrivalTable, UNSEEN } from "./arrival-table.ts";
import type { BalanceResult, LoadCounts } from "./result.ts";
import type { Story } from "./story.ts";
import type { Tables } from "./tables.ts";
import { isClosed } from "./tally.ts";

const DROPPED = outcomeCode("dropped");

/** planned = sent + dropped, per second of `due` and in all; attempts numbered without gaps. */
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
      problems.push(`${nameOf(counts)}: ${many}, ${formatNumber(found)} accounted for`);
    } else {
      const second = secondOff(tables, table);
      if (second !== null) problems.push(`${nameOf(counts)}: second ${second} does not balance`);
    }
    const torn = attemptsOff(table);
    if (torn > 0)
      problems.push(
        `${nameOf(counts)}: ${formatNumber(torn)} arrivals whose attempts are missing or doubled`,
      );
  }
  if (story.rows !== null && story.rows !== tables.rows)
    problems.push(
      `${formatNumber(story.rows)} attempts were recorded, ${formatNumber(tables.rows)} are stored`,
    );
  return { holds: problems.length === 0, problems };
}

const nameOf = ({ load, arm }: LoadCounts): string => (arm === "" ? load : `${load} ${arm}`);

/** The first second whose arrivals are not the planned ones, or null. */
function secondOff(tables: Tables, table: ArrivalTable): number | null {
  const load = tables.plan.loads[table.load]!;
  if (isClosed(load) || load.planned_per_s.length === 0) return null;
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
