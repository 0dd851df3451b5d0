// Execution environments that were made ahead for one alias or version of a function.
import { REQUESTS_PER_CONCURRENCY } from "./limits.ts";
import { rateWindow } from "./rate-window.ts";

export class Provisioned {
  /** As asked for: this much eats the reservation or the pool, ready or not. */
  wanted = 0;
  readonly #free: number[] = [];
  readonly #busy = new Set<number>();
  /** Must not be used again after what they serve now. */
  readonly #retired = new Set<number>();
  readonly #rate = rateWindow();

  /** Initialised and in place, busy or not. */
  get ready(): number {
    return this.#free.length + this.#busy.size - this.#retired.size;
  }

  get busy(): number {
    return this.#busy.size;
  }

  /** One more is ready; false when there are as many as wanted. */
  add(environment: number): boolean {
    if (this.ready >= this.wanted) return false;
    this.#free.push(environment);
    return true;
  }

  /** null = none is free, or the rate that goes with them is used up. */
  take(nowUs: number): number | null {
    if (this.#free.length === 0) return null;
    if (this.#rate.count(nowUs) >= this.wanted * REQUESTS_PER_CONCURRENCY) return null;
    const environment = this.#free.pop()!;
    this.#rate.accept(nowUs);
    this.#busy.add(environment);
    return environment;
  }

  /** True when it stays; one that is given up must be made again by its owner. */
  giveBack(environment: number, keep: boolean): boolean {
    this.#busy.delete(environment);
    const retired = this.#retired.delete(environment);
    if (!keep || retired) return false;
    if (this.ready >= this.wanted) return false;
    this.#free.push(environment);
    return true;
  }

  /** Fewer or more from now on; the free ones that are too many are gone by this call. */
  resize(wanted: number): number[] {
    this.wanted = wanted;
    const gone: number[] = [];
    while (this.ready > wanted && this.#free.length > 0) gone.push(this.#free.pop()!);
    return gone;
  }

  /** All are replaced: free ones now, busy ones when they finish. */
  retire(): number[] {
    for (const environment of this.#busy) this.#retired.add(environment);
    return this.#free.splice(0);
  }
}
