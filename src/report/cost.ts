// What invocations cost at the plan's list prices: requests and billed time of REPORT lines.
import type { PlannedPrices } from "../core/facts.ts";
import type { Window } from "../core/window.ts";
import { addUse, type BilledUse, mbMsOf, noUse } from "./billed-use.ts";
import { type CensusValue, inside } from "./census-value.ts";
import { eachAttempt } from "./each-row.ts";
import { functionName, reportFilter, type Selection } from "./selection.ts";
import type { Tables } from "./tables.ts";

const MILLION = 1e6;

/** Not in any figure here, and to be said wherever one stands. */
export const NOT_PRICED: readonly string[] = [
  "the API front",
  "what the functions call (other functions, tables, queues, streams)",
  "logs and metrics",
  "data out",
  "provisioned concurrency that is kept",
  "discounts, and the free tier where it is not named",
];

const MB_MS_PER_GB_S = 1_024 * 1_000;
export const gbSeconds = (mbMs: number): number => mbMs / MB_MS_PER_GB_S;

/** Of so many invocations and all that they were billed for. */
export function usdOf(invocations: number, mbMs: number, prices: PlannedPrices): number {
  return invocations * prices.lambda_request + gbSeconds(mbMs) * prices.lambda_gb_second;
}

/** `cost.per-million`: of a function by its own invocations, of loads by their arrivals. */
export function costPerMillion(
  tables: Tables,
  selection: Selection,
  window: Window | null,
): CensusValue {
  const { prices } = tables.plan;
  if (prices === undefined) return nothing("its plan has no prices: it is of an older version");
  return selection.function === null
    ? ofLoads(tables, selection, window, prices)
    : ofFunction(tables, selection, window, prices);
}

const nothing = (note: string): CensusValue => ({ value: null, n: 0, note });
const NO_LINE = "no REPORT line that says what was billed";

function ofFunction(
  { platform, plan }: Tables,
  selection: Selection,
  window: Window | null,
  prices: PlannedPrices,
): CensusValue {
  const wanted = functionName(selection.function!);
  const codes = platform.functions.texts.map((text) => functionName(text) === wanted);
  const accepts = reportFilter(selection, platform);
  let mbMs = 0;
  let n = 0;
  for (let row = 0; row < platform.reports; row++) {
    if (!codes[platform.functionCode[row]!]) continue;
    if (accepts !== null && !accepts(row)) continue;
    if (!inside((platform.at[row]! - plan.epoch_ms) * 1_000, window)) continue;
    const own = mbMsOf(platform, row);
    if (Number.isNaN(own)) continue;
    mbMs += own;
    n++;
  }
  return n === 0
    ? nothing(NO_LINE)
    : { value: usdOf(MILLION, (mbMs / n) * MILLION, prices), n, note: "" };
}

function ofLoads(
  tables: Tables,
  selection: Selection,
  window: Window | null,
  prices: PlannedPrices,
): CensusValue {
  const use = noUse();
  eachAttempt(tables, selection, (chunk, row) => {
    if (chunk.sentUs[row]! >= 0 && inside(chunk.dueUs[row]!, window))
      addUse(use, tables.platform, chunk, row);
  });
  return useCost(use, prices);
}

/** Every attempt costs, an arrival may need several; what was not joined is taken as the others. */
export function useCost(use: BilledUse, prices: PlannedPrices): CensusValue {
  const { arrivals, ran, billed, mbMs } = use;
  if (billed === 0 || arrivals === 0) return nothing(NO_LINE);
  const perArrival = ran / arrivals;
  const value = usdOf(MILLION, (mbMs / billed) * MILLION, prices) * perArrival;
  const missing = ran - billed;
  const note = missing === 0 ? "" : `${missing} of ${ran} without REPORT taken as the others`;
  return { value, n: arrivals, note };
}
