// Measures that are counted, not sampled: compared with their limit as they are.
import type { Operand } from "../core/criterion.ts";
import type { MetricPoint } from "../core/facts.ts";
import { refuserOf } from "../core/measures.ts";
import { isWithin, outcomeCode, REFUSERS } from "../core/outcome.ts";
import type { Window } from "../core/window.ts";
import { type CensusValue, inside } from "./census-value.ts";
import { costPerMillion } from "./cost.ts";
import { eachArrival, eachAttempt } from "./each-row.ts";
import { inFlightBySecond } from "./in-flight.ts";
import { recordedCensus } from "./recorded.ts";
import { functionName, type Selection } from "./selection.ts";
import type { Story } from "./story.ts";
import type { Tables } from "./tables.ts";

export interface CensusFacts {
  readonly tables: Tables;
  readonly story: Story;
  readonly metrics: readonly MetricPoint[];
}

const DROPPED = outcomeCode("dropped");
const THROTTLED = outcomeCode("throttled");
const UNKNOWN = outcomeCode("unknown");
const OK = outcomeCode("ok");
const NOTHING: CensusValue = { value: null, n: 0, note: "no facts of this measure" };

/** The most messages that waited in an observed queue, in the whole minutes of a window. */
export function queueDepth(
  facts: CensusFacts,
  { names }: Operand,
  window: Window | null,
): CensusValue {
  const queue = facts.tables.plan.queues?.[names[0] ?? ""];
  if (queue === undefined) return { ...NOTHING, note: `\`${names[0] ?? ""}\` was not observed` };
  const mine = facts.metrics.filter(({ metric, dimensions }) => {
    return metric === DEPTH && dimensions.QueueName === queue;
  });
  const minutes = mine.filter((point) => isWholeIn(point, facts, window));
  if (minutes.length > 0) {
    const value = minutes.reduce((most, point) => Math.max(most, point.value), 0);
    return { value, n: minutes.length, note: "" };
  }
  const note = mine.length === 0 ? "no metric points were read" : "no whole minute in the window";
  return { value: null, n: 0, note };
}

const DEPTH = "ApproximateNumberOfMessagesVisible";

export function censusValue(
  facts: CensusFacts,
  operand: Operand,
  selection: Selection,
  window: Window | null,
): CensusValue {
  const { measure } = operand;
  if (selection.recorded) return recordedCensus(facts.tables, measure, selection, window);
  if (measure === "cost.per-million") return costPerMillion(facts.tables, selection, window);
  if (selection.account || selection.function !== null)
    return platformValue(facts, measure, selection, window);
  if (measure === "in-flight") return inFlight(facts, selection, window);
  if (measure.startsWith("throttles")) return throttles(facts, measure, selection, window);
  let arrivals = 0;
  let sent = 0;
  let attempts = 0;
  let answered = 0;
  let max = 0;
  eachArrival(facts.tables, selection, (table, i) => {
    if (!inside(table.dueUs[i]!, window)) return;
    arrivals++;
    const outcome = table.outcome[i]!;
    if (outcome === DROPPED) return;
    sent++;
    attempts += table.last[i]!;
    if (outcome === UNKNOWN) max = Number.POSITIVE_INFINITY;
    else if (outcome === OK) max = Math.max(max, table.responseUs[i]!);
    if (outcome === UNKNOWN || outcome === OK) answered++;
  });
  const of = (value: number, n: number): CensusValue =>
    n === 0 ? { value: null, n, note: "no arrivals" } : { value, n, note: "" };
  if (measure === "count") return { value: sent, n: sent, note: "" };
  if (measure === "dropped") return of(arrivals - sent, arrivals);
  if (measure === "amplification") return of(sent === 0 ? 0 : attempts / sent, sent);
  if (measure === "max") return of(max, answered);
  return NOTHING;
}

function throttles(
  { tables }: CensusFacts,
  measure: string,
  selection: Selection,
  window: Window | null,
): CensusValue {
  const by = refuserOf(measure);
  let n = 0;
  let value = 0;
  eachAttempt(tables, selection, (chunk, row) => {
    const sentUs = chunk.sentUs[row]!;
    if (sentUs < 0 || !inside(sentUs, window)) return;
    n++;
    if (chunk.outcome[row] !== THROTTLED) return;
    if (by === null || isWithin(REFUSERS[chunk.refusedBy[row]!]!, by)) value++;
  });
  return n === 0 ? { value: null, n, note: "nothing was sent" } : { value, n, note: "" };
}

function inFlight({ story, tables }: CensusFacts, selection: Selection, window: Window | null) {
  const { loads, slices } = tables.plan;
  const names = new Set(loads.filter((_, i) => selection.loads[i]).map(({ name }) => name));
  const seen = story.health.filter(({ t }) => inside(t, window));
  const levels = [...inFlightBySecond(seen, names, slices).values()];
  return levels.length === 0
    ? { value: null, n: 0, note: "the generator's health was not recorded" }
    : { value: levels.reduce((a, b) => Math.max(a, b)), n: levels.length, note: "" };
}

/** CloudWatch's metric of each measure that a function or the account has. */
const METRICS: { readonly [measure: string]: readonly [string, MetricPoint["stat"]] } = {
  throttles: ["Throttles", "Sum"],
  count: ["Invocations", "Sum"],
  "concurrency.max": ["ConcurrentExecutions", "Maximum"],
  "iterator-age.max": ["IteratorAge", "Maximum"],
};

/** Shares of one sum in the sum of several; Invocations has no throttled ones. */
const SHARES: { readonly [measure: string]: readonly [string, readonly string[]] } = {
  "errors.rate": ["Errors", ["Invocations"]],
  "throttles.rate": ["Throttles", ["Invocations", "Throttles"]],
};

/** Of a function and of the account these are counted by the platform, and no samples of ours. */
export function isPlatformShare(measure: string, { account, function: name }: Selection): boolean {
  return (account || name !== null) && SHARES[measure] !== undefined;
}

function platformShare(
  facts: CensusFacts,
  [part, whole]: readonly [string, readonly string[]],
  selection: Selection,
  window: Window | null,
): CensusValue {
  const name = selection.function === null ? null : functionName(selection.function);
  const mine = facts.metrics.filter(
    (point) => isOf(point, name) && isWholeIn(point, facts, window),
  );
  const sumOf = (metric: string): number =>
    mine.reduce((sum, point) => {
      return sum + (point.metric === metric && point.stat === "Sum" ? point.value : 0);
    }, 0);
  const probes = name === null ? 0 : probesOf(facts, name, window);
  const own = (metric: string): number => (metric === "Throttles" ? probes : 0);
  const n = whole.reduce((sum, metric) => sum + Math.max(0, sumOf(metric) - own(metric)), 0);
  if (n === 0) return { value: null, n, note: "no metric points were read" };
  return { value: Math.max(0, sumOf(part) - own(part)) / n, n, note: "" };
}

/**
 * One-minute metrics: the whole minutes inside the window; without one, all that the run touches.
 */
function platformValue(
  facts: CensusFacts,
  measure: string,
  selection: Selection,
  window: Window | null,
): CensusValue {
  const share = SHARES[measure];
  if (share !== undefined) return platformShare(facts, share, selection, window);
  const wanted = METRICS[measure];
  if (wanted === undefined) return NOTHING;
  const [metric, stat] = wanted;
  const name = selection.function === null ? null : functionName(selection.function);
  const mine = facts.metrics.filter((point) => isOf(point, name));
  const minutes = mine.filter((point) => isWholeIn(point, facts, window));
  if (minutes.length === 0) {
    const note = mine.length === 0 ? "no metric points were read" : "no whole minute in the window";
    return { value: null, n: 0, note };
  }
  const values = minutes
    .filter((point) => point.metric === metric && point.stat === stat)
    .map((point) => point.value);
  if (stat === "Maximum") {
    const scale = measure === "iterator-age.max" ? 1_000 : 1; // CloudWatch gives ms
    return values.length === 0
      ? { value: null, n: 0, note: `no ${metric} points were read` }
      : { value: scale * values.reduce((a, b) => Math.max(a, b), 0), n: values.length, note: "" };
  }
  const sum = values.reduce((a, b) => a + b, 0);
  const probes = measure === "throttles" && name !== null ? probesOf(facts, name, window) : 0;
  const note = probes > 0 ? `${probes} of our own probes taken off` : "";
  return { value: Math.max(0, sum - probes), n: values.length, note };
}

/** Of a function, or (null) of the account as a whole: a queue's points are neither. */
function isOf(point: MetricPoint, name: string | null): boolean {
  if (point.namespace !== "AWS/Lambda") return false;
  const of = point.dimensions.FunctionName;
  if (point.dimensions.Resource !== undefined) return false; // an alias or version is a part of it
  return name === null ? of === undefined : of !== undefined && functionName(of) === name;
}

function isWholeIn(point: MetricPoint, facts: CensusFacts, window: Window | null): boolean {
  const { plan } = facts.tables;
  const startUs = (point.at - plan.epoch_ms) * 1_000;
  const endUs = startUs + point.period_s * 1_000_000;
  if (window === null) return endUs > 0;
  return startUs >= window.startUs && endUs <= window.endUs;
}

/**
 * Our own probe invokes that were refused: the metric counts them, the system's callers never met
 * them.
 */
export function probesOf(facts: CensusFacts, name: string, window: Window | null): number {
  let refused = 0;
  for (const fault of facts.story.faults) {
    if (!fault.plan.resources.some((arn) => functionName(arn) === name)) continue;
    for (const { t, count } of fault.refusedProbes) if (inside(t, window)) refused += count;
  }
  return refused;
}
