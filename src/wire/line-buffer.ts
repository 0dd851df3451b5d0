// Keeps the bytes of a line that a read cut in two, so that the parser only ever sees whole lines.
import { LF } from "./characters.ts";

export class LineBuffer {
  bytes: Buffer = Buffer.allocUnsafeSlow(256);
  length = 0;

  /**
   * Appends up to and including the first LF of [from, to) and returns the index after it,
   * or appends everything and returns -1 when there is none.
   */
  takeLine(source: Uint8Array, from: number, to: number): number {
    let end = from;
    while (end < to && source[end] !== LF) end++;
    const found = end < to;
    this.append(source, from, found ? end + 1 : end);
    return found ? end + 1 : -1;
  }

  append(source: Uint8Array, from: number, to: number): void {
    const needed = this.length + to - from;
    if (needed > this.bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
    }
    this.bytes.set(source.subarray(from, to), this.length);
    this.length = needed;
  }
}
