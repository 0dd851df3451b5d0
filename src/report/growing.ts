// Typed arrays that grow: rows arrive in segments and their number is known only at the end.

type Growable = Float64Array | Int32Array | Uint16Array | Uint8Array;

/** The same values in an array of at least `length`; new places hold `fill`. */
export function grown<T extends Growable>(array: T, length: number, fill: number): T {
  if (array.length >= length) return array;
  let size = Math.max(1_024, array.length);
  while (size < length) size *= 2;
  const larger = new (array.constructor as new (size: number) => T)(size);
  larger.set(array as never);
  if (fill !== 0) larger.fill(fill, array.length);
  return larger;
}

/** Small integers for texts, in order of first sight; code −1 is null. */
export class Codes {
  readonly texts: string[] = [];
  readonly #codes = new Map<string, number>();

  code(text: string | null): number {
    if (text === null) return -1;
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    this.#codes.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  find(text: string): number {
    return this.#codes.get(text) ?? -1;
  }
}
