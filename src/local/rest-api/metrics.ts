// Writes AWS/ApiGateway metrics of a REST API: by its name, and by its name and stage.
import { addValue, type Dimension, type MetricStore, type Series } from "../metrics/store.ts";
import type { RestApiSpec } from "../template/rest-types.ts";

const NAMESPACE = "AWS/ApiGateway";

export interface Answered {
  readonly status: number;
  /** When the request came in. */
  readonly atEpochMs: number;
  readonly latencyMs: number;
  /** null = no function was asked. */
  readonly integrationMs: number | null;
}

/** Errors are 0 where there were none, so that their average is a rate. */
export function restMetrics(
  store: MetricStore,
  { name, stage }: RestApiSpec,
): (answered: Answered) => void {
  const byName = { Name: "ApiName", Value: name };
  const all = [[byName], [byName, { Name: "Stage", Value: stage }]].map((dimensions) =>
    seriesOf(store, dimensions),
  );
  return ({ status, atEpochMs, latencyMs, integrationMs }) => {
    for (const series of all) {
      addValue(series.count, atEpochMs, 1);
      addValue(series.clientErrors, atEpochMs, status >= 400 && status < 500 ? 1 : 0);
      addValue(series.serverErrors, atEpochMs, status >= 500 ? 1 : 0);
      addValue(series.latency, atEpochMs, latencyMs);
      if (integrationMs !== null) addValue(series.integration, atEpochMs, integrationMs);
    }
  };
}

function seriesOf(
  store: MetricStore,
  dimensions: readonly Dimension[],
): {
  readonly [of in "count" | "clientErrors" | "serverErrors" | "latency" | "integration"]: Series;
} {
  const open = (metric: string, unit = "Count"): Series =>
    store.open(NAMESPACE, metric, dimensions, unit);
  return {
    count: open("Count"),
    clientErrors: open("4XXError"),
    serverErrors: open("5XXError"),
    latency: open("Latency", "Milliseconds"),
    integration: open("IntegrationLatency", "Milliseconds"),
  };
}
