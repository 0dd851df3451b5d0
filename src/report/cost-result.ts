// The cost section of a report: what each function's invocations were billed, and each load's.
import type { PlannedPrices } from "../core/facts.ts";
import { mbMsOf } from "./billed-use.ts";
import { gbSeconds, NOT_PRICED, usdOf, useCost } from "./cost.ts";
import { functionName } from "./selection.ts";
import type { Tables } from "./tables.ts";

export interface FunctionCost {
  readonly name: string;
  /** REPORT lines, and those of them that do not say what was billed. */
  readonly invocations: number;
  readonly unpriced: number;
  readonly gbSeconds: number;
  /** Part of the billed time that was init; null = nothing was billed. */
  readonly initShare: number | null;
  readonly usd: number;
  /** Of a million invocations; null = none could be priced. */
  readonly usdPerMillion: number | null;
}

export interface LoadCost {
  readonly load: string;
  readonly arm: string;
  /** Of a million arrivals; null = nothing was joined. */
  readonly usdPerMillion: number | null;
  readonly note: string;
}

/** A month of so many invocations, in the mix of this run. */
export interface MonthCost {
  readonly invocations: number;
  readonly usd: number;
  /** What is left to pay of it beyond the free tier. */
  readonly usdBeyondFree: number;
}

export interface CostResult {
  readonly prices: PlannedPrices;
  readonly functions: readonly FunctionCost[];
  readonly loads: readonly LoadCost[];
  /** Empty where nothing could be priced. */
  readonly months: readonly MonthCost[];
  readonly notPriced: readonly string[];
}

/** Null where no REPORT line was read, or the plan has no prices. */
export function costOf(tables: Tables): CostResult | null {
  const { plan, platform } = tables;
  const { prices } = plan;
  if (prices === undefined || platform.reports === 0) return null;
  const functions = functionCosts(tables, prices);
  const months = monthsOf(functions, prices);
  return { prices, functions, loads: loadCosts(tables, prices), months, notPriced: NOT_PRICED };
}

/** Of an account that pays for nothing else: AWS's free tier of a month (Lambda pricing page). */
const FREE = { requests: 1e6, gbSeconds: 400_000 };
const MONTHS = [1e6, 1e7, 1e8];

function monthsOf(functions: readonly FunctionCost[], prices: PlannedPrices): MonthCost[] {
  const priced = functions.reduce((sum, one) => sum + one.invocations - one.unpriced, 0);
  const used = functions.reduce((sum, one) => sum + one.gbSeconds, 0);
  if (priced === 0) return [];
  const usd = (requests: number, gbS: number): number =>
    Math.max(0, requests) * prices.lambda_request + Math.max(0, gbS) * prices.lambda_gb_second;
  return MONTHS.map((invocations) => {
    const gbS = (used / priced) * invocations;
    const usdBeyondFree = usd(invocations - FREE.requests, gbS - FREE.gbSeconds);
    return { invocations, usd: usd(invocations, gbS), usdBeyondFree };
  });
}

function functionCosts({ platform }: Tables, prices: PlannedPrices): FunctionCost[] {
  const sums = platform.functions.texts.map((text) => {
    const name = functionName(text);
    return { name, invocations: 0, unpriced: 0, mbMs: 0, billedMs: 0, initUs: 0 };
  });
  for (let row = 0; row < platform.reports; row++) {
    const sum = sums[platform.functionCode[row]!];
    if (sum === undefined) continue;
    sum.invocations++;
    const mbMs = mbMsOf(platform, row);
    if (Number.isNaN(mbMs)) {
      sum.unpriced++;
      continue;
    }
    sum.mbMs += mbMs;
    sum.billedMs += platform.billed[row]!;
    const init = platform.init[row]!;
    // Older REPORT lines were billed without their init: it is no part of what they say.
    if (platform.billed[row]! >= platform.duration[row]! + init)
      sum.initUs += Math.round(init * 1_000);
  }
  return sums
    .filter(({ invocations }) => invocations > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ billedMs, initUs, mbMs, ...one }) => {
      const priced = one.invocations - one.unpriced;
      return {
        ...one,
        gbSeconds: gbSeconds(mbMs),
        initShare: billedMs === 0 ? null : initUs / 1_000 / billedMs,
        usd: usdOf(priced, mbMs, prices),
        usdPerMillion: priced === 0 ? null : usdOf(1e6, (mbMs / priced) * 1e6, prices),
      };
    });
}

function loadCosts({ arrivals, used, plan }: Tables, prices: PlannedPrices): LoadCost[] {
  return arrivals.map(({ load, arm }, at) => {
    const { value, note } = useCost(used[at]!, prices);
    const { name } = plan.loads[load]!;
    return { load: name, arm: plan.arms[arm] ?? "", usdPerMillion: value, note };
  });
}
