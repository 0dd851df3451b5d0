// An incremental parser of HTTP/1.1 responses: any split at any byte, bodies counted and not kept.
import { CR, LF, SEMICOLON } from "./characters.ts";
import { LineBuffer } from "./line-buffer.ts";
import { BAD, CUT, ResponseHead } from "./response-head.ts";

// States, in the order in which a response can go through them:
//   STATUS → HEADERS → done                          HEAD, 204, 304, Content-Length: 0
//                    → STATUS                        1xx: an interim head, another one follows
//                    → BODY → done                   Content-Length
//                    → CHUNK_SIZE → CHUNK_DATA → CHUNK_END → CHUNK_SIZE … → TRAILERS → done
//                    → TO_CLOSE → done (by `finish`)
// FAILED is final: the connection cannot be used any more.
const STATUS = 0;
const HEADERS = 1;
const BODY = 2;
const CHUNK_SIZE = 3;
const CHUNK_DATA = 4;
const CHUNK_END = 5;
const TRAILERS = 6;
const TO_CLOSE = 7;
const DONE = 8;
const FAILED = 9;

/** A server that sends more interim heads than this for one request is not speaking HTTP. */
const INTERIM_MAX = 32;
/** RFC 9112 §7.1.1, as strict as llhttp: tokens, `=`, tokens or quoted strings, no white space. */
const TOKENS = String.raw`[!#$%&'*+\-.^_\x60|~\w]`;
const QUOTED = String.raw`"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"`;
const EXTENSIONS = new RegExp(`^(?:;(?:${TOKENS}+|(?==))(?:=(?:${QUOTED}|${TOKENS}*))?)*$`);

export interface ParserOptions {
  /** Lower-case names of the headers to keep. */
  readonly captureHeaders?: readonly string[];
  /** Bytes of one head, of all trailers, or of one chunk-size line; more is refused. */
  readonly headMaxBytes?: number;
}

export class ResponseParser {
  readonly head: ResponseHead;
  /** Receives each piece of the body, inside the read buffer: copy what must be kept. */
  onBody: ((bytes: Buffer, from: number, to: number) => void) | null = null;

  private state = STATUS;
  private toHead = false;
  private left = 0;
  private lineBytes = 0;
  private interim = 0;
  private readonly cut = new LineBuffer();
  private readonly headMax: number;

  constructor(options: ParserOptions = {}) {
    this.head = new ResponseHead(options.captureHeaders ?? []);
    this.headMax = options.headMaxBytes ?? 32_768;
  }

  /** Expects the response to the next request; `toHead`: to a HEAD, which has no body. */
  expect(toHead: boolean): void {
    this.head.reset();
    this.state = STATUS;
    this.toHead = toHead;
    this.lineBytes = 0;
    this.interim = 0;
    this.cut.length = 0;
  }

  get done(): boolean {
    return this.state === DONE;
  }

  get failed(): boolean {
    return this.state === FAILED;
  }

  /** True when the server promised to keep the connection, and framing allows it. */
  get reusable(): boolean {
    return this.state === DONE && this.head.keepAlive;
  }

  /** Takes bytes up to the end of the response and returns the index of the first one not taken. */
  execute(bytes: Buffer, from: number, to: number): number {
    let i = from;
    while (i < to && this.state < DONE) {
      if (this.state === BODY || this.state === CHUNK_DATA) {
        const end = Math.min(to, i + this.left);
        if (this.onBody !== null) this.onBody(bytes, i, end);
        this.left -= end - i;
        i = end;
        if (this.left === 0) this.state = this.state === BODY ? DONE : CHUNK_END;
      } else if (this.state === TO_CLOSE) {
        if (this.onBody !== null) this.onBody(bytes, i, to);
        i = to;
      } else {
        i = this.line(bytes, i, to);
      }
    }
    return i;
  }

  /** The connection ended: completes a body that only the end delimits. */
  finish(): void {
    if (this.state === TO_CLOSE) this.state = DONE;
    else if (this.state !== DONE) this.state = FAILED;
  }

  /**
   * Reads lines in place; a line that the read cut is kept, completed by the next read, then read.
   */
  private line(bytes: Buffer, from: number, to: number): number {
    const { cut } = this;
    if (cut.length > 0) {
      const before = cut.length;
      const after = cut.takeLine(bytes, from, to);
      if (this.lineBytes + cut.length > this.headMax) return this.fail(from);
      if (after === -1) return to;
      const length = cut.length;
      cut.length = 0;
      const end = this.wholeLines(cut.bytes, 0, length);
      // A whole line is taken whole, unless it was refused: then the position no longer matters.
      return end === length ? after : this.fail(from + Math.max(0, end - before));
    }
    const end = this.wholeLines(bytes, from, to);
    if (this.state !== FAILED && end < to && this.state !== DONE && this.inLines) {
      cut.append(bytes, end, to);
      if (this.lineBytes + cut.length > this.headMax) return this.fail(from);
      return to;
    }
    return end;
  }

  private inLines = false;

  /** Reads what is whole; `inLines` afterwards: the rest is the start of a line. */
  private wholeLines(bytes: Buffer, from: number, to: number): number {
    let i = from;
    this.inLines = false;
    if (this.state === STATUS) {
      while (i < to && (bytes[i] === CR || bytes[i] === LF)) i++; // RFC 9112 §2.2: robustness
      if (i === to) return i;
      const next = this.head.statusLine(bytes, i, to);
      if (next < 0) return this.stop(next, i);
      this.lineBytes += next - i;
      this.state = HEADERS;
      i = next;
      if (i === to) return i;
    }
    if (this.state === HEADERS || this.state === TRAILERS) return this.headers(bytes, i, to);
    return this.state === CHUNK_SIZE ? this.chunkSize(bytes, i, to) : this.chunkEnd(bytes, i, to);
  }

  private headers(bytes: Buffer, from: number, to: number): number {
    const end = this.head.headerLines(bytes, from, to, this.state === TRAILERS);
    if (end < 0) return this.stop(end, from);
    this.lineBytes += end - from;
    if (this.lineBytes > this.headMax) return this.fail(from);
    if (!this.head.ended) return this.stop(CUT, end);
    if (this.state === TRAILERS) this.state = DONE;
    else this.afterHead();
    return end;
  }

  private afterHead(): void {
    const { head } = this;
    this.lineBytes = 0;
    if (head.status < 200) {
      // 101 would change the protocol, which no request of ours asks for.
      if (head.status === 101 || ++this.interim > INTERIM_MAX) this.state = FAILED;
      else {
        head.reset();
        this.state = STATUS;
      }
    } else if (this.toHead || head.status === 204 || head.status === 304) this.state = DONE;
    else if (head.chunked) this.state = CHUNK_SIZE;
    else if (head.contentLength === 0) this.state = DONE;
    else if (head.contentLength > 0) {
      this.left = head.contentLength;
      this.state = BODY;
    } else {
      head.keepAlive = false;
      this.state = TO_CLOSE;
    }
  }

  /** `1a3;name=value`. Sizes beyond 2^53 are refused like a size that is no number. */
  private chunkSize(bytes: Buffer, from: number, to: number): number {
    let i = from;
    let size = 0;
    for (; i < to; i++) {
      const digit = hexDigit(bytes[i]!);
      if (digit < 0) break;
      size = size * 16 + digit;
      if (size > Number.MAX_SAFE_INTEGER) return this.fail(from);
    }
    if (i === to) return this.stop(CUT, from);
    if (i === from) return this.fail(from);
    const extensions = i;
    if (bytes[i] === SEMICOLON) while (i < to && bytes[i] !== CR && bytes[i] !== LF) i++;
    if (i === to || (bytes[i] === CR && i + 1 === to)) return this.stop(CUT, from);
    if (bytes[i] !== CR || bytes[i + 1] !== LF) return this.fail(from);
    if (i > extensions && !EXTENSIONS.test(bytes.toString("latin1", extensions, i)))
      return this.fail(from);
    this.left = size;
    this.state = size === 0 ? TRAILERS : CHUNK_DATA;
    return i + 2;
  }

  private chunkEnd(bytes: Buffer, from: number, to: number): number {
    if (bytes[from] !== CR) return this.fail(from);
    if (from + 1 === to) return this.stop(CUT, from);
    if (bytes[from + 1] !== LF) return this.fail(from);
    this.state = CHUNK_SIZE;
    return from + 2;
  }

  private stop(why: number, at: number): number {
    if (why === BAD) return this.fail(at);
    this.inLines = true;
    return at;
  }

  private fail(at: number): number {
    this.state = FAILED;
    return at;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
