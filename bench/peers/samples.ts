// What became of each request of a benchmark.
import type { Answer } from "../../src/core/arrival.ts";

/** One request that was answered, refused, or not sent. */
export interface Sample {
  readonly outcome: Answer["outcome"] | "dropped";
  readonly status: number;
  /** Due to sent. */
  readonly lagUs: number;
  readonly dueUs: number;
  /** Sent to the last byte. */
  readonly serviceUs: number;
  /** The headers `x-work-us`, `x-busy` and `x-state`. */
  readonly workUs: number;
  readonly busy: number;
  readonly state: number;
}

const COLUMNS = 8;
const OUTCOMES = ["ok", "throttled", "errored", "unknown", "dropped"] as const;

/** Outside the heap while the load goes on: the collector would stop what is measured. */
export class Samples {
  readonly #values: Float64Array;
  #count = 0;

  constructor(max: number) {
    this.#values = new Float64Array(max * COLUMNS);
  }

  add(answer: Answer, dueUs: number, startUs: number, headers: readonly string[]): void {
    const { outcome, status, sentUs, doneUs } = answer;
    const [work = "", busy = "", state = ""] = headers;
    const at = this.#count++ * COLUMNS;
    const values = this.#values;
    values[at] = OUTCOMES.indexOf(outcome);
    values[at + 1] = status;
    values[at + 2] = sentUs - dueUs;
    values[at + 3] = dueUs - startUs;
    values[at + 4] = doneUs - sentUs;
    values[at + 5] = Number(work);
    values[at + 6] = Number(busy);
    values[at + 7] = Number(state);
  }

  drop(dueUs: number): void {
    const at = this.#count++ * COLUMNS;
    this.#values[at] = OUTCOMES.indexOf("dropped");
    this.#values[at + 3] = dueUs;
  }

  all(): Sample[] {
    return Array.from({ length: this.#count }, (_, i) => {
      const value = (column: number): number => this.#values[i * COLUMNS + column]!;
      return {
        outcome: OUTCOMES[value(0)]!,
        ...{ status: value(1), lagUs: value(2), dueUs: value(3), serviceUs: value(4) },
        ...{ workUs: value(5), busy: value(6), state: value(7) },
      };
    });
  }
}
