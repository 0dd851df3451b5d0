// Memory for large requests, used again: new memory costs as much as what is written into it.

/** Rooms kept for reuse. */
const KEPT_MAX = 16;
/** Sizes are rounded up to it, so that calls of about one size fit each other's rooms. */
const STEP_BYTES = 65_536;

export class Rooms {
  readonly #free: Buffer[] = [];

  /** At least so large; its content is whatever was there. */
  take(sizeBytes: number): Buffer {
    const last = this.#free.pop();
    if (last !== undefined && last.byteLength >= sizeBytes) return last;
    return Buffer.allocUnsafeSlow(Math.ceil(sizeBytes / STEP_BYTES) * STEP_BYTES);
  }

  /** Only when nothing reads from it any more. */
  give(room: Buffer): void {
    if (this.#free.length < KEPT_MAX) this.#free.push(room);
  }
}
