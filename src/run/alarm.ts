// The one wake-up that a firing waits for: the earliest one asked for, never early.
import { type Clock, type RunUs, runUs } from "../core/time.ts";
import type { Pacer } from "./pacer.ts";

/** A wake-up that is early by less than this is repeated, an earlier one is a leftover. */
const EARLY_US = 1_000;
export const NEVER = Number.POSITIVE_INFINITY;

export class Alarm {
  readonly #clock: Clock;
  readonly #pacer: Pacer;
  readonly #ring: (nowUs: RunUs) => void;
  readonly #wake = (): void => this.#woken();
  #setForUs = NEVER;

  constructor(clock: Clock, pacer: Pacer, ring: (nowUs: RunUs) => void) {
    this.#clock = clock;
    this.#pacer = pacer;
    this.#ring = ring;
  }

  /** One wake-up is wanted at a time, the earliest; later ones that still come are ignored. */
  set(atUs: number): void {
    if (atUs >= this.#setForUs) return;
    this.#setForUs = atUs;
    this.#pacer.wakeAt(runUs(atUs), this.#wake);
  }

  #woken(): void {
    const nowUs = this.#clock.nowUs();
    if (nowUs < this.#setForUs - EARLY_US) return;
    if (nowUs < this.#setForUs) {
      this.#pacer.wakeAt(runUs(this.#setForUs), this.#wake);
      return;
    }
    this.#setForUs = NEVER;
    this.#ring(nowUs);
  }
}
