// Writes AWS/SQS metrics: calls as they happen, depths and ages once a minute.
import { addValue, type MetricStore } from "../metrics/store.ts";
import type { Queue } from "./queue.ts";

const NAMESPACE = "AWS/SQS";
const MINUTE_MS = 60_000;

export class SqsMetrics {
  readonly #store: MetricStore;
  #sampledMinute = -1;

  constructor(store: MetricStore) {
    this.#store = store;
  }

  sent(queue: string, atMs: number, sizeBytes: number): void {
    this.#add(queue, "NumberOfMessagesSent", atMs, 1);
    this.#add(queue, "SentMessageSize", atMs, sizeBytes, "Bytes");
  }

  received(queue: string, atMs: number, count: number): void {
    if (count === 0) this.#add(queue, "NumberOfEmptyReceives", atMs, 1);
    else this.#add(queue, "NumberOfMessagesReceived", atMs, count);
  }

  deleted(queue: string, atMs: number, count: number): void {
    if (count > 0) this.#add(queue, "NumberOfMessagesDeleted", atMs, count);
  }

  /** One sample of every queue in each minute, as CloudWatch has; call it often. */
  sample(queues: readonly Queue[], at: { us: number; epochMs: number }): void {
    const minute = Math.floor(at.epochMs / MINUTE_MS);
    if (minute === this.#sampledMinute) return;
    this.#sampledMinute = minute;
    for (const queue of queues) {
      queue.advance(at);
      const { visible, delayed, inFlight } = queue.counts();
      const oldest = queue.oldestSentEpochMs();
      const age = oldest === null ? 0 : Math.floor((at.epochMs - oldest) / 1_000);
      this.#add(queue.name, "ApproximateNumberOfMessagesVisible", at.epochMs, visible);
      this.#add(queue.name, "ApproximateNumberOfMessagesNotVisible", at.epochMs, inFlight);
      this.#add(queue.name, "ApproximateNumberOfMessagesDelayed", at.epochMs, delayed);
      this.#add(queue.name, "ApproximateAgeOfOldestMessage", at.epochMs, age, "Seconds");
    }
  }

  #add(queue: string, metric: string, atMs: number, value: number, unit = "Count"): void {
    const dimensions = [{ Name: "QueueName", Value: queue }];
    addValue(this.#store.open(NAMESPACE, metric, dimensions, unit), atMs, value);
  }
}
