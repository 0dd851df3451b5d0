// Writes AWS/ApiGateway metrics of HTTP and REST APIs: of the API, and of its stage.
import { addValue, type Dimension, type MetricStore, type Series } from "./metrics/store.ts";
import type { RestApiSpec } from "./template/rest-types.ts";
import type { HttpApiSpec } from "./template/types.ts";

const NAMESPACE = "AWS/ApiGateway";

export interface Answered {
  readonly status: number;
  /** When the request came in. */
  readonly atEpochMs: number;
  readonly latencyMs: number;
  /** null = no integration was asked. */
  readonly integrationMs: number | null;
}

/** REST APIs are known by their name there: two of one name are counted together. */
export function restMetrics(
  store: MetricStore,
  { name, stage }: RestApiSpec,
): (answered: Answered) => void {
  const byName = { Name: "ApiName", Value: name };
  const [all, ofStage] = [[byName], [byName, { Name: "Stage", Value: stage }]].map((dimensions) =>
    adding(seriesOf(store, dimensions, ["4XXError", "5XXError"])),
  );
  return (answered) => {
    all!(answered);
    ofStage!(answered);
  };
}

/** An HTTP API has one stage here: its values are those of the API, and are added once. */
export function httpMetrics(
  store: MetricStore,
  { apiId, stage }: HttpApiSpec,
): (answered: Answered) => void {
  const byId = { Name: "ApiId", Value: apiId };
  const series = seriesOf(store, [byId], ["4xx", "5xx"]);
  for (const one of Object.values(series))
    store.alias(one, [byId, { Name: "Stage", Value: stage }]);
  return adding(series);
}

interface FrontSeries {
  readonly [of: string]: Series;
  readonly count: Series;
  readonly clientErrors: Series;
  readonly serverErrors: Series;
  readonly latency: Series;
  readonly integration: Series;
}

/** Errors are 0 where there were none, so that their average is a rate. */
const adding = (series: FrontSeries) => {
  return ({ status, atEpochMs, latencyMs, integrationMs }: Answered): void => {
    addValue(series.count, atEpochMs, 1);
    addValue(series.clientErrors, atEpochMs, status >= 400 && status < 500 ? 1 : 0);
    addValue(series.serverErrors, atEpochMs, status >= 500 ? 1 : 0);
    addValue(series.latency, atEpochMs, latencyMs);
    if (integrationMs !== null) addValue(series.integration, atEpochMs, integrationMs);
  };
};

function seriesOf(
  store: MetricStore,
  dimensions: readonly Dimension[],
  [clientErrors, serverErrors]: readonly [string, string],
): FrontSeries {
  const open = (metric: string, unit = "Count"): Series =>
    store.open(NAMESPACE, metric, dimensions, unit);
  return {
    count: open("Count"),
    clientErrors: open(clientErrors),
    serverErrors: open(serverErrors),
    latency: open("Latency", "Milliseconds"),
    integration: open("IntegrationLatency", "Milliseconds"),
  };
}
