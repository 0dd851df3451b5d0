// Exact nearest-rank percentiles of integer microseconds without sorting: one counter per value.
import { nearestRank } from "./statistics.ts";

/** Values from here on (8.4 s) are kept one by one; below, a counter each. */
const COUNTED_MAX = 1 << 23;

/** A bag of durations; `unknown` ones count as +∞. Order of adding never matters. */
export class ExactValues {
  n = 0;
  unknown = 0;
  #counts = new Uint32Array(1 << 12);
  #rest: number[] = [];
  #sorted = true;

  /** Negative values (a clock step) count as 0. */
  add(us: number): void {
    this.n++;
    const value = us < 0 ? 0 : Math.round(us);
    if (value >= COUNTED_MAX) {
      this.#rest.push(value);
      this.#sorted = false;
      return;
    }
    if (value >= this.#counts.length) this.#grow(value);
    this.#counts[value]!++;
  }

  addUnknown(): void {
    this.n++;
    this.unknown++;
  }

  /** Merges another bag into this one. */
  addAll(other: ExactValues): void {
    this.n += other.n;
    this.unknown += other.unknown;
    const counts = other.#counts;
    if (counts.length > this.#counts.length) this.#grow(counts.length - 1);
    for (let value = 0; value < counts.length; value++) this.#counts[value]! += counts[value]!;
    for (const value of other.#rest) this.#rest.push(value);
    this.#sorted = false;
  }

  /** The value of this 1-based rank; +∞ among the unknown, NaN outside 1…n. */
  atRank(rank: number): number {
    if (!(rank >= 1 && rank <= this.n)) return Number.NaN;
    if (rank > this.n - this.unknown) return Number.POSITIVE_INFINITY;
    let left = rank;
    const counts = this.#counts;
    const counted = this.n - this.unknown - this.#rest.length;
    if (left > counted) return this.#ordered()[left - counted - 1]!;
    let value = 0;
    for (left -= counts[0]!; left > 0; left -= counts[value]!) value++;
    return value;
  }

  /** Nearest rank: 99 × 1 and one 1,000,000 have a p99 of 1. NaN when empty. */
  quantile(p: number): number {
    return this.n === 0 ? Number.NaN : this.atRank(nearestRank(p, this.n));
  }

  /** +∞ when any is unknown. */
  max(): number {
    return this.atRank(this.n);
  }

  #ordered(): number[] {
    if (!this.#sorted) this.#rest.sort((a, b) => a - b);
    this.#sorted = true;
    return this.#rest;
  }

  #grow(value: number): void {
    let size = this.#counts.length;
    while (size <= value) size *= 2;
    const counts = new Uint32Array(size);
    counts.set(this.#counts);
    this.#counts = counts;
  }
}
