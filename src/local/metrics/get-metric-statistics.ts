// GetMetricStatistics: the points of one metric, with every statistic that is asked for.

import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { dimensionsOf, invalidMetric, periodMsOf, timeOf } from "./metric-input.ts";
import { points, type StatisticSet } from "./store.ts";

const POINTS_MAX = 1_440;

export function getMetricStatistics(world: World, input: JsonInput): object {
  const [namespace, metric] = [said(input.Namespace), said(input.MetricName)];
  const series = world.metrics.find(namespace, metric, dimensionsOf(input.Dimensions));
  const range = {
    startMs: timeOf(input, "StartTime"),
    endMs: timeOf(input, "EndTime"),
    periodMs: periodMsOf(input.Period),
  };
  const found = series === undefined ? [] : points(series, range);
  if (found.length > POINTS_MAX)
    throw invalidMetric(`You have requested up to ${found.length} datapoints, over ${POINTS_MAX}.`);
  const Datapoints = found.map(({ atMs, set }) => ({
    Timestamp: atMs / 1_000,
    Unit: series?.unit,
    ...statisticsOf(set, input.Statistics),
    ...extendedOf(set, input.ExtendedStatistics),
  }));
  return { Label: metric, Datapoints };
}

function statisticsOf(set: StatisticSet, names: unknown): { [name: string]: number } {
  if (!Array.isArray(names)) return {};
  return Object.fromEntries(names.map((name) => [said(name), required(set, said(name))]));
}

function extendedOf(set: StatisticSet, names: unknown): object {
  if (!Array.isArray(names) || names.length === 0) return {};
  return { ExtendedStatistics: statisticsOf(set, names) };
}

function required(set: StatisticSet, name: string): number {
  const value = set.statistic(name);
  if (value === null) throw invalidMetric(`Local AWS does not know the statistic '${name}'.`);
  return value;
}
