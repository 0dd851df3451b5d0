// How many events come by themselves: sums of CloudWatch metrics over the last hour.
import type { Json } from "../core/change.ts";

/** Namespace, metric, dimension and its value. */
export type RateQuery = readonly [
  namespace: string,
  metric: string,
  dimension: string,
  value: string,
];

type Output = { readonly [key: string]: unknown };

const SPAN_S = 3_600;
const PERIOD_S = 60;

/** Mean per second of each; nothing published counts as none. Null when `ask` has no answer. */
export async function eventRates(
  ask: (input: { readonly [key: string]: Json }) => Promise<Output | null>,
  queries: readonly RateQuery[],
  nowMs: number,
): Promise<readonly number[] | null> {
  const found = await metricValues(ask, queries, { nowMs, spanS: SPAN_S, stat: "Sum" });
  return found?.map((values) => values.reduce((sum, value) => sum + value, 0) / SPAN_S) ?? null;
}

/** Most of CloudWatch's queries in one call. */
const QUERIES_MAX = 500;

/** The minute values of each query over the last `spanS` seconds, in no order. */
export async function metricValues(
  ask: (input: { readonly [key: string]: Json }) => Promise<Output | null>,
  queries: readonly RateQuery[],
  over: { readonly nowMs: number; readonly spanS: number; readonly stat: "Sum" | "Maximum" },
): Promise<readonly (readonly number[])[] | null> {
  const values = queries.map((): number[] => []);
  const endS = Math.ceil(over.nowMs / 1_000 / PERIOD_S) * PERIOD_S;
  for (let from = 0; from < queries.length; from += QUERIES_MAX) {
    const some = queries.slice(from, from + QUERIES_MAX);
    const input = {
      StartTime: endS - over.spanS,
      EndTime: endS,
      MetricDataQueries: some.map((query, at) => queryInput(query, at, over.stat)),
    };
    let next: Json | undefined;
    do {
      const output = await ask(next === undefined ? input : { ...input, NextToken: next });
      if (output === null) return null;
      for (const { Id: id, Values: more } of (output.MetricDataResults ?? []) as Output[])
        values[from + Number(String(id).slice(1))]?.push(...((more ?? []) as number[]));
      next = output.NextToken as Json | undefined;
    } while (next !== undefined);
  }
  return values;
}

function queryInput([Namespace, MetricName, Name, Value]: RateQuery, at: number, Stat: string) {
  const Metric = { Namespace, MetricName, Dimensions: [{ Name, Value }] };
  return { Id: `q${at}`, MetricStat: { Metric, Period: PERIOD_S, Stat }, ReturnData: true };
}
