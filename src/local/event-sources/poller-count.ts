// How many batches of a queue are with the function at once, as Lambda's pollers scale.

/** Lambda developer guide, "Scaling behavior" of SQS; growth and maximum are scaled. */
export const POLLERS = { start: 5, perMinute: 300, max: 1_250 } as const;

export interface PollerLimits {
  readonly start: number;
  readonly perMinute: number;
  readonly max: number;
}

/** AWS says "gradually"; so much less a second when every batch fails or is refused. */
const LESS_SHARE = 0.1;
const LEAST = 2;

/** Called once a second; the numbers in between stay. */
export class PollerCount {
  readonly #limits: PollerLimits;
  #allowed: number;
  #done = 0;
  #failed = 0;

  constructor(limits: PollerLimits) {
    this.#limits = limits;
    this.#allowed = Math.min(limits.start, limits.max);
  }

  get allowed(): number {
    return Math.max(1, Math.floor(this.#allowed));
  }

  /** A batch was processed. */
  done(): void {
    this.#done++;
  }

  /** A batch failed, or was refused. */
  fail(): void {
    this.#failed++;
  }

  /**
   * `behind`: every poller has a batch and messages wait. Pollers go in proportion to the share of
   * the last second's batches that failed, and none come in such a second: a function that refuses
   * one batch in a hundred is not backed away from as one that refuses all.
   */
  second(behind: boolean): void {
    const { start, perMinute, max } = this.#limits;
    const step = perMinute / 60;
    const failedShare = this.#failed / Math.max(1, this.#failed + this.#done);
    this.#failed = 0;
    this.#done = 0;
    if (failedShare > 0) {
      const least = Math.min(LEAST, max);
      this.#allowed = Math.max(least, this.#allowed * (1 - LESS_SHARE * failedShare));
    } else if (behind) this.#allowed = Math.min(max, this.#allowed + step);
    else if (this.#allowed > start) this.#allowed = Math.max(start, this.#allowed - step);
    else this.#allowed = Math.min(max, start, this.#allowed + step);
  }
}
