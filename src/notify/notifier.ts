// Hands notices to their sinks beside the run: tried again, bounded, waited for by nobody.
import { randomUUID } from "node:crypto";
import { messageOf } from "../core/error.ts";
import type { NotifyEvent } from "../core/facts.ts";
import type { Notice } from "../core/notice.ts";
import { type Clock, runUs, US_PER_MS, US_PER_S } from "../core/time.ts";
import { type NotifySink, NotSent } from "./sink.ts";

export interface NotifierDeps {
  readonly sinks: readonly NotifySink[];
  readonly clock: Clock;
  /** Each notice that is asked for, and how it ended. */
  readonly record: (event: NotifyEvent) => void;
  /** For a person, when one could not be told. */
  readonly warn: (text: string) => void;
}

/** Longest time for one attempt. */
const ATTEMPT_MS = 5_000;
/** Pauses between the attempts at an ordinary notice; a page goes on for a minute. */
const PAUSES_US = [US_PER_S, 2 * US_PER_S];
const PAGE_PAUSE_US = { first: US_PER_S, most: 8 * US_PER_S };
const PAGE_US = 60 * US_PER_S;

interface Sending {
  readonly sink: NotifySink;
  readonly notice: Notice;
  readonly delivery: string;
  readonly ended: Promise<void>;
}

export class Notifier {
  readonly #deps: NotifierDeps;
  readonly #over = new AbortController();
  readonly #open = new Set<Sending>();
  /** Ordinary notices of a sink come in their order; a page waits for nothing. */
  readonly #tails = new Map<NotifySink, Promise<void>>();

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
  }

  /** Returns at once and never throws. */
  tell(notice: Notice): void {
    for (const sink of this.#deps.sinks) {
      if (!sink.on.includes(notice.kind) || this.#over.signal.aborted) continue;
      const delivery = randomUUID();
      this.#note(sink, notice, delivery, "asked");
      const before = isPage(notice) ? undefined : this.#tails.get(sink);
      const ended = (before ?? Promise.resolve()).then(() => this.#deliver(sink, notice, delivery));
      if (!isPage(notice)) this.#tails.set(sink, ended);
      const sending: Sending = { sink, notice, delivery, ended };
      this.#open.add(sending);
      void ended.then(() => this.#open.delete(sending));
    }
  }

  /** Before the verdict: what has no answer by now is a fact; it goes on being tried. */
  noteOpen(): void {
    for (const { sink, notice, delivery } of this.#open) this.#note(sink, notice, delivery, "open");
  }

  /** Resolves when all is told, or given up; what is left after `forUs` is given up. */
  async drain(forUs: number, kind?: NotifySink["kind"]): Promise<void> {
    const { clock } = this.#deps;
    const waiting = [...this.#open].filter(({ sink }) => kind === undefined || sink.kind === kind);
    if (waiting.length > 0) {
      const pages = waiting.some(({ notice }) => isPage(notice));
      const done = new AbortController();
      const untilUs = clock.nowUs() + (pages ? PAGE_US : forUs);
      const late = clock.sleepUntil(runUs(untilUs), done.signal).catch(() => {});
      await Promise.race([Promise.all(waiting.map(({ ended }) => ended)), late]);
      done.abort();
    }
    if (kind !== undefined) return;
    this.#over.abort();
    await Promise.all([...this.#open].map(({ ended }) => ended));
  }

  async #deliver(sink: NotifySink, notice: Notice, delivery: string): Promise<void> {
    const { clock, warn } = this.#deps;
    const untilUs = clock.nowUs() + PAGE_US;
    for (let tried = 1; ; tried++) {
      try {
        await sink.send(notice, delivery, attemptSignal(this.#over.signal));
        this.#note(sink, notice, delivery, "answered", { tries: tried });
        return;
      } catch (error) {
        const why = error instanceof NotSent ? error.message : messageOf(error);
        const isFinal = error instanceof NotSent && error.isFinal;
        const pauseUs = isPage(notice) ? pagePause(tried) : PAUSES_US[tried - 1];
        const late = isPage(notice) && clock.nowUs() + (pauseUs ?? 0) > untilUs;
        const isOver = this.#over.signal.aborted || pauseUs === undefined || late;
        if (isOver || (isFinal && !isPage(notice))) {
          this.#note(sink, notice, delivery, "failed", { tries: tried, detail: why });
          warn(`${sink.name} could not be told (${notice.kind}): ${why}`);
          return;
        }
        const againUs = runUs(clock.nowUs() + pauseUs);
        await clock.sleepUntil(againUs, this.#over.signal).catch(() => {}); // then a last try
      }
    }
  }

  #note(
    { name }: NotifySink,
    { kind }: Notice,
    delivery: string,
    step: NotifyEvent["step"],
    more: Pick<NotifyEvent, "tries" | "detail"> = {},
  ): void {
    try {
      this.#deps.record({ kind: "notify", sink: name, on: kind, delivery, step, ...more });
    } catch {
      // Facts that cannot be written are the run's business; people are told all the same.
    }
  }
}

const isPage = ({ severity }: Notice): boolean => severity === "page";

const attemptSignal = (over: AbortSignal): AbortSignal =>
  AbortSignal.any([over, AbortSignal.timeout(ATTEMPT_MS)]);

const pagePause = (tried: number): number =>
  Math.min(PAGE_PAUSE_US.first * 2 ** (tried - 1), PAGE_PAUSE_US.most);

/** Ordinary notices have so long once there is nothing else to do. */
export const DRAIN_US = 10_000 * US_PER_MS;
