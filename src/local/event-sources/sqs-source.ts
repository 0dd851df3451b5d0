// Reads a queue for a function: pollers, batches, retries while messages are held, deletes.
import { setMaxListeners } from "node:events";
import { type Clock, runUs, US_PER_S } from "../../core/time.ts";
import type { InvokeOutcome } from "../function-host.ts";
import type { Queue, Received } from "../sqs/queue.ts";
import { type QueueTable, RECEIVE_MAX } from "../sqs/queue-table.ts";
import type { SqsMappingSpec } from "../template/types.ts";
import type { EventSource, MappingInput } from "./event-source.ts";
import { PollerCount, type PollerLimits } from "./poller-count.ts";
import { failedOf, type Payload, payloadsOf } from "./sqs-event.ts";
import { describeSettings, settingsOf } from "./sqs-settings.ts";

export interface SqsSourceDeps {
  readonly clock: Clock;
  readonly queues: QueueTable;
  readonly pollers: PollerLimits;
  /** Never rejects for what the function does. */
  invoke(functionName: string, event: string): Promise<InvokeOutcome>;
}

/** Pollers wait as long as SQS lets them. */
const LONG_POLL_S = 20;
/** A refused batch is tried again so soon, then half as often each time; AWS gives no numbers. */
const REFUSED_FIRST_US = US_PER_S;
const REFUSED_MAX_US = 30 * US_PER_S;

interface Run {
  readonly queue: Queue;
  readonly stop: AbortController;
  readonly count: PollerCount;
  /** By number: the pollers that there are. */
  readonly pollers: Map<number, Promise<void>>;
  /** Pollers that have a batch. */
  busy: number;
}

export class SqsSource implements EventSource {
  readonly transitionReason = "USER_INITIATED";
  #spec: SqsMappingSpec;
  readonly #deps: SqsSourceDeps;
  #run: Run | null = null;

  constructor(spec: SqsMappingSpec, deps: SqsSourceDeps) {
    this.#spec = spec;
    this.#deps = deps;
  }

  get uuid(): string {
    return this.#spec.uuid;
  }

  get sourceArn(): string {
    return this.#spec.queueArn;
  }

  get functionName(): string {
    return this.#spec.functionName;
  }

  /** Batches that are with the function, or held while it refuses them. */
  get busy(): number {
    return this.#run?.busy ?? 0;
  }

  describe(): { readonly [member: string]: unknown } {
    return describeSettings(this.#spec);
  }

  update(input: MappingInput): () => void {
    const settings = settingsOf(input, this.#spec);
    return () => {
      this.#spec = { ...this.#spec, ...settings };
    };
  }

  start(): boolean {
    if (this.#run !== null) return true;
    const queue = this.#deps.queues.byArn(this.#spec.queueArn);
    if (queue === undefined) return false;
    const { pollers: limits } = this.#deps;
    const max = Math.min(limits.max, this.#spec.maximumConcurrency ?? limits.max);
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const count = new PollerCount({ ...limits, max });
    const run: Run = { queue, stop, count, pollers: new Map(), busy: 0 };
    this.#run = run;
    this.#fill(run);
    void this.#scale(run);
    return true;
  }

  async stop(): Promise<void> {
    const run = this.#run;
    if (run === null) return;
    run.stop.abort();
    await Promise.all(run.pollers.values());
    if (this.#run === run) this.#run = null;
  }

  /** Once a second, until stopped. */
  async #scale(run: Run): Promise<void> {
    const { clock, queues } = this.#deps;
    for (;;) {
      const atUs = runUs(clock.nowUs() + US_PER_S);
      const over = await clock.sleepUntil(atUs, run.stop.signal).then(
        () => false,
        () => true,
      );
      if (over) return;
      run.queue.advance(queues.now());
      const full = run.busy >= run.count.allowed;
      run.count.second(full && run.queue.counts().visible > 0);
      this.#fill(run);
    }
  }

  #fill(run: Run): void {
    for (let number = 0; number < run.count.allowed; number++) {
      if (run.pollers.has(number)) continue;
      const ended = this.#poll(run, number).finally(() => run.pollers.delete(number));
      run.pollers.set(number, ended);
    }
  }

  async #poll(run: Run, number: number): Promise<void> {
    while (number < run.count.allowed && !run.stop.signal.aborted) {
      const first = await this.#receive(run, this.#spec.batchMax, LONG_POLL_S);
      if (first.length === 0) {
        if (this.#deps.queues.byArn(this.#spec.queueArn) !== run.queue) return;
        continue;
      }
      run.busy++;
      try {
        const batch = await this.#gather(run, first);
        for (const payload of payloadsOf(batch, this.#spec.queueArn))
          await this.#deliver(run, payload);
      } finally {
        run.busy--;
      }
    }
  }

  #receive(run: Run, room: number, waitS: number): Promise<Received[]> {
    const max = Math.min(RECEIVE_MAX, room);
    const visibilityS = run.queue.settings.visibilityTimeoutS;
    const { signal } = run.stop;
    return this.#deps.queues.receive(run.queue, { max, waitS, visibilityS, signal });
  }

  /** Goes on receiving until the batch is full or the window, counted from the first, is over. */
  async #gather(run: Run, first: Received[]): Promise<Received[]> {
    const { clock } = this.#deps;
    const { batchMax, windowS } = this.#spec;
    const endUs = clock.nowUs() + windowS * US_PER_S;
    const batch = [...first];
    while (batch.length < batchMax && clock.nowUs() < endUs && !run.stop.signal.aborted) {
      const waitS = Math.min(LONG_POLL_S, (endUs - clock.nowUs()) / US_PER_S);
      batch.push(...(await this.#receive(run, batchMax - batch.length, waitS)));
    }
    return batch;
  }

  /**
   * | answer | messages | fewer pollers |
   * |---|---|---|
   * | done | deleted | no |
   * | some items failed | deleted, but for those: they reappear | no: reporting them disables it |
   * | error | reappear when their visibility timeout ends | yes, unless items are reported |
   * | refused | held and tried again until their visibility timeout ends | the same |
   */
  async #deliver(run: Run, { batch, event }: Payload): Promise<void> {
    const { clock } = this.#deps;
    const { functionName, reportFailures } = this.#spec;
    const heldUntilUs = Math.min(...batch.map(({ message }) => message.dueUs));
    for (let waitUs = REFUSED_FIRST_US; ; waitUs = Math.min(REFUSED_MAX_US, waitUs * 2)) {
      const outcome = await this.#deps.invoke(functionName, event);
      if (outcome.kind === "ok") {
        run.count.done();
        return this.#done(run.queue, batch, outcome);
      }
      if (!reportFailures) run.count.fail();
      if (outcome.kind !== "throttled") return;
      const againUs = runUs(clock.nowUs() + waitUs);
      if (againUs >= heldUntilUs) return; // the messages reappear, with a receive more
      const stopped = await clock.sleepUntil(againUs, run.stop.signal).then(
        () => false,
        () => true,
      );
      if (stopped) return;
    }
  }

  /** A message that was received by somebody else meanwhile stays: it will be processed twice. */
  #done(queue: Queue, batch: readonly Received[], { payload }: InvokeOutcome): void {
    const failed = this.#spec.reportFailures ? failedOf(payload, batch) : [];
    if (failed === null) return;
    let deleted = 0;
    for (const one of batch) {
      if (failed.includes(one)) continue;
      const found = queue.find(one.receipt);
      if (found === null || found === "stale") continue;
      queue.remove(found);
      deleted++;
    }
    this.#deps.queues.removed(queue, deleted);
  }
}
