// Arrivals at a declared rate: constant, linear ramps, steps, evenly or as a Poisson process.
import type { Arrival, Driver } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import type { Load } from "../core/scenario.ts";
import { runUs, US_PER_S } from "../core/time.ts";
import { callMaker } from "./calls.ts";

/**
 * With λ(t) the asked rate and Λ(t) its integral from the load's start, the k-th arrival (k from 0)
 * is due where Λ(t) = k; Poisson: where Λ(t) = the sum of k + 1 exponential draws of mean 1.
 * λ is linear within a step, so Λ is quadratic and its inverse is a closed form: nothing is summed
 * up from arrival to arrival, nothing drifts.
 */
export function rate(load: Load, rng: Rng, epochMs = 0): Driver {
  if (load.driver.kind !== "rate")
    throw new GatecrashError("scenario", `load ${load.name} has no rate`);
  const { arrivals, count } = load.driver;
  const segments = segmentsOf(load.driver.steps);
  const newCalls = callMaker(load, rng, epochMs);
  const countMax = count ?? Number.POSITIVE_INFINITY;
  return {
    name: "rate",
    *arrivals(): Iterable<Arrival> {
      const makeArrival = newCalls();
      const gaps = rng.fork("gaps");
      let segment = 0;
      let area = arrivals === "poisson" ? exponential(gaps) : 0;
      for (let index = 0; index < countMax; index++) {
        while (segment < segments.length && area >= endOf(segments[segment]) - EPSILON) segment++;
        const one = segments[segment];
        if (one === undefined) return;
        const dueUs = load.startUs + Math.floor(one.startUs + offsetUs(one, area));
        if (dueUs >= load.endUs) return;
        yield makeArrival(index, runUs(dueUs));
        area = arrivals === "poisson" ? area + exponential(gaps) : index + 1;
      }
    },
  };
}

/** 40 a minute is no exact number: an arrival this near to a step's end belongs to the next. */
const EPSILON = 1e-6;

interface Segment {
  readonly startUs: number;
  readonly overUs: number;
  readonly fromPerSecond: number;
  readonly toPerSecond: number;
  /** Λ at the start of the step. */
  readonly areaBefore: number;
  readonly area: number;
}

const endOf = (segment: Segment | undefined): number =>
  segment === undefined ? 0 : segment.areaBefore + segment.area;

function segmentsOf(
  steps: readonly { fromPerSecond: number; toPerSecond: number; overUs: number }[],
): Segment[] {
  const segments: Segment[] = [];
  let startUs = 0;
  let areaBefore = 0;
  for (const { fromPerSecond, toPerSecond, overUs } of steps) {
    const area = (((fromPerSecond + toPerSecond) / 2) * overUs) / US_PER_S;
    segments.push({ startUs, overUs, fromPerSecond, toPerSecond, areaBefore, area });
    startUs += overUs;
    areaBefore += area;
  }
  return segments;
}

/** Solves r₀·t + (r₁ − r₀)/2T · t² = a for t; the root in the divisor keeps digits near 0. */
function offsetUs(segment: Segment, area: number): number {
  const { fromPerSecond, toPerSecond, overUs } = segment;
  const wanted = Math.max(0, area - segment.areaBefore);
  const seconds = overUs / US_PER_S;
  const slope = (toPerSecond - fromPerSecond) / seconds;
  const root = Math.sqrt(Math.max(0, fromPerSecond * fromPerSecond + 2 * slope * wanted));
  const t = wanted === 0 ? 0 : (2 * wanted) / (fromPerSecond + root);
  // Half a nanosecond, so that 0.3 s is not floored to 299,999 µs.
  return Math.min(overUs, t * US_PER_S + 5e-4);
}

/** Exponential draw with mean 1; `next()` is never 1, so the logarithm is finite. */
const exponential = (rng: Rng): number => -Math.log(1 - rng.next());
