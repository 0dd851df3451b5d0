// What was sent and has no answer yet.

/** One of those in flight, for whoever takes it out. */
export interface Held<Item> {
  readonly item: Item;
  /** -1 = no longer in flight. */
  place: number;
}

/**
 * In no order, in one array. A Set does not do for what comes and goes this fast: it is laid out
 * anew every few hundred sends, and each old layout that has grown old keeps what was in flight
 * then until the next full collection, which the collector copies while it holds up the load.
 */
export class InFlight<Item> implements Iterable<Item> {
  readonly #held: Held<Item>[] = [];

  get size(): number {
    return this.#held.length;
  }

  add(item: Item): Held<Item> {
    const held = { item, place: this.#held.length };
    this.#held.push(held);
    return held;
  }

  /** Whether it was still in flight. */
  remove(held: Held<Item>): boolean {
    if (held.place < 0) return false;
    const last = this.#held.pop()!;
    if (last !== held) {
      this.#held[held.place] = last;
      last.place = held.place;
    }
    held.place = -1;
    return true;
  }

  clear(): void {
    for (const held of this.#held) held.place = -1;
    this.#held.length = 0;
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (const { item } of this.#held) yield item;
  }
}
