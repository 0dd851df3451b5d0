// What a person sees in tables and drawings, for machines: the details of result.json.
import type { AnsweredBy, Drawn } from "./drawn-result.ts";
import type { FaultEffect } from "./fault-effect.ts";
import type { PhaseCounts } from "./phase-counts.ts";
import type { Ratio } from "./run-ratio.ts";
import type { TimePart, TimeParts } from "./time-parts.ts";

/** µs → ms; +∞ and NaN have no JSON and become null. */
export function ms(us: number | null): number | null {
  return us === null || !Number.isFinite(us) ? null : us / 1_000;
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** What is empty is left out. */
export function detailsOf(drawn: Drawn) {
  const { phases, timeParts, coldCauses, streams, statuses, answeredBy, spilled } = drawn;
  return {
    ...(phases.length === 0 ? {} : { phases: phases.map(phaseOf) }),
    ...(timeParts.length === 0 ? {} : { time_parts: timeParts.map(partsOf) }),
    ...(coldCauses.length === 0
      ? {}
      : {
          cold_causes: coldCauses.map(({ name, invocations, cold, ...by }) => ({
            ...{ function: name, invocations, cold, first_of_version: by.firstOfVersion },
            ...{ scale_out: by.scaleOut, after_pause: by.afterPause, in_place: by.inPlace },
          })),
        }),
    ...(streams.shards.length === 0 ? {} : { streams: streamsOf(drawn) }),
    ...(Object.keys(statuses).length === 0 ? {} : { statuses }),
    ...(answeredBy.length === 0 ? {} : { answered_by: answeredBy.flatMap(versionsOf) }),
    ...(Object.keys(spilled).length === 0 ? {} : { spilled }),
  };
}

function phaseOf({ startUs, endUs, ...counts }: PhaseCounts) {
  return { ...counts, start_ms: ms(startUs), end_ms: ms(endUs) };
}

function partsOf({ init, handler, front, way, ...of }: TimeParts) {
  const part = (one: TimePart | null) =>
    one === null ? null : { p50_ms: ms(one.p50Us), p99_ms: ms(one.p99Us) };
  return { ...of, init: part(init), handler: part(handler), front: part(front), way: part(way) };
}

function streamsOf({ streams, series }: Drawn) {
  const bucketS = series.bucketUs / 1e6;
  return {
    shards: streams.shards.map(({ load, shard, records, stored }) => ({
      ...{ load, shard, records },
      most_per_s: stored.reduce((most, count) => Math.max(most, count), 0) / bucketS,
    })),
    most_over_s: bucketS,
    refused: streams.refused,
  };
}

const versionsOf = ({ name, versions }: AnsweredBy) =>
  versions.map((one) => ({ function: name, ...one }));

/** Of one fault: when it was noticed, its worst second, what it spent, what worked, its end. */
export function effectOf({ detected, alarm, worst, spent, shares, recovery }: FaultEffect) {
  return {
    noticed: detected === null ? null : { at_ms: ms(detected.us), by: detected.by },
    alarm: alarm === null ? null : { at_ms: ms(alarm.us), name: alarm.name },
    worst_second: worst === null ? null : { at_ms: ms(worst.us), not_ok: worst.share, n: worst.n },
    spent: spent.map(({ text, share }) => ({ criterion: text, share })),
    while_acting: shares,
    recovered_after_ms: recovery === null ? null : ms(recovery.us),
    watched_for_ms: recovery === null ? null : ms(recovery.observedUs),
  };
}

/** New ÷ old by quantile; without bounds where there is too little to have them. */
export function ratiosOf(drawn: Drawn) {
  const of = ({ estimate, low, high }: Ratio) => {
    return { estimate: finite(estimate), low: finite(low), high: finite(high) };
  };
  return Object.entries(drawn.oldNewRatios).map(([load, [p50, p95, p99]]) => ({
    ...{ load, p50: of(p50!), p95: of(p95!), p99: of(p99!) },
  }));
}
