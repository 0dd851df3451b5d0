// GetMetricData: points of metrics, without metric math.

import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { dimensionsOf, invalidMetric, periodMsOf, timeOf } from "./metric-input.ts";
import { points } from "./store.ts";

const QUERIES_MAX = 500;

export function getMetricData(world: World, input: JsonInput): object {
  const queries = Array.isArray(input.MetricDataQueries) ? input.MetricDataQueries : [];
  if (queries.length === 0 || queries.length > QUERIES_MAX)
    throw invalidMetric(`MetricDataQueries must have between 1 and ${QUERIES_MAX} members.`);
  const startMs = timeOf(input, "StartTime");
  const endMs = timeOf(input, "EndTime");
  if (startMs >= endMs)
    throw invalidMetric("The parameter StartTime must be less than the parameter EndTime.");
  const ascending = input.ScanBy === "TimestampAscending";
  const results = (queries as (JsonInput | null)[])
    .map((query) => query ?? {})
    .filter(({ ReturnData }) => ReturnData !== false)
    .map((query) => resultOf(world, query, { startMs, endMs }, ascending));
  return { MetricDataResults: results, Messages: [] };
}

interface MetricStat {
  readonly Metric?: {
    readonly Namespace?: string;
    readonly MetricName?: string;
    readonly Dimensions?: unknown;
  };
  readonly Period?: unknown;
  readonly Stat?: string;
}

function resultOf(
  world: World,
  query: JsonInput,
  range: { readonly startMs: number; readonly endMs: number },
  ascending: boolean,
): object {
  const { Metric: metric, Period, Stat = "" } = (query.MetricStat ?? {}) as MetricStat;
  if (metric?.Namespace === undefined || metric.MetricName === undefined)
    throw invalidMetric("Local AWS answers MetricStat queries only, no Expression.");
  const dimensions = dimensionsOf(metric.Dimensions);
  const series = world.metrics.find(metric.Namespace, metric.MetricName, dimensions);
  const periodMs = periodMsOf(Period);
  const found = series === undefined ? [] : points(series, { ...range, periodMs });
  if (!ascending) found.reverse();
  return {
    Id: said(query.Id),
    Label: said(query.Label ?? metric.MetricName),
    Timestamps: found.map(({ atMs }) => atMs / 1_000),
    Values: found.map(({ set }) => {
      const value = set.statistic(Stat);
      if (value === null) throw invalidMetric(`Local AWS does not know the statistic '${Stat}'.`);
      return value;
    }),
    StatusCode: "Complete",
  };
}
