// Before a run: which planned arrivals will be samples of an operand, and in which window.
import type { FaultTimes } from "../core/change.ts";
import type { Operand } from "../core/criterion.ts";
import type { PlanFile } from "../core/facts.ts";
import { runUs, US_PER_S } from "../core/time.ts";
import { nameOfVersion } from "../core/version-name.ts";
import { windowOf } from "./judge-census.ts";
import { type Selection, selectionOf } from "./selection.ts";
import { type Windows, windowsOf } from "./windows.ts";

/** What is known before anything is sent. */
export interface Foreseen {
  readonly plan: Pick<PlanFile, "phases" | "loads" | "faults" | "arms" | "functions">;
  /** By load code, then route code: arrivals due in each whole second of the run. */
  readonly perRoute: readonly (readonly (readonly number[])[])[];
  /** By fault: assumed time from asking for it, or for its end, to the effect. */
  readonly onsetUs: { readonly [fault: string]: number };
  /** Of the whole run; null = not known. */
  readonly coldStarts: number | null;
  /** Share of the invocations by version; absent = not known. */
  readonly versions?: VersionShares;
  readonly endUs: number;
}

export interface VersionShares {
  /** By name, `v42`: the most that any function sends there. */
  readonly shares: { readonly [version: string]: number };
  /** False where functions differ, so that less may come. */
  readonly exact: boolean;
}

/** Windows as they will be if every fault takes as long as assumed. */
export function foreseenWindows({ plan, onsetUs, endUs }: Foreseen): Windows {
  const times = plan.faults.map(({ name, start_us, end_us }): FaultTimes => {
    const lateUs = onsetUs[name] ?? 0;
    return {
      name,
      askedUs: runUs(start_us),
      onsetUs: runUs(start_us + lateUs),
      restoreAskedUs: runUs(end_us),
      clearedUs: runUs(end_us + lateUs),
    };
  });
  return windowsOf(plan, times, endUs);
}

export interface Feed {
  readonly samples: number;
  /** True when some of them may be of another kind (cold, of another version). */
  readonly atMost: boolean;
  /** Seconds that will hold samples, as many as are to be expected. */
  readonly seconds: number;
  /** `during before`, `within 5 s after zero`, `in the whole run`. */
  readonly where: string;
}

/** Planned arrivals of an operand; windows that begin within a second take their part of it. */
export function feedOf(foreseen: Foreseen, windows: Windows, operand: Operand): Feed {
  const selection = selectionOf(foreseen.plan, operand);
  const window = windowOf(windows, operand);
  const perSecond = selectedPerSecond(foreseen, selection);
  const startS = (window?.startUs ?? 0) / US_PER_S;
  const endS = window === null ? perSecond.length : window.endUs / US_PER_S;
  const { weight, exact } = weightOf(foreseen, selection);
  let [arrivals, seconds] = [0, 0];
  for (let from = startS; from < endS; from++) {
    const inside = between(perSecond, from, Math.min(from + 1, endS));
    arrivals += weight * inside;
    // A second of few arrivals may hold none of a version that has a small share of them.
    if (inside >= 0.5) seconds += 1 - (1 - weight) ** inside;
  }
  const cold = selection.start === "cold" || operand.measure.startsWith("init.");
  const all = Math.round(arrivals);
  const samples = cold && foreseen.coldStarts !== null ? Math.min(all, foreseen.coldStarts) : all;
  const atMost = cold || !exact;
  return { samples, atMost, seconds: Math.round(seconds), where: whereOf(operand) };
}

/** What share of the arrivals the version that is asked for will have. */
function weightOf({ versions }: Foreseen, { version }: Selection) {
  if (version === null) return { weight: 1, exact: true };
  if (versions === undefined) return { weight: 1, exact: false };
  return { weight: versions.shares[nameOfVersion(version)] ?? 0, exact: versions.exact };
}

function selectedPerSecond({ perRoute }: Foreseen, selection: Selection): number[] {
  const sum: number[] = [];
  for (const [load, routes] of perRoute.entries()) {
    if (!selection.loads[load]) continue;
    for (const [route, seconds] of routes.entries()) {
      if (selection.routes !== null && !selection.routes[load]![route]) continue;
      for (const [second, count] of seconds.entries()) sum[second] = (sum[second] ?? 0) + count;
    }
  }
  return Array.from(sum, (count) => count ?? 0);
}

/** Arrivals in [from, to), at most one second long, taken evenly from the seconds it touches. */
function between(perSecond: readonly number[], fromS: number, toS: number): number {
  const first = Math.floor(fromS);
  const here = Math.min(toS, first + 1) - fromS;
  const next = Math.max(0, toS - (first + 1));
  return here * (perSecond[first] ?? 0) + next * (perSecond[first + 1] ?? 0);
}

function whereOf({ window }: Operand): string {
  if (window === null) return "in the whole run";
  if (window.kind === "during") return `during ${window.name}`;
  return `within ${window.us / US_PER_S} s after ${window.after}`;
}
