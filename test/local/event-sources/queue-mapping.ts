// A queue, a mapping and a scripted function in virtual time.

import { runUs, US_PER_MS } from "../../../src/core/time.ts";
import { POLLERS, type PollerLimits } from "../../../src/local/event-sources/poller-count.ts";
import { SqsSource } from "../../../src/local/event-sources/sqs-source.ts";
import type { InvokeOutcome } from "../../../src/local/function-host.ts";
import { MetricStore } from "../../../src/local/metrics/store.ts";
import type { Queue } from "../../../src/local/sqs/queue.ts";
import { QueueTable } from "../../../src/local/sqs/queue-table.ts";
import { DEFAULT_SETTINGS, type QueueSettings } from "../../../src/local/sqs/settings.ts";
import { SqsMetrics } from "../../../src/local/sqs/sqs-metrics.ts";
import type { SqsMappingSpec } from "../../../src/local/template/types.ts";
import { TestClock } from "../../support/test-clock.ts";

export interface Invoke {
  readonly atMs: number;
  readonly bodies: readonly string[];
  readonly event: { readonly Records: readonly { readonly [member: string]: unknown }[] };
}

interface Answer {
  readonly kind?: InvokeOutcome["kind"];
  readonly payload?: string;
  /** How long the function runs; a throttle takes no time. */
  readonly takesMs?: number;
}
export type Script = (invoke: Invoke, index: number) => Answer;

export class QueueBench {
  readonly clock = new TestClock();
  readonly queues = new QueueTable({
    clock: this.clock,
    account: "000000000000",
    region: "eu-west-1",
    metrics: new SqsMetrics(new MetricStore()),
  });
  readonly queue: Queue;
  readonly dead: Queue;
  readonly source: SqsSource;
  readonly invokes: Invoke[] = [];
  running = 0;

  constructor(
    script: Script,
    spec: Partial<SqsMappingSpec> = {},
    settings: Partial<QueueSettings> = {},
    pollers: PollerLimits = POLLERS,
  ) {
    this.dead = this.queues.create("dead", DEFAULT_SETTINGS);
    this.queue = this.queues.create("hooks", { ...DEFAULT_SETTINGS, ...settings });
    const whole: SqsMappingSpec = {
      uuid: "11111111-0000-4000-8000-000000000000",
      queueArn: this.queue.arn,
      functionName: "ingest",
      batchMax: 10,
      windowS: 0,
      maximumConcurrency: null,
      reportFailures: false,
      enabled: true,
      ...spec,
    };
    this.source = new SqsSource(whole, {
      clock: this.clock,
      queues: this.queues,
      pollers,
      invoke: (_, event) => this.#invoke(script, event),
    });
    this.source.start();
  }

  send(...bodies: string[]): void {
    for (const body of bodies) {
      const message = { body, attributes: {}, systemAttributes: {}, senderId: "000000000000" };
      this.queues.send(this.queue, message, body.length);
    }
  }

  sendMany(count: number): void {
    for (let i = 0; i < count; i++) this.send(String(i));
  }

  async #invoke(script: Script, text: string): Promise<InvokeOutcome> {
    const event = JSON.parse(text) as Invoke["event"];
    const bodies = event.Records.map(({ body }) => String(body));
    const invoke = { atMs: this.clock.nowUs() / US_PER_MS, bodies, event };
    this.invokes.push(invoke);
    const { kind = "ok", payload = "null", takesMs = 0 } = script(invoke, this.invokes.length - 1);
    this.running++;
    await this.clock.sleepUntil(runUs(this.clock.nowUs() + takesMs * US_PER_MS));
    this.running--;
    return { requestId: "r", kind, reason: "", payload, executedVersion: "$LATEST", tail: "" };
  }
}

/** The answer that names the messages with these bodies as failed. */
export function failing(invoke: Invoke, ...bodies: string[]): Answer {
  const items = invoke.event.Records.filter(({ body }) => bodies.includes(String(body)));
  const batchItemFailures = items.map(({ messageId }) => ({ itemIdentifier: messageId }));
  return { payload: JSON.stringify({ batchItemFailures }) };
}
