// Writes AWS/Lambda metrics: per function and for the account, at the minute an invocation began.
import type { Concurrency } from "../../model/limits.ts";
import { addValue, type Dimension, type MetricStore, type Series } from "../metrics/store.ts";

const NAMESPACE = "AWS/Lambda";

type AsyncMetric =
  | "AsyncEventsReceived"
  | "AsyncEventsDropped"
  | "DestinationDeliveryFailures"
  | "DeadLetterErrors";

/** What was invoked: CloudWatch counts it by function, and by what its caller named. */
export interface Invoked {
  readonly name: string;
  /** null = none was given. */
  readonly qualifier: string | null;
  /** That ran, or would have. */
  readonly version: string;
}

interface FunctionSeries {
  readonly invocations: Series;
  readonly errors: Series;
  readonly throttles: Series;
  readonly duration: Series;
  readonly concurrent: Series;
}

/** Sparse as CloudWatch is: no invocation, no point; errors are 0 where there were invocations. */
export class LambdaMetrics {
  readonly #store: MetricStore;
  /** By function, and by function, qualifier and version. */
  readonly #series = new Map<string, FunctionSeries>();
  readonly #account: FunctionSeries;
  readonly #unreserved: Series;
  readonly #claimed: Series;

  constructor(store: MetricStore) {
    this.#store = store;
    this.#account = this.#open([]);
    this.#unreserved = store.open(NAMESPACE, "UnreservedConcurrentExecutions", [], "Count");
    this.#claimed = store.open(NAMESPACE, "ClaimedAccountConcurrency", [], "Count");
  }

  /** One invocation that ran, at its start. */
  invoked(invoked: Invoked, startMs: number, durationMs: number, failed: boolean): void {
    for (const series of this.#allOf(invoked)) {
      addValue(series.invocations, startMs, 1);
      addValue(series.errors, startMs, failed ? 1 : 0);
      addValue(series.throttles, startMs, 0);
      addValue(series.duration, startMs, durationMs);
    }
  }

  throttled(invoked: Invoked, atMs: number): void {
    for (const series of this.#allOf(invoked)) addValue(series.throttles, atMs, 1);
  }

  /** An asynchronous event came in, was given up, or could not be handed on. */
  asyncEvent(name: string, atMs: number, metric: AsyncMetric): void {
    for (const dimensions of [byFunction(name), []])
      addValue(this.#store.open(NAMESPACE, metric, dimensions, "Count"), atMs, 1);
  }

  /** An attempt at an asynchronous event, so long after it was accepted. */
  asyncAge(name: string, atMs: number, ageMs: number): void {
    const dimensions = byFunction(name);
    addValue(this.#store.open(NAMESPACE, "AsyncEventAge", dimensions, "Milliseconds"), atMs, ageMs);
  }

  /** A function URL answered. */
  urlAnswered(name: string, startMs: number, latencyMs: number, status: number): void {
    const dimensions = byFunction(name);
    const add = (metric: string, value: number, unit = "Count"): void =>
      addValue(this.#store.open(NAMESPACE, metric, dimensions, unit), startMs, value);
    add("UrlRequestCount", 1);
    add("Url4xxCount", status >= 400 && status < 500 ? 1 : 0);
    add("Url5xxCount", status >= 500 ? 1 : 0);
    add("UrlRequestLatency", latencyMs, "Milliseconds");
  }

  /** An invocation of what has provisioned concurrency: in one of its environments, or spilled. */
  provisioned(
    invoked: Invoked,
    startMs: number,
    isAhead: boolean,
    { busy, wanted }: { readonly busy: number; readonly wanted: number },
  ): void {
    const add = (metric: string, value: number, unit = "Count"): void =>
      addValue(this.#store.open(NAMESPACE, metric, resourceOf(invoked), unit), startMs, value);
    add("ProvisionedConcurrencyInvocations", isAhead ? 1 : 0);
    add("ProvisionedConcurrencySpilloverInvocations", isAhead ? 0 : 1);
    add("ProvisionedConcurrentExecutions", busy);
    if (wanted > 0) add("ProvisionedConcurrencyUtilization", busy / wanted, "None");
  }

  /** Concurrency as it stands now; statistics other than Maximum mean little. */
  concurrency(name: string, atMs: number, now: Concurrency): void {
    addValue(this.#ofFunction(name).concurrent, atMs, now.function);
    addValue(this.#account.concurrent, atMs, now.account);
    addValue(this.#unreserved, atMs, now.unreserved);
    addValue(this.#claimed, atMs, now.claimed);
  }

  /** Of the account, of the function, and of the alias or version that was named. */
  #allOf(invoked: Invoked): FunctionSeries[] {
    const { name, qualifier, version } = invoked;
    const series = [this.#account, this.#ofFunction(name)];
    if (qualifier === null) return series;
    const resource = resourceOf(invoked);
    series.push(this.#of(resource));
    if (qualifier !== version)
      series.push(this.#of([...resource, { Name: "ExecutedVersion", Value: version }]));
    return series;
  }

  #ofFunction(name: string): FunctionSeries {
    return this.#series.get(name) ?? this.#of(byFunction(name));
  }

  #of(dimensions: readonly Dimension[]): FunctionSeries {
    const key = dimensions.map(({ Value }) => Value).join(" ");
    const found = this.#series.get(key);
    if (found !== undefined) return found;
    const made = this.#open(dimensions);
    this.#series.set(key, made);
    return made;
  }

  #open(dimensions: readonly Dimension[]): FunctionSeries {
    const open = (metric: string, unit = "Count"): Series =>
      this.#store.open(NAMESPACE, metric, dimensions, unit);
    return {
      invocations: open("Invocations"),
      errors: open("Errors"),
      throttles: open("Throttles"),
      duration: open("Duration", "Milliseconds"),
      concurrent: open("ConcurrentExecutions"),
    };
  }
}

const resourceOf = ({ name, qualifier }: Invoked): Dimension[] => [
  ...byFunction(name),
  { Name: "Resource", Value: `${name}:${qualifier}` },
];

const byFunction = (name: string): Dimension[] => [{ Name: "FunctionName", Value: name }];
