// Where the samples of a measure come from: arrivals, single attempts, or the platform's REPORT
// rows.
import { quantileOf, refuserOf } from "../core/measures.ts";
import { isWithin, outcomeCode, REFUSERS } from "../core/outcome.ts";
import type { ArrivalTable } from "./arrival-table.ts";
import { eachArrival, eachAttempt } from "./each-row.ts";
import { COLD, FRONT_ALONE, PROVISIONED } from "./platform-index.ts";
import { feedAgreement, feedRecorded } from "./recorded.ts";
import type { Samples } from "./samples.ts";
import { functionName, reportFilter, type Selection } from "./selection.ts";
import type { Tables } from "./tables.ts";

const OK = outcomeCode("ok");
const THROTTLED = outcomeCode("throttled");
const UNKNOWN = outcomeCode("unknown");
const DROPPED = outcomeCode("dropped");
/** Not in the population of the measure. */
const NOT = -1;

/** The value of a row, NOT to leave it out; rates are 0 or 1, times µs (+∞ = unknown). */
type ValueOf = (table: ArrivalTable, i: number) => number;

/** Feeds every sample of a sample measure; false when the measure has no source in these facts. */
export function feed(
  tables: Tables,
  measure: string,
  selection: Selection,
  samples: Samples,
): boolean {
  if (selection.recorded) return feedRecorded(tables, measure, selection, samples);
  if (measure === "agreement") return feedAgreement(tables, selection, samples);
  samples.ordered = selection.function === null && !isOfAttempts(measure);
  if (selection.function !== null) return feedReports(tables, measure, selection, samples);
  if (isOfAttempts(measure)) return feedAttempts(tables, measure, selection, samples);
  const worthOf = arrivalValue(tables, measure);
  if (worthOf === null) return false;
  eachArrival(
    tables,
    selection,
    (table, i) => {
      const value = worthOf(table, i);
      if (value !== NOT) samples.add(table.dueUs[i]!, value);
    },
    () => samples.newRun(),
  );
  return true;
}

/** Measures of single attempts need them kept in memory. */
export function isOfAttempts(measure: string): boolean {
  return /^(service|lag)\.p/.test(measure) || /^(throttles|cost\.)/.test(measure);
}

function arrivalValue(tables: Tables, measure: string): ValueOf | null {
  const { platform } = tables;
  const sent = (t: ArrivalTable, i: number) => t.outcome[i]! < DROPPED;
  const rate = (isEvent: (t: ArrivalTable, i: number) => boolean): ValueOf => {
    return (t, i) => (sent(t, i) ? (isEvent(t, i) ? 1 : 0) : NOT);
  };
  const answered = (t: ArrivalTable, i: number) => t.outcome[i] === OK || t.outcome[i] === UNKNOWN;
  if (measure === "errors.rate") return rate((t, i) => t.outcome[i] !== OK);
  if (measure === "unknown.rate") return rate((t, i) => t.outcome[i] === UNKNOWN);
  if (measure === "degraded.rate")
    return rate((t, i) => t.degraded[i] === 1 && t.outcome[i] === OK);
  const reportOf = (t: ArrivalTable, i: number) => (sent(t, i) ? t.report[i]! : -1);
  if (measure === "cold.rate")
    return (t, i) => {
      const report = answered(t, i) ? t.report[i]! : -1;
      return report < 0 ? NOT : platform.start[report] === COLD ? 1 : 0;
    };
  if (measure === "unjoined.rate") {
    const { joins, loads } = tables.plan;
    if (!joins) return null;
    const isAsked = (t: ArrivalTable, i: number) =>
      answered(t, i) && t.report[i] !== FRONT_ALONE && loads[t.load]!.invokes !== false;
    return (t, i) => (isAsked(t, i) ? (t.report[i]! < 0 ? 1 : 0) : NOT);
  }
  if (measure.startsWith("init."))
    return (t, i) => ms(reportOf(t, i) < 0 ? Number.NaN : platform.init[reportOf(t, i)]!);
  if (measure.startsWith("duration."))
    return (t, i) => ms(reportOf(t, i) < 0 ? Number.NaN : platform.duration[reportOf(t, i)]!);
  if (quantileOf(measure) === null && measure !== "max") return null;
  return (t, i) => {
    if (t.outcome[i] === OK) return t.responseUs[i]!;
    return t.outcome[i] === UNKNOWN ? Number.POSITIVE_INFINITY : NOT;
  };
}

/** Milliseconds as printed → µs; NaN (no such line) → NOT. */
function ms(value: number): number {
  return Number.isNaN(value) ? NOT : Math.round(value * 1_000);
}

function feedAttempts(
  tables: Tables,
  measure: string,
  selection: Selection,
  samples: Samples,
): boolean {
  if (tables.attempts === null) return false;
  const by = refuserOf(measure);
  const refused = REFUSERS.map((who) => by === null || isWithin(who, by));
  eachAttempt(tables, selection, (chunk, row) => {
    const outcome = chunk.outcome[row]!;
    const sentUs = chunk.sentUs[row]!;
    if (outcome === DROPPED || sentUs < 0) return;
    if (measure.startsWith("throttles"))
      samples.add(sentUs, outcome === THROTTLED && refused[chunk.refusedBy[row]!] ? 1 : 0);
    else if (measure.startsWith("lag.")) samples.add(sentUs, chunk.lagUs[row]!);
    else if (outcome === UNKNOWN) samples.add(sentUs, Number.POSITIVE_INFINITY);
    else if (outcome === OK) samples.add(sentUs, chunk.doneUs[row]! - sentUs);
  });
  return true;
}

/** Durations, init times and cold starts of a function, from every REPORT line it wrote. */
function feedReports(
  tables: Tables,
  measure: string,
  selection: Selection,
  samples: Samples,
): boolean {
  const { platform, plan } = tables;
  const wanted = functionName(selection.function!);
  const codes = platform.functions.texts.map((text) => functionName(text) === wanted);
  const accepts = reportFilter(selection, platform);
  for (let row = 0; row < platform.reports; row++) {
    if (!codes[platform.functionCode[row]!]) continue;
    if (accepts !== null && !accepts(row)) continue;
    const atUs = (platform.at[row]! - plan.epoch_ms) * 1_000;
    let value = NOT;
    if (measure === "cold.rate") value = platform.start[row] === COLD ? 1 : 0;
    else if (measure.startsWith("init.")) value = ms(platform.init[row]!);
    else if (measure.startsWith("duration.")) value = ms(platform.duration[row]!);
    else return false;
    if (value !== NOT && !(measure.startsWith("init.") && platform.start[row] === PROVISIONED))
      samples.add(atUs, value);
  }
  return true;
}
