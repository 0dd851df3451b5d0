// A run's surroundings in virtual time: workers without threads, faults without a cloud.
import type { FaultEvent } from "../../src/core/facts.ts";
import { runUs } from "../../src/core/time.ts";
import type { FaultRunner, FaultState } from "../../src/run/fault-runner.ts";
import { liveBuffer, loadCounters, readLive } from "../../src/run/live-counters.ts";
import type { WorkerGroup } from "../../src/run/workers.ts";
import { answer } from "./answers.ts";
import type { TestClock } from "./test-clock.ts";

const S = 1_000_000;
/** The load of `plan()`: "" and one route. */
const SHAPE = [2];

/** How a fault goes wrong. */
export interface FaultFailure {
  readonly inject?: Error;
  readonly restore?: Error;
  /** Restoring takes 30 s. */
  readonly stuck?: boolean;
  /** It is prepared ahead of its time. */
  readonly prepared?: boolean;
}

/** One settled arrival a second; an end at `endsUs`, or 1 s after a stop. */
export class FakeWorkers implements WorkerGroup {
  readonly ended: Promise<readonly number[]>;
  outcome: "ok" | "errored" = "ok";
  disposed = false;
  readonly #clock: TestClock;
  readonly #endsUs: number;
  readonly #buffer = liveBuffer(SHAPE);
  #end: () => void = () => {};
  fail: (error: Error) => void = () => {};

  constructor(clock: TestClock, endsUs = 17 * S) {
    this.#clock = clock;
    this.#endsUs = endsUs;
    this.ended = new Promise((resolve, reject) => {
      this.#end = () => resolve([42]);
      this.fail = reject;
    });
    this.ended.catch(() => {});
  }

  go(): void {
    const counters = loadCounters(SHAPE, this.#buffer)[0]!;
    for (let second = 0; second < 17; second++) {
      this.#clock.at(second * S + 500_000, () => {
        counters.began(1, true, 10);
        counters.ended(1, answer());
        counters.settled(1, this.outcome, false, 10_000);
      });
    }
    this.#clock.at(this.#endsUs, () => this.#end());
  }

  stop(): void {
    this.#clock.at(this.#clock.nowUs() + S, () => this.#end());
  }

  sample(atUs: number) {
    return readLive(SHAPE, [this.#buffer], atUs);
  }

  selves() {
    return [{ loopUs: 0, cpu: 0, rows: 7, encoderPending: 0, ownFailures: 0 }];
  }

  async [Symbol.asyncDispose]() {
    this.disposed = true;
  }
}

/** Takes 200 ms to inject and 100 ms to put back, and writes down when it was asked. */
export class FakeFault implements FaultRunner {
  state: FaultState = "idle";
  readonly name: string;
  readonly #clock: TestClock;
  readonly #log: string[];
  readonly #more: FaultFailure;
  emit: (event: FaultEvent) => void = () => {};
  readonly prepare?: () => Promise<void>;

  constructor(name: string, clock: TestClock, log: string[], more: FaultFailure = {}) {
    this.name = name;
    this.#clock = clock;
    this.#log = log;
    this.#more = more;
    if (more.prepared === true) this.prepare = async () => this.#say("prepare");
  }

  async inject(signal: AbortSignal): Promise<void> {
    this.#say("inject");
    this.state = "injecting";
    this.emit({ kind: "fault", fault: this.name, step: "asked" });
    await this.#clock.sleepUntil(runUs(this.#clock.nowUs() + 200_000), signal);
    if (this.#more.inject !== undefined) throw this.#more.inject;
    this.state = "injected";
  }

  async restore(): Promise<void> {
    this.#say("restore");
    this.state = "restoring";
    const takesUs = this.#more.stuck === true ? 30 * S : 100_000;
    await this.#clock.sleepUntil(runUs(this.#clock.nowUs() + takesUs));
    this.state = this.#more.restore === undefined ? "restored" : "failed";
    if (this.#more.restore !== undefined) throw this.#more.restore;
  }

  #say(what: string): void {
    this.#log.push(`${this.#clock.nowUs() / 1_000} ${what} ${this.name}`);
  }
}
