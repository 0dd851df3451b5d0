// Writes AWS/Kinesis metrics of streams, as the calls happen.
import { addValue, type MetricStore, type Series } from "../metrics/store.ts";

const NAMESPACE = "AWS/Kinesis";

/** One PutRecord or PutRecords call. */
export interface PutCounts {
  readonly records: number;
  readonly stored: number;
  readonly storedBytes: number;
}

export class KinesisMetrics {
  readonly #store: MetricStore;
  readonly #series = new Map<string, Series>();

  constructor(store: MetricStore) {
    this.#store = store;
  }

  /** `IncomingRecords` has what was stored only; Success is 1 when anything was. */
  put(
    stream: string,
    operation: "PutRecord" | "PutRecords",
    atMs: number,
    { records, stored, storedBytes }: PutCounts,
  ): void {
    const refused = records - stored;
    this.#add(stream, `${operation}.Success`, atMs, stored > 0 ? 1 : 0);
    this.#add(stream, `${operation}.Bytes`, atMs, storedBytes, "Bytes");
    if (operation === "PutRecords") {
      this.#add(stream, "PutRecords.TotalRecords", atMs, records);
      this.#add(stream, "PutRecords.SuccessfulRecords", atMs, stored);
      this.#add(stream, "PutRecords.FailedRecords", atMs, 0);
      this.#add(stream, "PutRecords.ThrottledRecords", atMs, refused);
    }
    this.#add(stream, "IncomingRecords", atMs, stored);
    this.#add(stream, "IncomingBytes", atMs, storedBytes, "Bytes");
    this.#add(stream, "WriteProvisionedThroughputExceeded", atMs, refused);
  }

  read(
    stream: string,
    atMs: number,
    got: { readonly records: number; readonly bytes: number; readonly ageMs: number },
  ): void {
    this.#add(stream, "GetRecords.Success", atMs, 1);
    this.#add(stream, "GetRecords.Records", atMs, got.records);
    this.#add(stream, "GetRecords.Bytes", atMs, got.bytes, "Bytes");
    this.#add(stream, "GetRecords.IteratorAgeMilliseconds", atMs, got.ageMs, "Milliseconds");
    this.#add(stream, "ReadProvisionedThroughputExceeded", atMs, 0);
  }

  readRefused(stream: string, atMs: number): void {
    this.#add(stream, "ReadProvisionedThroughputExceeded", atMs, 1);
  }

  #add(stream: string, metric: string, atMs: number, value: number, unit = "Count"): void {
    const key = `${metric}|${stream}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const dimensions = [{ Name: "StreamName", Value: stream }];
      series = this.#store.open(NAMESPACE, metric, dimensions, unit);
      this.#series.set(key, series);
    }
    addValue(series, atMs, value);
  }
}
