// The calls that wait for a child's answer, by number.

/** More than any child has open at a time. */
const SLOTS_MAX = 2 ** 20;

/**
 * An array whose places are used again, under a new number each. A Map does not do for what comes
 * and goes this fast: it is laid out anew every few hundred calls, and each old layout that has
 * grown old keeps everything that was open in it until the next full collection.
 */
export class OpenCalls<Call> implements Iterable<number> {
  readonly #calls: ({ readonly number: number; readonly call: Call } | null)[] = [];
  readonly #free: number[] = [];
  #nextTurn = 1;

  /** Gives its number; none is given twice. */
  add(call: Call): number {
    const slot = this.#free.pop() ?? this.#calls.length;
    const number = this.#nextTurn++ * SLOTS_MAX + slot;
    this.#calls[slot] = { number, call };
    return number;
  }

  get(number: number): Call | undefined {
    const found = this.#calls[number % SLOTS_MAX];
    return found?.number === number ? found.call : undefined;
  }

  /** Whether it was open. */
  delete(number: number): boolean {
    if (this.get(number) === undefined) return false;
    const slot = number % SLOTS_MAX;
    this.#calls[slot] = null;
    this.#free.push(slot);
    return true;
  }

  /** The numbers of all that are open. */
  *[Symbol.iterator](): Iterator<number> {
    for (const found of this.#calls) if (found !== null) yield found.number;
  }
}
