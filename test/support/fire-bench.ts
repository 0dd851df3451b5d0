// Firing in virtual time: a load, a server as a function of time, and what was recorded.
import type { Answer, Arrival, Call, Target } from "../../src/core/arrival.ts";
import { reasonCode } from "../../src/core/outcome.ts";
import { seededRng } from "../../src/core/rng.ts";
import { runUs } from "../../src/core/time.ts";
import { fire } from "../../src/run/fire.ts";
import type { FireLoad, Firing } from "../../src/run/fire-load.ts";
import {
  type LiveCell,
  liveBuffer,
  loadCounters,
  readLive,
  sumSince,
} from "../../src/run/live-counters.ts";
import type { AttemptKey, Recorder } from "../../src/run/recorder.ts";
import { answer } from "./answers.ts";
import { TestClock } from "./test-clock.ts";

/** What the server does with the n-th attempt (from 0), at `atUs`; null = it never answers. */
export type Serve = (
  atUs: number,
  n: number,
  call: Call,
) => ({ afterUs: number } & { [key in keyof Answer]?: Answer[key] }) | null;

/** A row as the report would see it. */
export interface Row {
  readonly index: number;
  readonly attempt: number;
  readonly outcome: string;
  readonly reason: string;
  readonly dueUs: number;
  readonly readyUs: number;
  readonly sentUs: number;
  readonly doneUs: number;
}

export class FireBench implements Recorder {
  readonly clock = new TestClock();
  readonly rows: Row[] = [];
  /** Times at which the server saw an attempt. */
  readonly seenUs: number[] = [];
  readonly firing: Firing;
  ended = false;
  failed: unknown;
  readonly #buffer = liveBuffer([1]);

  constructor(load: Partial<FireLoad> & Pick<FireLoad, "arrivals">, serve: Serve, seed = 1) {
    const whole: FireLoad = {
      code: 0,
      arm: 0,
      share: { index: 0, of: 1 },
      target: this.#target(serve),
      resend: null,
      inFlightMax: 1_000_000,
      graceUs: 3_000_000,
      closed: null,
      ...load,
    };
    this.firing = fire(whole, {
      clock: this.clock,
      pacer: this.clock,
      recorder: this,
      counters: loadCounters([1], this.#buffer)[0]!,
      rng: seededRng(seed),
      stopped: () => false,
    });
    this.firing.ended.then(
      () => {
        this.ended = true;
      },
      (bug) => {
        this.failed = bug;
      },
    );
  }

  /** Plays until everything has ended (at most `ms`). */
  async play(ms = 600_000): Promise<this> {
    this.clock.advanceSync(ms);
    await this.firing.ended;
    return this;
  }

  get counts(): LiveCell {
    return sumSince(readLive([1], [this.#buffer], this.clock.nowUs()).loads[0]!, []);
  }

  /** The last row of every arrival that was sent, by index. */
  get lastRows(): Row[] {
    const last = new Map<number, Row>();
    for (const row of this.rows) {
      if (row.attempt > (last.get(row.index)?.attempt ?? 0)) last.set(row.index, row);
    }
    return [...last.values()].sort((a, b) => a.index - b.index);
  }

  attempt(key: AttemptKey, given: Answer): void {
    const { index, attempt, dueUs, readyUs } = key;
    const { outcome, reason, doneUs } = given;
    const sentUs = given.sentUs < 0 ? key.askedUs : given.sentUs;
    this.rows.push({ index, attempt, outcome, reason, dueUs, readyUs, sentUs, doneUs });
  }

  dropped(key: Omit<AttemptKey, "attempt" | "askedUs" | "readyUs">, reason: Row["reason"]): void {
    if (reasonCode(reason as "stopped") < 0) throw new Error(`no such reason: ${reason}`);
    const { index, dueUs } = key;
    const never = { readyUs: dueUs, sentUs: -1, doneUs: -1 };
    this.rows.push({ index, attempt: 0, outcome: "dropped", reason, dueUs, ...never });
  }

  #target(serve: Serve): Target {
    let inFlight = 0;
    return {
      get inFlight() {
        return inFlight;
      },
      send: (call, done) => {
        inFlight++;
        const sentUs = this.clock.nowUs();
        const served = serve(sentUs, this.seenUs.length, call);
        this.seenUs.push(sentUs);
        if (served === null) return;
        const { afterUs, ...more } = served;
        this.clock.at(sentUs + Math.max(1, afterUs), () => {
          inFlight--;
          const doneUs = this.clock.nowUs();
          done(answer({ sentUs, firstByteUs: doneUs, doneUs, ...more }));
        });
      },
      async [Symbol.asyncDispose]() {},
    };
  }
}

const CALL: Call = { kind: "http", method: "GET", path: "/", headers: [], body: null };

/** `count` arrivals at a constant rate from 0. */
export function* atRate(perSecond: number, count: number): Generator<Arrival> {
  for (let index = 0; index < count; index++) {
    yield { index, dueUs: runUs(Math.round((index * 1e6) / perSecond)), route: 0, call: CALL };
  }
}

/** Arrivals at the given moments. */
export function atTimes(dueUs: readonly number[]): Arrival[] {
  return dueUs.map((us, index) => ({ index, dueUs: runUs(us), route: 0, call: CALL }));
}

/** Nearest rank. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)]!;
}
