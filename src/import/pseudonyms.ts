// Keyed pseudonyms: equal values stay equal, length and kinds of characters stay, nothing else.
import { createHmac } from "node:crypto";

const CACHE_MAX = 100_000;
const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();

/** HMAC-SHA256 under one key; who has the key can test guesses, so it is not stored anywhere. */
export class Pseudonyms {
  readonly #key: string;
  readonly #cache = new Map<string, string>();

  constructor(key: string) {
    this.#key = key;
  }

  /** Same length; digits stay digits, letters keep their case, `%41` becomes three letters. */
  of(value: string): string {
    return this.#cached(value, () => this.#derive(value));
  }

  /** Short name for a client: `c-` and twelve hex digits. */
  client(value: string): string {
    return this.#cached(`client ${value}`, () => `c-${this.#hmac(value, 0).toString("hex", 0, 6)}`);
  }

  #cached(key: string, make: () => string): string {
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.#cache.size < CACHE_MAX) this.#cache.set(key, made);
    return made;
  }

  #derive(value: string): string {
    // A percent escape may spell any character: it becomes letters, so that nothing shines through.
    const shape = value.replace(/%[0-9A-Fa-f]{2}/g, "aaa");
    let out = "";
    let bytes = Buffer.alloc(0);
    for (let i = 0; i < shape.length; i++) {
      if (i % 32 === 0) bytes = this.#hmac(value, 1 + i / 32);
      const byte = bytes[i % 32] ?? 0;
      const char = shape[i] ?? "";
      out += sameKind(char, byte);
    }
    return out;
  }

  #hmac(value: string, block: number): Buffer<ArrayBuffer> {
    return createHmac("sha256", this.#key)
      .update(`${block}\n${value}`)
      .digest() as Buffer<ArrayBuffer>;
  }
}

function sameKind(char: string, byte: number): string {
  if (char >= "0" && char <= "9") return DIGITS.charAt(byte % 10);
  if (char >= "a" && char <= "z") return LOWER.charAt(byte % 26);
  if (char >= "A" && char <= "Z") return UPPER.charAt(byte % 26);
  return char > "~" ? LOWER.charAt(byte % 26) : char;
}
