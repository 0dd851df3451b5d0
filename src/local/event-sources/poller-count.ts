// How many batches of a queue are with the function at once, as Lambda's pollers scale.

/** Lambda developer guide, "Scaling behavior" of SQS; growth and maximum are scaled. */
export const POLLERS = { start: 5, perMinute: 300, max: 1_250 } as const;

export interface PollerLimits {
  readonly start: number;
  readonly perMinute: number;
  readonly max: number;
}

/** AWS says "gradually"; so much less a second while the function fails or is refused. */
const LESS_SHARE = 0.1;
const LEAST = 2;
/** Nothing is added for so long after the last failure. */
const HOLD_S = 10;

/** Called once a second; the numbers in between stay. */
export class PollerCount {
  readonly #limits: PollerLimits;
  #allowed: number;
  #failed = false;
  #holdS = 0;

  constructor(limits: PollerLimits) {
    this.#limits = limits;
    this.#allowed = Math.min(limits.start, limits.max);
  }

  get allowed(): number {
    return Math.max(1, Math.floor(this.#allowed));
  }

  /** A batch failed, or was refused. */
  fail(): void {
    this.#failed = true;
  }

  /** `behind`: every poller has a batch and messages wait. */
  second(behind: boolean): void {
    const { start, perMinute, max } = this.#limits;
    const step = perMinute / 60;
    if (this.#failed) {
      this.#failed = false;
      this.#holdS = HOLD_S;
      const less = Math.max(1, this.#allowed * LESS_SHARE);
      this.#allowed = Math.max(Math.min(LEAST, max), this.#allowed - less);
    } else if (this.#holdS > 0) this.#holdS--;
    else if (behind) this.#allowed = Math.min(max, this.#allowed + step);
    else if (this.#allowed > start) this.#allowed = Math.max(start, this.#allowed - step);
    else this.#allowed = Math.min(max, start, this.#allowed + step);
  }
}
