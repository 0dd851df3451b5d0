// A compact hash table from 16-byte keys to row numbers: joins of ids by the million.

/** Open addressing with linear probing; 24–40 bytes an entry, no objects. */
export class KeyTable {
  size = 0;
  #words = new Uint32Array(4 * 1024);
  #values = new Int32Array(1024).fill(-1);
  #limit = 640;

  /** Stores the value of a key, over an earlier one. */
  set(key: Uint8Array, offset: number, value: number): void {
    if (this.size >= this.#limit) this.#grow();
    const [a, b, c, d] = wordsOf(key, offset);
    const slot = this.#slot(a, b, c, d);
    if (this.#values[slot]! < 0) {
      this.#words.set([a, b, c, d], slot * 4);
      this.size++;
    }
    this.#values[slot] = value;
  }

  /** The value of a key, −1 = absent. */
  get(key: Uint8Array, offset: number): number {
    const [a, b, c, d] = wordsOf(key, offset);
    return this.#values[this.#slot(a, b, c, d)]!;
  }

  /** The slot that holds this key, or the free one where it belongs. */
  #slot(a: number, b: number, c: number, d: number): number {
    const words = this.#words;
    const mask = this.#values.length - 1;
    let slot = mixed(a, b, c, d) & mask;
    while (this.#values[slot]! >= 0) {
      const at = slot * 4;
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d)
        return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const words = this.#words;
    const values = this.#values;
    this.#words = new Uint32Array(words.length * 2);
    this.#values = new Int32Array(values.length * 2).fill(-1);
    this.#limit = Math.floor(this.#values.length * 0.625);
    for (let i = 0; i < values.length; i++) {
      if (values[i]! < 0) continue;
      const at = i * 4;
      const slot = this.#slot(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
      this.#words.set(words.subarray(at, at + 4), slot * 4);
      this.#values[slot] = values[i]!;
    }
  }
}

/**
 * Every bit of a key reaches the low bits: ids that are counters in text differ in their last
 * characters only, which are a word's high bits. (The steps are MurmurHash3's, public domain.)
 */
function mixed(a: number, b: number, c: number, d: number): number {
  let h = Math.imul(a, 0xcc9e2d51) ^ Math.imul(b, 0x1b873593);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35) ^ d;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function wordsOf(key: Uint8Array, offset: number): [number, number, number, number] {
  const word = (at: number): number =>
    (key[at]! | (key[at + 1]! << 8) | (key[at + 2]! << 16) | (key[at + 3]! << 24)) >>> 0;
  return [word(offset), word(offset + 4), word(offset + 8), word(offset + 12)];
}
