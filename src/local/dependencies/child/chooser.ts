// Which requests a rule meets, and how long each of them is delayed: evenly spread, by a seed.
import { seededRng } from "../../../core/rng.ts";
import type { Rule } from "../rule.ts";

/** Steps of the golden ratio fill [0, 1) more evenly than random numbers do. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** A distribution's tail ends here, in 99th percentiles. */
const TAIL_MAX = 10;
/** Calls whose fate is remembered for their retries. */
const CALLS_MAX = 10_000;

export interface Choice {
  /** A retry by the client of a call that was chosen before. */
  readonly again: boolean;
  readonly delayMs: number;
}

/** Any n requests in a row hold `share × n` chosen ones, within two or so: no streaks, no luck. */
export class Chooser {
  seen = 0;
  chosen = 0;
  readonly #rule: Rule;
  readonly #shareFrom: number;
  readonly #delayFrom: number;
  /** By the client's id of a call: was it chosen? */
  readonly #calls = new Map<string, boolean>();

  constructor(rule: Rule) {
    this.#rule = rule;
    this.#shareFrom = seededRng(rule.seed, "share").next();
    this.#delayFrom = seededRng(rule.seed, "delay").next();
  }

  /** Null = this request is let through. `callId` is the same for all attempts of one call. */
  choose(operation: string, callId: string | undefined): Choice | null {
    const { only, per_call: perCall = false, share } = this.#rule;
    if (only !== undefined && !only.some((each) => isMeant(each, operation))) return null;
    const id = perCall ? callId : undefined;
    const known = id === undefined ? undefined : this.#calls.get(id);
    if (known !== undefined) return known ? { again: true, delayMs: 0 } : null;
    const isChosen = (this.#shareFrom + ++this.seen * GOLDEN) % 1 < share;
    if (id !== undefined) this.#remember(id, isChosen);
    if (!isChosen) return null;
    return { again: false, delayMs: this.#delayMs((this.#delayFrom + ++this.chosen * GOLDEN) % 1) };
  }

  #remember(id: string, isChosen: boolean): void {
    if (this.#calls.size >= CALLS_MAX) {
      const [oldest] = this.#calls.keys();
      if (oldest !== undefined) this.#calls.delete(oldest);
    }
    this.#calls.set(id, isChosen);
  }

  /** Quantile `u` of a log-logistic distribution with the given median and 99th percentile. */
  #delayMs(u: number): number {
    const { delay_ms: medianMs = 0, p99_ms: p99Ms } = this.#rule;
    if (p99Ms === undefined || medianMs === 0) return medianMs;
    const shape = Math.log(p99Ms / medianMs) / Math.log(99);
    return Math.min(TAIL_MAX * p99Ms, medianMs * (u / (1 - u)) ** shape);
  }
}

/** An operation is meant by its name, `METHOD /path` by any of its beginnings. */
const isMeant = (wanted: string, operation: string): boolean =>
  wanted.includes(" ") ? operation.startsWith(wanted) : operation === wanted;
