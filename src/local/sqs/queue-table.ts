// The account's queues: by name, URL and ARN; sending, receiving, dead letters, long polls.
import { setMaxListeners } from "node:events";
import { type Clock, US_PER_S } from "../../core/time.ts";
import { invalidAddress, queueDoesNotExist } from "./errors.ts";
import { LongPolls } from "./long-polls.ts";
import type { Message, NewMessage } from "./message.ts";
import { type Moment, Queue, type Received } from "./queue.ts";
import type { QueueSettings } from "./settings.ts";
import type { SqsMetrics } from "./sqs-metrics.ts";

/** SQS hands out at most ten messages a call. */
export const RECEIVE_MAX = 10;

export interface QueueTableDeps {
  readonly clock: Clock;
  readonly account: string;
  readonly region: string;
  readonly metrics: SqsMetrics;
}

export interface ReceiveOptions {
  readonly max: number;
  readonly waitS: number;
  readonly visibilityS: number;
  readonly signal?: AbortSignal;
}

export class QueueTable implements Disposable {
  /** `http://127.0.0.1:PORT`; queue URLs begin with it. */
  endpoint = "http://127.0.0.1";
  readonly #deps: QueueTableDeps;
  readonly #byName = new Map<string, { readonly queue: Queue; readonly polls: LongPolls }>();
  readonly #stop = new AbortController();

  constructor(deps: QueueTableDeps) {
    this.#deps = deps;
    setMaxListeners(0, this.#stop.signal); // every long poll listens
  }

  now(): Moment {
    const { clock } = this.#deps;
    return { us: clock.nowUs(), epochMs: clock.wallMs() };
  }

  arn(name: string): string {
    return `arn:aws:sqs:${this.#deps.region}:${this.#deps.account}:${name}`;
  }

  url(name: string): string {
    return `${this.endpoint}/${this.#deps.account}/${name}`;
  }

  create(name: string, settings: QueueSettings): Queue {
    const queue = new Queue(name, this.arn(name), settings, this.now().epochMs);
    const polls = new LongPolls(this.#deps.clock, () => queue.nextDueUs());
    this.#byName.set(name, { queue, polls });
    return queue;
  }

  delete(queue: Queue): void {
    const found = this.#byName.get(queue.name);
    this.#byName.delete(queue.name);
    found?.queue.purge();
    found?.polls.close();
  }

  all(): Queue[] {
    return [...this.#byName.values()].map(({ queue }) => queue);
  }

  get(name: string): Queue | undefined {
    return this.#byName.get(name)?.queue;
  }

  /** By ARN; undefined when it is no queue of this account and region. */
  byArn(arn: string): Queue | undefined {
    const name = arn.split(":")[5] ?? "";
    return this.arn(name) === arn ? this.get(name) : undefined;
  }

  /** By a queue URL, whatever its host is; throws AWS's errors. */
  byUrl(url: string): Queue {
    const [, account, name = ""] =
      /^(?:https?:\/\/[^/]+)?\/(\d{12})\/([\w.-]+)\/?$/.exec(url) ?? [];
    if (account === undefined) throw invalidAddress(url);
    const found = account === this.#deps.account ? this.get(name) : undefined;
    if (found === undefined) throw queueDoesNotExist();
    return found;
  }

  send(queue: Queue, message: NewMessage, sizeBytes: number, delayS?: number): Message {
    const at = this.now();
    const sent = queue.send(message, at, delayS);
    this.#deps.metrics.sent(queue.name, at.epochMs, sizeBytes);
    this.woke(queue, 1);
    return sent;
  }

  /** Waits for the first message for up to `waitS`; empty when there was none until then. */
  async receive(queue: Queue, options: ReceiveOptions): Promise<Received[]> {
    const untilUs = this.now().us + options.waitS * US_PER_S;
    const signal = options.signal ?? this.#stop.signal;
    for (;;) {
      if (signal.aborted || this.#stop.signal.aborted) return [];
      const taken = this.#takeNow(queue, options);
      const over = this.now().us >= untilUs;
      if (taken.length > 0 || over || this.get(queue.name) !== queue) {
        this.#deps.metrics.received(queue.name, this.now().epochMs, taken.length);
        return taken;
      }
      await this.#byName.get(queue.name)?.polls.wait(untilUs, signal);
    }
  }

  /** To be called after something may have become visible, or been hidden. */
  woke(queue: Queue, shown: number): void {
    const polls = this.#byName.get(queue.name)?.polls;
    if (shown > 0) polls?.wake(shown);
    polls?.arm();
  }

  removed(queue: Queue, count: number): void {
    this.#deps.metrics.deleted(queue.name, this.now().epochMs, count);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    for (const { polls } of this.#byName.values()) polls.close();
  }

  #takeNow(queue: Queue, { max, visibilityS }: ReceiveOptions): Received[] {
    const at = this.now();
    const shown = queue.advance(at);
    const taken = queue.take(max, visibilityS * US_PER_S, at, this.#deadLetters(queue));
    this.woke(queue, shown - taken.length);
    return taken;
  }

  /** Where a queue's given-up messages go; null = nowhere: they stay and are received again. */
  #deadLetters(queue: Queue): ((message: Message) => void) | null {
    const target = this.byArn(queue.settings.redrive?.deadLetterTargetArn ?? "");
    if (target === undefined) return null;
    return (message) => {
      message.deadLetterSource = queue.arn;
      target.adopt(message);
      this.woke(target, 1);
    };
  }
}
