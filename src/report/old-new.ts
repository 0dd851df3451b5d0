// Old against new: what a capture says of the recorded system beside what the run measured.

import { outcomeCode } from "../core/outcome.ts";
import { seededRng } from "../core/rng.ts";
import { ExactValues } from "./exact-values.ts";
import { isOkStatus, isSameStatus } from "./recorded.ts";
import { type Ratio, spreadOf } from "./run-ratio.ts";
import type { Blocked } from "./samples.ts";
import { SECONDS_MIN, secondsOf } from "./seconds.ts";
import { samplesForBound } from "./statistics.ts";
import type { Tables } from "./tables.ts";

export const OLD_NEW_QUANTILES = [0.5, 0.95, 0.99] as const;

/** One load, or one route of it. Times are µs, in the order of OLD_NEW_QUANTILES. */
export interface OldNewRow {
  readonly load: string;
  /** "" = the whole load. */
  readonly route: string;
  /** Arrivals sent whose recorded status is known, and those that got the same one. */
  readonly compared: number;
  readonly agreed: number;
  /** Requests that were ok on both sides and have both times. */
  readonly pairs: number;
  readonly oldUs: readonly number[];
  readonly newUs: readonly number[];
  /** Pairs in which the new system was faster. */
  readonly faster: number;
}

export interface OldNew {
  readonly rows: readonly OldNewRow[];
  /** Differing statuses, most frequent first; 0 = no answer. */
  readonly changes: readonly { readonly was: number; readonly is: number; readonly n: number }[];
}

const OK = outcomeCode("ok");
const DROPPED = outcomeCode("dropped");
const CHANGES_MAX = 8;

/** Null where nothing of a capture was replayed. */
export function oldNewOf(tables: Tables): OldNew | null {
  if (tables.recorded.every((answers) => answers === null)) return null;
  const changes = new Map<string, number>();
  const rows = [...groupsOf(tables)].map((group) => rowOf(tables, group, changes));
  const sorted = [...changes]
    .map(([pair, n]) => {
      const [was = 0, is = 0] = pair.split(" ").map(Number);
      return { was, is, n };
    })
    .sort((a, b) => b.n - a.n || a.was - b.was || a.is - b.is);
  return { rows: rows.filter(({ compared, pairs }) => compared + pairs > 0), changes: sorted };
}

interface Group {
  readonly load: number;
  /** 0 = all of the load, which alone counts the changes. */
  readonly route: number;
}

function* groupsOf({ plan, recorded }: Tables): Generator<Group> {
  for (const [load, { routes }] of plan.loads.entries()) {
    if (recorded[load] === null) continue;
    for (const route of routes.keys()) yield { load, route };
  }
}

/** The arrivals of a group that were sent: recorded and own status, and both times in µs. */
function eachPair(tables: Tables, { load, route }: Group, visit: (pair: Pair) => void): void {
  const answers = tables.recorded[load]!;
  const planned = tables.plan.loads[load]!;
  for (const table of tables.arrivals) {
    if (table.load !== load) continue;
    for (let i = 0; i < table.length; i++) {
      if (table.outcome[i]! >= DROPPED) continue;
      if (route > 0 && table.route[i] !== route) continue;
      const was = answers.status[i] ?? -1;
      const oldUs = answers.latencyUs[i] ?? -1;
      const wasOk = oldUs >= 0 && (was < 0 || isOkStatus(planned, was));
      const isOk = table.outcome[i] === OK;
      const bothOk = wasOk && isOk;
      const newUs = table.responseUs[i]!;
      visit({ dueUs: table.dueUs[i]!, was, is: table.status[i]!, bothOk, oldUs, newUs });
    }
  }
}

interface Pair {
  readonly dueUs: number;
  /** −1 = not recorded. */
  readonly was: number;
  readonly is: number;
  readonly bothOk: boolean;
  readonly oldUs: number;
  readonly newUs: number;
}

function rowOf(tables: Tables, group: Group, changes: Map<string, number>): OldNewRow {
  const [old, own] = [new ExactValues(), new ExactValues()];
  let [compared, agreed, faster] = [0, 0, 0];
  eachPair(tables, group, ({ was, is, bothOk, oldUs, newUs }) => {
    if (was >= 0) {
      compared++;
      if (isSameStatus(was, is)) agreed++;
      else if (group.route === 0) {
        const change = `${was} ${is}`;
        changes.set(change, (changes.get(change) ?? 0) + 1);
      }
    }
    if (!bothOk) return;
    old.add(oldUs);
    own.add(newUs);
    if (newUs < oldUs) faster++;
  });
  const planned = tables.plan.loads[group.load]!;
  const quantiles = (values: ExactValues) =>
    OLD_NEW_QUANTILES.map((q) => (values.n === 0 ? Number.NaN : values.quantile(q)));
  return {
    load: planned.name,
    route: planned.routes[group.route] ?? "",
    ...{ compared, agreed, pairs: own.n, faster },
    oldUs: quantiles(old),
    newUs: quantiles(own),
  };
}

export const shownChanges = ({ changes }: OldNew) => changes.slice(0, CHANGES_MAX);

/**
 * New ÷ old with its 95 % interval (NaN = too few seconds or samples to have one), by load and
 * quantile; of whole loads alone: it takes long. Both sides of a request are drawn together.
 */
export function oldNewRatios(tables: Tables): { readonly [load: string]: readonly Ratio[] } {
  const ratios: { [load: string]: readonly Ratio[] } = {};
  for (const group of groupsOf(tables)) {
    if (group.route > 0) continue;
    const sides: [Blocked, Blocked] = [
      { value: [], second: [] },
      { value: [], second: [] },
    ];
    eachPair(tables, group, ({ dueUs, bothOk, oldUs, newUs }) => {
      if (!bothOk) return;
      for (const [side, value] of [oldUs, newUs].entries()) {
        sides[side]!.value.push(value);
        sides[side]!.second.push(Math.floor(dueUs / 1e6));
      }
    });
    const [old, own] = [secondsOf(sides[0]), secondsOf(sides[1])];
    if (old.n === 0) continue;
    const rng = seededRng(tables.plan.seed, `old-new/${group.load}`);
    const spread = spreadOf(old, own, OLD_NEW_QUANTILES, rng, true);
    ratios[tables.plan.loads[group.load]!.name] = spread.map(({ ratio, a, b }, i) => {
      const few = old.filled < SECONDS_MIN || old.n < samplesForBound(OLD_NEW_QUANTILES[i]!);
      if (ratio !== null && !few) return ratio;
      return { estimate: b / a, low: Number.NaN, high: Number.NaN };
    });
  }
  return ratios;
}
