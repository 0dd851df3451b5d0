// Messages by the moment they become visible; out-of-date entries are skipped when they come up.
import type { Message } from "./message.ts";

interface Entry {
  readonly dueUs: number;
  readonly message: Message;
  readonly stamp: number;
}

export class DueHeap {
  #entries: Entry[] = [];

  /** For the message's present state, until its `dueUs`. */
  add(message: Message): void {
    const entry = { dueUs: message.dueUs, message, stamp: message.stamp };
    const entries = this.#entries;
    let at = entries.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (entries[parent]!.dueUs <= entry.dueUs) break;
      entries[at] = entries[parent]!;
      at = parent;
    }
    entries[at] = entry;
  }

  /** When the next message is due; null when none waits. */
  nextUs(): number | null {
    this.#skip();
    return this.#entries[0]?.dueUs ?? null;
  }

  /** The next message that is due by `nowUs`, or null. */
  take(nowUs: number): Message | null {
    this.#skip();
    const top = this.#entries[0];
    if (top === undefined || top.dueUs > nowUs) return null;
    this.#pop();
    return top.message;
  }

  /** Entries, out-of-date ones among them. */
  get size(): number {
    return this.#entries.length;
  }

  /** Lets go of the messages whose entries are out of date. */
  tidy(): void {
    const valid = this.#entries.filter(({ stamp, message }) => stamp === message.stamp);
    valid.sort((a, b) => a.dueUs - b.dueUs); // in order is a heap, too
    this.#entries = valid;
  }

  clear(): void {
    this.#entries.length = 0;
  }

  #skip(): void {
    for (let top = this.#entries[0]; top !== undefined; top = this.#entries[0]) {
      if (top.stamp === top.message.stamp) return;
      this.#pop();
    }
  }

  #pop(): void {
    const entries = this.#entries;
    const last = entries.pop();
    if (last === undefined || entries.length === 0) return;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      if (left >= entries.length) break;
      const least =
        right < entries.length && entries[right]!.dueUs < entries[left]!.dueUs ? right : left;
      if (entries[least]!.dueUs >= last.dueUs) break;
      entries[at] = entries[least]!;
      at = least;
    }
    entries[at] = last;
  }
}
