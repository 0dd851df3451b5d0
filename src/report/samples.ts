// Collects samples of one window: counts per second, events, exact values; the input of every
// judgement.
import { US_PER_S } from "../core/time.ts";
import type { Window } from "../core/window.ts";
import { type Effective, effectiveSample } from "./design-effect.ts";
import { ExactValues } from "./exact-values.ts";

/** What counts as the unwanted event of a sample; +∞ = unknown. */
export type IsEvent = (value: number) => boolean;

export interface SampleEvidence {
  readonly n: number;
  /** Unwanted events among them. */
  readonly k: number;
  /** By second from the window's start. */
  readonly perSecond: { readonly n: readonly number[]; readonly k: readonly number[] };
  readonly longestRunUs: number;
  readonly effective: Effective;
  /** Times only; null for rates. */
  readonly values: ExactValues | null;
}

/** Values with the block they fell into, for resampling. */
export interface Blocked {
  readonly value: number[];
  readonly second: number[];
}

export class Samples {
  readonly #startUs: number;
  readonly #endUs: number;
  readonly #isEvent: IsEvent;
  readonly #n: number[] = [];
  readonly #k: number[] = [];
  readonly #values: ExactValues | null;
  readonly #blocked: Blocked | null;
  #runStartUs = -1;
  #longestRunUs = 0;
  /** False when samples come in the order of files: then runs mean nothing. */
  ordered = true;

  constructor(
    window: Window | null,
    isEvent: IsEvent,
    keep: { values: boolean; blocked?: boolean },
  ) {
    this.#startUs = window?.startUs ?? 0;
    this.#endUs = window?.endUs ?? Number.POSITIVE_INFINITY;
    this.#isEvent = isEvent;
    this.#values = keep.values ? new ExactValues() : null;
    this.#blocked = keep.blocked === true ? { value: [], second: [] } : null;
  }

  /** Samples come in due order within a load; call `newRun` between loads. */
  add(atUs: number, value: number): void {
    if (atUs < this.#startUs || atUs >= this.#endUs) return;
    const second = Math.floor((atUs - this.#startUs) / US_PER_S);
    while (this.#n.length <= second) {
      this.#n.push(0);
      this.#k.push(0);
    }
    this.#n[second]!++;
    if (this.#values !== null) {
      if (value === Number.POSITIVE_INFINITY) this.#values.addUnknown();
      else this.#values.add(value);
    }
    if (this.#blocked !== null) {
      this.#blocked.value.push(value);
      this.#blocked.second.push(second);
    }
    if (!this.#isEvent(value)) {
      this.#runStartUs = -1;
      return;
    }
    this.#k[second]!++;
    if (this.#runStartUs < 0) this.#runStartUs = atUs;
    else if (this.ordered)
      this.#longestRunUs = Math.max(this.#longestRunUs, atUs - this.#runStartUs);
  }

  newRun(): void {
    this.#runStartUs = -1;
  }

  get blocked(): Blocked | null {
    return this.#blocked;
  }

  evidence(): SampleEvidence {
    const seconds = Math.min(1e7, Math.ceil((this.#endUs - this.#startUs) / US_PER_S));
    if (Number.isFinite(this.#endUs)) while (this.#n.length < seconds) this.#pad();
    const perSecond = { n: this.#n, k: this.#k };
    const effective = effectiveSample(perSecond, this.#longestRunUs);
    const sum = (list: readonly number[]) => list.reduce((total, x) => total + x, 0);
    return {
      n: sum(this.#n),
      k: sum(this.#k),
      perSecond,
      longestRunUs: this.#longestRunUs,
      effective,
      values: this.#values,
    };
  }

  #pad(): void {
    this.#n.push(0);
    this.#k.push(0);
  }
}
