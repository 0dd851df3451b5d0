// CloudWatch metrics in memory: one statistic set per metric, dimension set and minute; sparse.

/** Sorted `Name=value` pairs joined by `,`; "" for a metric of the whole account. */
export type DimensionKey = string;

export interface Dimension {
  readonly Name: string;
  readonly Value: string;
}

const dimensionKey = (dimensions: readonly Dimension[]): DimensionKey =>
  dimensions
    .map(({ Name, Value }) => `${Name}=${Value}`)
    .sort()
    .join(",");

const MINUTE_MS = 60_000;
/** Values are kept in buckets 1 % wide, so percentiles are that exact. */
const BUCKET_RATIO = Math.log(1.01);
/** Three hours of minutes for each series; CloudWatch keeps fifteen days. */
const MINUTES_MAX = 180;

export class StatisticSet {
  count = 0;
  sum = 0;
  minimum = Number.POSITIVE_INFINITY;
  maximum = Number.NEGATIVE_INFINITY;
  readonly #buckets = new Map<number, number>();

  add(value: number, withBuckets: boolean): void {
    this.count++;
    this.sum += value;
    if (value < this.minimum) this.minimum = value;
    if (value > this.maximum) this.maximum = value;
    if (!withBuckets) return;
    const bucket = value <= 0 ? Number.MIN_SAFE_INTEGER : Math.ceil(Math.log(value) / BUCKET_RATIO);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  merge(other: StatisticSet): void {
    this.count += other.count;
    this.sum += other.sum;
    this.minimum = Math.min(this.minimum, other.minimum);
    this.maximum = Math.max(this.maximum, other.maximum);
    for (const [bucket, count] of other.#buckets)
      this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count);
  }

  /** `Sum`, `Average`, `pNN.N`, …; null for a statistic that local AWS does not know. */
  statistic(name: string): number | null {
    switch (name) {
      case "Sum":
        return this.sum;
      case "SampleCount":
        return this.count;
      case "Average":
        return this.sum / this.count;
      case "Minimum":
        return this.minimum;
      case "Maximum":
        return this.maximum;
    }
    const [, percent] = /^p(\d{1,2}(?:\.\d+)?|100)$/.exec(name) ?? [];
    return percent === undefined ? null : this.#percentile(Number(percent) / 100);
  }

  #percentile(share: number): number {
    let left = Math.max(1, Math.ceil(share * this.count));
    for (const bucket of [...this.#buckets.keys()].sort((a, b) => a - b)) {
      left -= this.#buckets.get(bucket) ?? 0;
      if (left <= 0) return Math.min(this.maximum, Math.exp(bucket * BUCKET_RATIO));
    }
    return this.maximum;
  }
}

export interface Series {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: readonly Dimension[];
  readonly unit: string;
  /** Minute (ms since 1970, a multiple of 60,000) → its values. */
  readonly minutes: Map<number, StatisticSet>;
}

export class MetricStore {
  readonly series = new Map<string, Series>();

  /** A series to add to; hot paths keep it. */
  open(namespace: string, metric: string, dimensions: readonly Dimension[], unit: string): Series {
    const key = seriesKey(namespace, metric, dimensions);
    const found = this.series.get(key);
    if (found !== undefined) return found;
    const made: Series = { namespace, metric, dimensions, unit, minutes: new Map() };
    this.series.set(key, made);
    return made;
  }

  /** The same values under further dimensions. */
  alias(series: Series, dimensions: readonly Dimension[]): void {
    const { namespace, metric } = series;
    this.series.set(seriesKey(namespace, metric, dimensions), { ...series, dimensions });
  }

  find(namespace: string, metric: string, dimensions: readonly Dimension[]): Series | undefined {
    return this.series.get(seriesKey(namespace, metric, dimensions));
  }
}

const seriesKey = (namespace: string, metric: string, dimensions: readonly Dimension[]): string =>
  `${namespace}|${metric}|${dimensionKey(dimensions)}`;

/** Adds one value to the minute of `atEpochMs`. */
export function addValue(series: Series, atEpochMs: number, value: number): void {
  const minute = Math.floor(atEpochMs / MINUTE_MS) * MINUTE_MS;
  let set = series.minutes.get(minute);
  if (set === undefined) {
    set = new StatisticSet();
    series.minutes.set(minute, set);
    const oldest = series.minutes.keys().next().value;
    if (series.minutes.size > MINUTES_MAX && oldest !== undefined) series.minutes.delete(oldest);
  }
  set.add(value, series.unit === "Milliseconds");
}

/** Points of `[startMs, endMs)` by `periodMs`, oldest first, only where there are values. */
export function points(
  series: Series,
  range: { startMs: number; endMs: number; periodMs: number },
): { atMs: number; set: StatisticSet }[] {
  const merged = new Map<number, StatisticSet>();
  for (const [minute, set] of series.minutes) {
    const atMs = Math.floor(minute / range.periodMs) * range.periodMs;
    if (atMs < Math.floor(range.startMs / range.periodMs) * range.periodMs) continue;
    if (minute >= range.endMs) continue;
    const into = merged.get(atMs) ?? new StatisticSet();
    into.merge(set);
    merged.set(atMs, into);
  }
  return [...merged].sort(([a], [b]) => a - b).map(([atMs, set]) => ({ atMs, set }));
}
