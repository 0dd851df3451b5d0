// ListMetrics: the metrics that have points.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";

interface DimensionFilter {
  readonly Name?: string;
  readonly Value?: string;
}

export function listMetrics(world: World, input: JsonInput): object {
  const given: unknown[] = Array.isArray(input.Dimensions) ? input.Dimensions : [];
  const filters = given.map((filter) => (filter ?? {}) as DimensionFilter);
  const found = [...world.metrics.series.values()].filter(
    (series) =>
      series.minutes.size > 0 &&
      (input.Namespace === undefined || series.namespace === input.Namespace) &&
      (input.MetricName === undefined || series.metric === input.MetricName) &&
      filters.every(({ Name, Value }) =>
        series.dimensions.some(
          (d) => d.Name === Name && (Value === undefined || d.Value === Value),
        ),
      ),
  );
  return {
    Metrics: found.map(({ namespace, metric, dimensions }) => ({
      Namespace: namespace,
      MetricName: metric,
      Dimensions: dimensions,
    })),
  };
}
