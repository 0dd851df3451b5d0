// What a fault did to callers: when it was noticed, its worst second, what it spent, what worked.
import type { Criterion } from "../core/criterion.ts";
import { outcomeCode } from "../core/outcome.ts";
import { US_PER_S } from "../core/time.ts";
import { UNSEEN } from "./arrival-table.ts";
import type { JudgeFacts } from "./judge-facts.ts";
import { type Recovery, recoveryOf, steadyBySecond, steadySamples } from "./recovery.ts";
import type { FaultStory } from "./story.ts";
import type { Tables } from "./tables.ts";

const OK = outcomeCode("ok");
const DROPPED = outcomeCode("dropped");

/** Arrivals due while the fault acted, of a load or one of its routes. */
export interface FaultShare {
  readonly name: string;
  readonly sent: number;
  readonly ok: number;
  /** Of the ok ones. */
  readonly degraded: number;
  readonly attempts: number;
}

export interface FaultEffect {
  /** The first second, from asking on, in which a steady criterion did not hold; null = none. */
  readonly detected: { readonly us: number; readonly by: string } | null;
  /** The first alarm that went off while it acted. */
  readonly alarm: { readonly us: number; readonly name: string } | null;
  /** Whole second in which the largest share was not ok. */
  readonly worst: { readonly us: number; readonly share: number; readonly n: number } | null;
  /** Of what each steady limit allows in the whole run, how much went from asking to recovery. */
  readonly spent: readonly { readonly text: string; readonly share: number }[];
  readonly shares: readonly FaultShare[];
  /** Null where it was never seen to clear, or no steady state is declared. */
  readonly recovery: Recovery | null;
}

export function faultEffectOf(facts: JudgeFacts, fault: FaultStory): FaultEffect {
  const { tables, story, steady } = facts;
  const { askedUs, onsetUs, restoreAskedUs, clearedUs } = fault;
  const seen = clearedUs !== null && steady.length > 0;
  const recovery = seen ? recoveryOf(tables, steady, clearedUs, story.observedEndUs) : null;
  const endUs = clearedUs ?? story.observedEndUs;
  if (askedUs === null)
    return { detected: null, alarm: null, worst: null, spent: [], shares: [], recovery };
  const alarm = story.alarms.find(({ t, state }) => state === "ALARM" && t >= askedUs && t < endUs);
  const spentUntilUs = recovery === null ? endUs : endUs + (recovery.us ?? recovery.observedUs);
  return {
    detected: detectedOf(tables, steady, askedUs, endUs),
    alarm: alarm === undefined ? null : { us: alarm.t, name: alarm.alarm },
    worst: worstOf(tables, askedUs, endUs),
    spent: steady.flatMap((one) => spentOf(tables, one, askedUs, spentUntilUs)),
    shares: onsetUs === null ? [] : sharesOf(tables, onsetUs, restoreAskedUs ?? endUs),
    recovery,
  };
}

/** Seconds are counted from the moment of asking. */
function detectedOf(
  tables: Tables,
  steady: readonly Criterion[],
  fromUs: number,
  toUs: number,
): FaultEffect["detected"] {
  let first: FaultEffect["detected"] = null;
  for (const criterion of steady) {
    const second = steadyBySecond(tables, criterion, fromUs, toUs).indexOf(false);
    const us = fromUs + second * US_PER_S;
    if (second >= 0 && (first === null || us < first.us)) first = { us, by: criterion.text };
  }
  return first;
}

function worstOf(tables: Tables, fromUs: number, toUs: number): FaultEffect["worst"] {
  const first = Math.floor(fromUs / US_PER_S);
  const seconds = Math.max(0, Math.ceil(toUs / US_PER_S) - first);
  const n = new Float64Array(seconds);
  const bad = new Float64Array(seconds);
  eachSent(tables, first * US_PER_S, (first + seconds) * US_PER_S, (table, i) => {
    const second = Math.floor(table.dueUs[i]! / US_PER_S) - first;
    n[second]!++;
    if (table.outcome[i] !== OK) bad[second]!++;
  });
  let worst: FaultEffect["worst"] = null;
  for (const [second, count] of n.entries()) {
    const share = count === 0 ? 0 : bad[second]! / count;
    if (share > (worst?.share ?? 0)) worst = { us: (first + second) * US_PER_S, share, n: count };
  }
  return worst;
}

function spentOf(
  tables: Tables,
  criterion: Criterion,
  fromUs: number,
  toUs: number,
): FaultEffect["spent"] {
  const whole = steadySamples(tables, criterion, 0, Number.POSITIVE_INFINITY);
  const part = steadySamples(tables, criterion, fromUs, toUs);
  if (whole === null || part === null) return [];
  const allowed = whole.wish.allowed * whole.n;
  return allowed < 1 ? [] : [{ text: criterion.text, share: part.k / allowed }];
}

type Table = Tables["arrivals"][number];

function eachSent(
  tables: Tables,
  fromUs: number,
  toUs: number,
  visit: (table: Table, i: number) => void,
): void {
  for (const table of tables.arrivals)
    for (let i = 0; i < table.length; i++) {
      if (table.outcome[i] === UNSEEN || table.outcome[i] === DROPPED) continue;
      if (table.dueUs[i]! >= fromUs && table.dueUs[i]! < toUs) visit(table, i);
    }
}

function sharesOf(tables: Tables, fromUs: number, toUs: number): FaultShare[] {
  const sums = new Map<string, { -readonly [key in keyof FaultShare]: FaultShare[key] }>();
  eachSent(tables, fromUs, toUs, (table, i) => {
    const { name: load, routes } = tables.plan.loads[table.load]!;
    const route = routes[table.route[i]!] ?? "";
    const rest = routes.length > 1 ? `${load}, other requests` : load;
    const name = route === "" ? rest : `${load}.${route}`;
    const sum = sums.get(name) ?? { name, sent: 0, ok: 0, degraded: 0, attempts: 0 };
    sums.set(name, sum);
    sum.sent++;
    sum.attempts += table.last[i]!;
    if (table.outcome[i] !== OK) return;
    sum.ok++;
    if (table.degraded[i] === 1) sum.degraded++;
  });
  return [...sums.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
