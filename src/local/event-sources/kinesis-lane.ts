// One line of batches of a shard: gathers by size, bytes and window; one batch at a time.
import { type RunUs, runUs, US_PER_S } from "../../core/time.ts";
import { type Delivery, deliver } from "./kinesis-deliver.ts";
import { batchFit, type Waiting } from "./kinesis-event.ts";

export class Lane {
  /** What is before it is done; a mapping that was stopped goes on here. */
  nextPosition: number;
  readonly #delivery: Delivery;
  readonly #taken: () => void;
  #waiting: Waiting[] = [];
  #inBatch = 0;
  #firstAtUs = 0;
  #offered: () => void = () => {};

  /** `taken` is called whenever there is room again. */
  constructor(nextPosition: number, delivery: Omit<Delivery, "settled">, taken: () => void) {
    this.nextPosition = nextPosition;
    this.#taken = taken;
    this.#delivery = {
      ...delivery,
      settled: (records) => {
        this.nextPosition = records.at(-1)!.record.position + 1;
        this.#inBatch -= records.length;
      },
    };
  }

  /** Records that wait for a batch. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The first position that may still have to be done; null when nothing is known of any. */
  get firstUndone(): number | null {
    return this.#inBatch > 0 ? this.nextPosition : (this.#waiting[0]?.record.position ?? null);
  }

  offer(record: Waiting): void {
    if (this.#waiting.length === 0) this.#firstAtUs = this.#delivery.deps.clock.nowUs();
    this.#waiting.push(record);
    this.#offered();
  }

  /** Ends with the signal's reason. */
  async run(): Promise<void> {
    const { signal } = this.#delivery;
    for (;;) {
      const batch = await this.#gather(signal);
      this.#inBatch = batch.length;
      this.nextPosition = batch[0]!.record.position;
      this.#taken();
      await deliver(batch, this.#delivery);
    }
  }

  async #gather(signal: AbortSignal): Promise<Waiting[]> {
    const { spec, deps } = this.#delivery;
    for (;;) {
      signal.throwIfAborted();
      const { count, full } = batchFit(this.#waiting, spec.batchMax);
      const dueUs = runUs(this.#firstAtUs + spec.windowS * US_PER_S);
      if (count > 0 && (full || deps.clock.nowUs() >= dueUs)) return this.#take(count);
      await this.#more(count === 0 ? null : dueUs, signal);
    }
  }

  #take(count: number): Waiting[] {
    const batch = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#firstAtUs = this.#delivery.deps.clock.nowUs();
    return batch;
  }

  /** Until something is offered, or `untilUs`. */
  async #more(untilUs: RunUs | null, signal: AbortSignal): Promise<void> {
    const { clock } = this.#delivery.deps;
    const woken = new AbortController();
    const stop = (): void => woken.abort();
    signal.addEventListener("abort", stop, { once: true });
    this.#offered = stop;
    const ended = new Promise<void>((resolve) => {
      woken.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    if (untilUs === null) await ended;
    else await clock.sleepUntil(untilUs, woken.signal).catch(() => {});
    this.#offered = () => {};
    signal.removeEventListener("abort", stop);
  }
}
