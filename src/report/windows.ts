// Windows of a run from its facts: phases as the faults really cut them, and the faults' own spans.
import type { FaultTimes } from "../core/change.ts";
import type { WindowRef } from "../core/criterion.ts";
import type { PlanFile } from "../core/facts.ts";
import { type RunUs, runUs } from "../core/time.ts";
import { coldWaveName, type Window } from "../core/window.ts";

/** Under this share of the declared phase nothing can be decided. */
export const COVERAGE_MIN = 0.8;

/** [asked, onset), [onset, restore asked), [restore asked, cleared); a span never seen is empty. */
export interface FaultSpans {
  readonly rampIn: Window;
  readonly during: Window;
  readonly rampOut: Window;
}

export interface Windows {
  /** By name: phases and named faults, as `during` means them. */
  readonly during: ReadonlyMap<string, Window>;
  /** By fault name. */
  readonly faults: ReadonlyMap<string, FaultSpans>;
  /** When the fault (seen to clear), phase or cold wave of this name was over; null = never. */
  clearedUs(name: string): RunUs | null;
  /** null when the name is unknown. */
  resolve(ref: WindowRef): Window | null;
}

type PlannedTimes = Pick<PlanFile, "phases" | "faults">;

/** Cold starts that an undo caused: from, to; `end` is `unseen` where nobody knows. */
interface WaveSpan {
  readonly startUs: number;
  readonly endUs: number;
  readonly end: string;
}

/** Windows from the plan, the observed fault times, and how far the run was observed. */
export function windowsOf(
  plan: PlannedTimes,
  times: readonly FaultTimes[],
  observedEndUs: number,
  waves: ReadonlyMap<string, WaveSpan> = new Map(),
): Windows {
  const timesOf = new Map(times.map((fault) => [fault.name, fault]));
  const faults = new Map<string, FaultSpans>();
  const during = new Map<string, Window>();
  for (const fault of plan.faults) {
    const spans = faultSpans(fault, timesOf.get(fault.name), observedEndUs);
    faults.set(fault.name, spans);
    during.set(fault.name, spans.during);
    if (fault.cold_wave !== undefined) {
      const name = coldWaveName(fault.name);
      during.set(name, waveWindow(name, waves.get(fault.name)));
    }
  }
  let previousClearedUs = 0;
  for (const phase of plan.phases) {
    const declared = plan.faults.filter((fault) => fault.during === phase.name);
    let start = Math.max(phase.start_us, previousClearedUs);
    let end = phase.end_us;
    for (const fault of declared) {
      const { onsetUs, restoreAskedUs, clearedUs } = timesOf.get(fault.name) ?? NEVER;
      start = Math.max(start, onsetUs ?? Number.POSITIVE_INFINITY);
      end = Math.min(end, restoreAskedUs ?? end);
      // The next phase begins when the undo has ended, and with it what itself has caused.
      const waveEndUs = waves.get(fault.name)?.endUs ?? 0;
      previousClearedUs = Math.max(previousClearedUs, clearedUs ?? 0, waveEndUs);
    }
    const length = phase.end_us - phase.start_us;
    during.set(phase.name, cut(phase.name, start, Math.min(end, observedEndUs), length));
  }
  const clearedUs = (name: string): RunUs | null => {
    const own = timesOf.get(name);
    if (own !== undefined) return own.clearedUs;
    const wave = [...waves].find(([fault]) => coldWaveName(fault) === name)?.[1];
    if (wave !== undefined) return wave.end === "unseen" ? null : runUs(wave.endUs);
    const declared = plan.faults.filter((fault) => fault.during === name);
    if (declared.length === 0) {
      const phase = plan.phases.find((candidate) => candidate.name === name);
      return phase === undefined ? null : runUs(phase.end_us);
    }
    const cleared = declared.map((fault) => timesOf.get(fault.name)?.clearedUs ?? null);
    return cleared.includes(null) ? null : runUs(Math.max(...(cleared as number[])));
  };
  const resolve = (ref: WindowRef): Window | null => {
    if (ref.kind === "during") return during.get(ref.name) ?? null;
    if (!during.has(ref.after)) return null;
    const name = `within ${ref.us} after ${ref.after}`;
    const start = clearedUs(ref.after);
    if (start === null) return cut(name, 0, 0, ref.us);
    return cut(name, start, Math.min(start + ref.us, observedEndUs), ref.us);
  };
  return { during, faults, clearedUs, resolve };
}

const NEVER = { onsetUs: null, restoreAskedUs: null, clearedUs: null };

function faultSpans(
  planned: { readonly name: string; readonly start_us: number; readonly end_us: number },
  times: FaultTimes | undefined,
  observedEndUs: number,
): FaultSpans {
  const { askedUs = null, onsetUs = null } = times ?? {};
  const { restoreAskedUs = null, clearedUs = null } = times ?? {};
  const length = planned.end_us - planned.start_us;
  const span = (suffix: string, from: number | null, to: number | null, of: number): Window =>
    from === null
      ? cut(`${planned.name}${suffix}`, 0, 0, of)
      : cut(`${planned.name}${suffix}`, from, Math.min(to ?? observedEndUs, observedEndUs), of);
  return {
    rampIn: span(" ramp-in", askedUs, onsetUs ?? restoreAskedUs, 0),
    during: span("", onsetUs, restoreAskedUs, length),
    rampOut: span(" ramp-out", restoreAskedUs, clearedUs, 0),
  };
}

/** What nobody could see covers nothing, so that nothing is decided by it. */
function waveWindow(name: string, wave: WaveSpan | undefined): Window {
  if (wave === undefined || wave.end === "unseen") return cut(name, 0, 0, 1);
  return cut(name, wave.startUs, wave.endUs, 0);
}

/** A window that is empty rather than backwards; coverage of nothing declared is whole. */
function cut(name: string, startUs: number, endUs: number, declaredUs: number): Window {
  const start = Number.isFinite(startUs) ? startUs : 0;
  const end = Number.isFinite(startUs) ? Math.max(start, endUs) : 0;
  const coverage = declaredUs > 0 ? Math.min(1, (end - start) / declaredUs) : 1;
  return { name, startUs: runUs(start), endUs: runUs(end), coverage };
}
