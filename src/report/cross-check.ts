// Two senders, one closed loop: whether another program finds the ceiling that we found.
import type { CrossCheckEvent } from "../core/facts.ts";
import { formatNumber, formatPercent } from "../core/format.ts";
import { outcomeCode, REASONS } from "../core/outcome.ts";
import { US_PER_S } from "../core/time.ts";
import { type ArrivalTable, NEVER, UNSEEN } from "./arrival-table.ts";
import type { Story } from "./story.ts";
import type { Tables } from "./tables.ts";

/** One load that was sent by another program too. */
export interface CrossCheckResult {
  readonly load: string;
  /** `autocannon 9.0.0`. */
  readonly by: string;
  readonly seconds: number;
  /** Answers per second: over the last `seconds` of our load, and of the other sender. */
  readonly oursPerSecond: number;
  readonly theirsPerSecond: number;
  /** ours ÷ theirs; null = there is nothing to compare. */
  readonly ratio: number | null;
  /** Why the two cannot be held against each other; "" = they can. */
  readonly unsound: string;
  /** Within `AGREEMENT` of each other; null where they cannot be compared. */
  readonly agrees: boolean | null;
}

const AGREEMENT = 0.05;
/** A sender that is busier than this measures itself. */
const CPU_MAX = 0.9;
const DROPPED = outcomeCode("dropped");

export function crossChecksOf(tables: Tables, story: Story): CrossCheckResult[] {
  return story.crossChecks.map((event) => {
    const place = tables.arrivals.findIndex(
      (table) => tables.plan.loads[table.load]?.name === event.load,
    );
    const table = tables.arrivals[place];
    const ours = table === undefined ? 0 : answersPerSecond(tables, table, event.seconds);
    const theirs = event.seconds > 0 ? event.answers / event.seconds : 0;
    const ratio = ours > 0 && theirs > 0 ? ours / theirs : null;
    const unsound = unsoundOf(event, tables, story);
    const agrees = unsound !== "" || ratio === null ? null : Math.abs(ratio - 1) <= AGREEMENT;
    const { load, by, seconds } = event;
    const rates = { oursPerSecond: ours, theirsPerSecond: theirs };
    return { load, by, seconds, ...rates, ratio, unsound, agrees };
  });
}

/** As sentences for `invalid`: two sound senders that differ cannot both be right. */
export function disagreements(checks: readonly CrossCheckResult[]): string[] {
  return checks
    .filter(({ agrees }) => agrees === false)
    .map(({ load, by, ratio }) => {
      return `${load}: our closed loop found ${formatNumber(ratio ?? 0, 2)} of what ${by} found`;
    });
}

function answersPerSecond({ plan }: Tables, table: ArrivalTable, seconds: number): number {
  const endUs = plan.loads[table.load]!.end_us;
  const fromUs = endUs - seconds * US_PER_S;
  let answers = 0;
  for (let i = 0; i < table.length; i++) {
    const outcome = table.outcome[i]!;
    if (outcome === UNSEEN || outcome === DROPPED || table.responseUs[i] === NEVER) continue;
    const doneUs = table.dueUs[i]! + table.responseUs[i]!;
    if (doneUs >= fromUs && doneUs < endUs) answers++;
  }
  return seconds > 0 ? answers / seconds : 0;
}

/** An answer that says no is an answer; none at all is not. */
const ANSWERED = ["", "status"];

function unsoundOf(event: CrossCheckEvent, { reasons }: Tables, { health }: Story): string {
  if (event.skipped !== "") return event.skipped;
  const busy = (who: string, cpu: number): string =>
    `${who} was at ${formatPercent(cpu, 0)} of a core`;
  const failed = REASONS.reduce((sum, reason, code) => {
    return ANSWERED.includes(reason) ? sum : sum + reasons[code]!;
  }, 0);
  const cpu = health.reduce((most, one) => Math.max(most, one.cpu), 0);
  const why = [
    ...(failed > 0 ? [`${formatNumber(failed)} of our attempts had no answer`] : []),
    ...(event.failures > 0 ? [`${formatNumber(event.failures)} of its requests failed`] : []),
    ...(cpu >= CPU_MAX ? [busy("our sender", cpu)] : []),
    ...(event.cpu >= CPU_MAX ? [busy("it", event.cpu)] : []),
  ];
  return why.join(", ");
}

/** `autocannon 9.0.0 answered 1,000/s over 5 s, we had 1,010/s: 1.01 of it`. */
export function crossCheckText(check: CrossCheckResult): string {
  const { load, by, seconds, oursPerSecond, theirsPerSecond, ratio, unsound, agrees } = check;
  const n = (perSecond: number): string => `${formatNumber(perSecond)}/s`;
  if (ratio === null) return `${load}: ${by} was not asked: ${unsound || "nothing was answered"}`;
  const found = `${by} found ${n(theirsPerSecond)} over ${formatNumber(seconds)} s`;
  const both = `${load}: ${found}, we ${n(oursPerSecond)}: ratio ${formatNumber(ratio, 3)}`;
  if (agrees === null) return `${both} (no proof: ${unsound})`;
  return `${both}, ${agrees ? "within" : "NOT within"} ${formatPercent(AGREEMENT, 0)}`;
}
