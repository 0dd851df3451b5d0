// When each record of a capture is due: window, speed, amplification; times in typed arrays.
import { busiestSpan } from "../core/busiest.ts";
import type { CaptureRecord } from "../core/capture.ts";
import type { Rng } from "../core/rng.ts";
import type { DriverSpec, Load } from "../core/scenario.ts";
import { US_PER_S } from "../core/time.ts";

export interface ReplaySchedule {
  /** Due times in order, µs of the run. */
  readonly dueUs: Float64Array;
  /** For each arrival the position of its record in the sendable list. */
  readonly source: Int32Array;
  /** Records left out here, by reason. */
  readonly skipped: ReadonlyMap<string, number>;
}

type ReplaySpec = Extract<DriverSpec, { kind: "replay" }>;

/** Copies lie at most this far behind their original, in recorded time. */
const COPY_SPREAD_MAX_US = US_PER_S;

/**
 * due = load's start + (t − t₀) ÷ speed, with t₀ the first record of the capture (or of its busiest
 * window), sendable or not. Amplified copies fall at seeded places before the next record, so that
 * gaps stay gaps and bursts stay bursts; below 1 a seeded share of the records is sent.
 */
export function scheduleOf(
  load: Load,
  spec: ReplaySpec,
  records: readonly CaptureRecord[],
  sendable: readonly CaptureRecord[],
  rng: Rng,
): ReplaySchedule {
  const window = spec.windowUs === null ? null : busiestSpan(records, spec.windowUs);
  const fromUs = window?.fromUs ?? records[0]?.t_start_us ?? 0;
  const toUs = window?.toUs ?? Number.POSITIVE_INFINITY;
  const copies = rng.fork("amplify");
  const due: number[] = [];
  const source: number[] = [];
  const skipped = new Map<string, number>();
  const skip = (reason: string): void => {
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  };
  const addCopies = (position: number, times: number): void => {
    const t = sendable[position]?.t_start_us ?? 0;
    const gapUs = Math.min(COPY_SPREAD_MAX_US, (sendable[position + 1]?.t_start_us ?? t) - t);
    for (let copy = 0; copy < times; copy++) {
      const at = t - fromUs + (copy === 0 ? 0 : copies.next() * gapUs);
      const dueUs = load.startUs + Math.floor(at / spec.speed);
      if (dueUs >= load.endUs) continue;
      due.push(dueUs);
      source.push(position);
    }
  };
  for (const [position, { t_start_us: t }] of sendable.entries()) {
    const times = timesOf(spec.amplify, copies);
    const originalUs = load.startUs + Math.floor((t - fromUs) / spec.speed);
    if (t < fromUs || t >= toUs) skip("outside the busiest window");
    else if (originalUs >= load.endUs) skip("after the end of the load");
    else if (times === 0) skip("left out by amplify below 1");
    else addCopies(position, times);
  }
  return { ...ordered(due, source), skipped };
}

/** Whole part always, the fraction by the seed: 2.5 is twice or three times. */
function timesOf(amplify: number, rng: Rng): number {
  const whole = Math.floor(amplify);
  return amplify === whole ? whole : whole + (rng.next() < amplify - whole ? 1 : 0);
}

/** Sorts by due time; equal times keep their order, so that the same seed gives the same list. */
function ordered(due: number[], source: number[]): { dueUs: Float64Array; source: Int32Array } {
  const order = Int32Array.from(due.keys());
  order.sort((a, b) => (due[a] ?? 0) - (due[b] ?? 0) || a - b);
  const dueUs = new Float64Array(order.length);
  const sources = new Int32Array(order.length);
  order.forEach((from, to) => {
    dueUs[to] = due[from] ?? 0;
    sources[to] = source[from] ?? 0;
  });
  return { dueUs, source: sources };
}
