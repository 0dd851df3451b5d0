// What one response head says: status, framing, keep-alive, and the few headers that were asked
// for.
import {
  COLON,
  COMMA,
  CR,
  DELETE,
  LF,
  LOWER,
  NINE,
  SPACE,
  TAB,
  TOKEN,
  ZERO,
} from "./characters.ts";

/** Results of the line readers besides "index after the line": cut by the read, or not HTTP. */
export const CUT = -1;
export const BAD = -2;

const CONNECTION = Buffer.from("connection");
const KEEP_ALIVE = Buffer.from("keep-alive");
const CONTENT_LENGTH = Buffer.from("content-length");
const TRANSFER_ENCODING = Buffer.from("transfer-encoding");
const CHUNKED = Buffer.from("chunked");
const HTTP_1 = Buffer.from("HTTP/1.");

export class ResponseHead {
  status = 0;
  /** HTTP/1.1 keeps the connection open by itself, HTTP/1.0 only when it says so. */
  keepAlive = true;
  /** `Keep-Alive: timeout=…` in seconds; 0 = not said. */
  keepAliveSeconds = 0;
  /** -1 = no Content-Length. */
  contentLength = -1;
  hasTransferEncoding = false;
  /** The last transfer coding is `chunked`. */
  chunked = false;
  /**
   * Values of the captured headers, by position of the name; "" = absent; repeats joined by ", ".
   */
  captured: string[];

  /** Set by `headerLines`: its last line was the empty one. */
  ended = false;

  private saysClose = false;
  private readonly names: readonly Buffer[];
  private readonly none: readonly string[];
  private readonly lengths: Uint8Array;

  /** `capture`: lower-case names. */
  constructor(capture: readonly string[]) {
    this.names = capture.map((name) => Buffer.from(name, "latin1"));
    this.none = capture.map(() => "");
    this.captured = this.none.slice();
    this.lengths = new Uint8Array(256);
    const framing = [CONNECTION, KEEP_ALIVE, CONTENT_LENGTH, TRANSFER_ENCODING];
    for (const name of [...framing, ...this.names]) this.lengths[name.length & 255] = 1;
  }

  reset(): void {
    this.status = 0;
    this.keepAlive = true;
    this.keepAliveSeconds = 0;
    this.contentLength = -1;
    this.hasTransferEncoding = false;
    this.chunked = false;
    this.saysClose = false;
    if (this.names.length > 0) this.captured = this.none.slice();
  }

  /** `HTTP/1.1 200 OK`; returns the index after the line, CUT or BAD. */
  statusLine(bytes: Buffer, from: number, to: number): number {
    let i = from;
    for (; i < from + 7; i++) {
      if (i === to) return CUT;
      if (bytes[i] !== HTTP_1[i - from]) return BAD;
    }
    if (to - from < 13) return hasLineEnd(bytes, i, to) ? BAD : CUT;
    const minor = bytes[i++]! - ZERO;
    if ((minor !== 0 && minor !== 1) || bytes[i++] !== SPACE) return BAD;
    let status = 0;
    for (const end = i + 3; i < end; i++) {
      const digit = bytes[i]! - ZERO;
      if (digit < 0 || digit > 9) return BAD;
      status = status * 10 + digit;
    }
    if (status < 100) return BAD;
    if (bytes[i] !== SPACE && bytes[i] !== CR) return BAD;
    while (i < to && bytes[i] !== CR && bytes[i] !== LF) i++; // the reason phrase means nothing
    if (i === to || (bytes[i] === CR && i + 1 === to)) return CUT;
    if (bytes[i] !== CR || bytes[i + 1] !== LF) return BAD;
    this.status = status;
    this.keepAlive = minor === 1;
    return i + 2;
  }

  /**
   * Header lines from `from` on. Returns the index after the last whole line; `ended` is then true
   * when that was the empty line. BAD: bytes that are no header, or framing that contradicts
   * itself.
   * Trailers are checked and not used.
   */
  headerLines(bytes: Buffer, from: number, to: number, trailers: boolean): number {
    this.ended = false;
    let i = from;
    for (;;) {
      const start = i;
      while (i < to && TOKEN[bytes[i]!] === 1) i++;
      if (i === to) return start;
      const nameEnd = i;
      if (nameEnd === start) {
        if (bytes[i] !== CR) return BAD;
        if (i + 1 === to) return start;
        if (bytes[i + 1] !== LF) return BAD;
        this.ended = true;
        return i + 2;
      }
      if (bytes[i++] !== COLON) return BAD;
      while (i < to && (bytes[i] === SPACE || bytes[i] === TAB)) i++;
      const valueStart = i;
      for (; i < to; i++) {
        const byte = bytes[i]!; // a value is tabs, spaces, visible ASCII and 0x80–0xFF
        if (byte < SPACE ? byte !== TAB : byte === DELETE) break;
      }
      if (i === to) return start;
      if (bytes[i] !== CR) return BAD;
      if (i + 1 === to) return start;
      if (bytes[i + 1] !== LF) return BAD;
      const length = nameEnd - start;
      if (this.lengths[length & 255] === 1) {
        if (
          trailers
            ? isName(bytes, start, length, CONTENT_LENGTH)
            : !this.header(bytes, start, length, valueStart, i)
        )
          return BAD;
      }
      i += 2;
    }
  }

  private header(bytes: Buffer, start: number, length: number, from: number, to: number): boolean {
    let end = to;
    while (end > from && (bytes[end - 1] === SPACE || bytes[end - 1] === TAB)) end--;
    const { names } = this;
    for (let n = 0; n < names.length; n++) {
      if (!isName(bytes, start, length, names[n]!)) continue;
      const value = bytes.toString("latin1", from, end);
      const before = this.captured[n]!;
      this.captured[n] = before === "" ? value : `${before}, ${value}`;
    }
    if (isName(bytes, start, length, CONTENT_LENGTH)) return this.length(bytes, from, end);
    if (isName(bytes, start, length, CONNECTION)) this.connection(bytes, from, end);
    else if (isName(bytes, start, length, KEEP_ALIVE)) this.keepAliveHint(bytes, from, end);
    else if (isName(bytes, start, length, TRANSFER_ENCODING)) return this.coding(bytes, from, end);
    return true;
  }

  /** Two lengths, or a length beside a transfer coding, is how responses are smuggled: refused. */
  private length(bytes: Buffer, from: number, to: number): boolean {
    if (this.contentLength !== -1 || this.hasTransferEncoding || from === to) return false;
    let value = 0;
    for (let i = from; i < to; i++) {
      const byte = bytes[i]!;
      if (byte < ZERO || byte > NINE) return false;
      value = value * 10 + byte - ZERO;
      if (value > Number.MAX_SAFE_INTEGER) return false;
    }
    this.contentLength = value;
    return true;
  }

  private coding(bytes: Buffer, from: number, to: number): boolean {
    if (this.contentLength !== -1) return false;
    this.hasTransferEncoding = true;
    this.chunked = isName(bytes, from, to - from, CHUNKED);
    if (this.chunked) return true;
    const value = bytes.toString("latin1", from, to).toLowerCase();
    this.chunked = value.slice(value.lastIndexOf(",") + 1).trim() === "chunked";
    return true;
  }

  private connection(bytes: Buffer, from: number, to: number): void {
    if (isName(bytes, from, to - from, KEEP_ALIVE)) {
      this.keepAlive = !this.saysClose; // by far the most frequent value
      return;
    }
    for (let i = from; i < to; i++) {
      const start = i;
      while (i < to && bytes[i] !== COMMA) i++;
      const option = bytes.toString("latin1", start, i).trim().toLowerCase();
      if (option === "close") this.saysClose = true;
      else if (option === "keep-alive") this.keepAlive = true;
    }
    if (this.saysClose) this.keepAlive = false;
  }

  private keepAliveHint(bytes: Buffer, from: number, to: number): void {
    const found = /timeout\s*=\s*"?(\d{1,9})/i.exec(bytes.toString("latin1", from, to));
    if (found !== null) this.keepAliveSeconds = Number(found[1]);
  }
}

function hasLineEnd(bytes: Buffer, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] === LF) return true;
  return false;
}

/** `name` is lower-case. */
function isName(bytes: Buffer, start: number, length: number, name: Buffer): boolean {
  if (length !== name.length) return false;
  for (let i = 0; i < length; i++) {
    if (LOWER[bytes[start + i]!] !== name[i]) return false;
  }
  return true;
}
