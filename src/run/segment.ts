// A segment of facts in memory: one block of memory, one typed array per column.
import { ATTEMPT_INTS, type AttemptInt, type AttemptSegment, SEGMENT_ROWS } from "../core/facts.ts";
import { requestKey } from "../core/ids.ts";

export const REQUEST_ID_BYTES = 16;
const INT_BYTES = 4;

/** Bytes of the one ArrayBuffer below a segment of `capacity` rows; it changes threads whole. */
export const segmentBytes = (capacity: number): number =>
  capacity * (ATTEMPT_INTS.length * INT_BYTES + REQUEST_ID_BYTES);

/** Lays a segment over a new or used buffer, which is not cleared: rows are written whole. */
export function segmentOver(buffer: ArrayBuffer, capacity = SEGMENT_ROWS): AttemptSegment {
  const column = (i: number) => new Int32Array(buffer, i * capacity * INT_BYTES, capacity);
  const ints = Object.fromEntries(ATTEMPT_INTS.map((name, i) => [name, column(i)]));
  const idsAt = ATTEMPT_INTS.length * capacity * INT_BYTES;
  return {
    baseUs: 0,
    rows: 0,
    ints: ints as { [name in AttemptInt]: Int32Array },
    requestIds: new Uint8Array(buffer, idsAt, capacity * REQUEST_ID_BYTES),
  };
}

/**
 * Writes `requestKey(id)` at `at`, all zero for "". The two common shapes, a UUID and API Gateway's
 * 16 characters, are done here without allocating; tests hold both ways equal.
 */
export function putRequestId(into: Uint8Array, at: number, id: string): void {
  if (id === "") {
    into.fill(0, at, at + REQUEST_ID_BYTES);
  } else if (
    !(id.length === 36 && putUuid(into, at, id)) &&
    !(id.length === 16 && putAscii(into, at, id))
  ) {
    into.set(requestKey(id), at);
  }
}

function putAscii(into: Uint8Array, at: number, id: string): boolean {
  for (let i = 0; i < REQUEST_ID_BYTES; i++) {
    const code = id.charCodeAt(i);
    if (code > 127) return false;
    into[at + i] = code;
  }
  return true;
}

function putUuid(into: Uint8Array, at: number, id: string): boolean {
  let byte = at;
  for (let i = 0; i < 36; ) {
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (id.charCodeAt(i) !== 45) return false;
      i++;
      continue;
    }
    const high = hexDigit(id.charCodeAt(i));
    const low = hexDigit(id.charCodeAt(i + 1));
    if (high < 0 || low < 0) return false;
    into[byte++] = (high << 4) | low;
    i += 2;
  }
  return true;
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
