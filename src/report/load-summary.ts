// A load in figures: what was asked and achieved, and the quantiles of each kind of time.
import { outcomeCode } from "../core/outcome.ts";
import { US_PER_S } from "../core/time.ts";
import { ExactValues } from "./exact-values.ts";
import { type Facts, readFacts } from "./facts-reader.ts";
import { readTables, type Tables } from "./tables.ts";

const OK = outcomeCode("ok");
const UNKNOWN = outcomeCode("unknown");

/** µs; +∞ where answers that never came reach that far, NaN without samples. */
export interface Quantiles {
  readonly n: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface LoadSummary {
  /** Of attempts that ended ok, or in nothing known: from send to last byte. */
  readonly service: Quantiles;
  /** sent − ready of every attempt. */
  readonly lag: Quantiles;
  /** Answers by HTTP status. */
  readonly statuses: { readonly [status: string]: number };
  readonly answers: number;
  /** From the run's 0 to the end of the last load, or to the stop before it. */
  readonly spanS: number;
}

/** Throws as `report` does. */
export async function loadSummary(dir: string): Promise<LoadSummary> {
  const facts = await readFacts(dir);
  const tables = await readTables(facts, true);
  const known = [...tables.statuses].filter(([status]) => status > 0);
  return {
    service: quantilesOf(serviceOf(tables)),
    lag: quantilesOf(tables.lag),
    statuses: Object.fromEntries(known),
    answers: known.reduce((sum, [, count]) => sum + count, 0),
    spanS: spanUs(facts) / US_PER_S,
  };
}

function serviceOf({ attempts }: Tables): ExactValues {
  const values = new ExactValues();
  for (const { rows, outcome, sentUs, doneUs } of attempts ?? [])
    for (let row = 0; row < rows; row++) {
      if (outcome[row] === UNKNOWN) values.addUnknown();
      else if (outcome[row] === OK) values.add(doneUs[row]! - sentUs[row]!);
    }
  return values;
}

function spanUs({ plan, events }: Facts): number {
  const endUs = plan.loads.reduce((end, load) => Math.max(end, load.end_us), 0);
  const stops = events.filter(({ kind }) => kind === "stop");
  return stops.reduce((end, { t }) => Math.min(end, t), endUs);
}

function quantilesOf(values: ExactValues): Quantiles {
  return {
    n: values.n,
    p50: values.quantile(0.5),
    p90: values.quantile(0.9),
    p95: values.quantile(0.95),
    p99: values.quantile(0.99),
    p999: values.quantile(0.999),
    max: values.max(),
  };
}
