// Requests out of the bytes of one connection, however they are cut; one at a time, when asked.
import { BadRequest, type RequestHead, readHead } from "./request-head.ts";

export interface ParsedRequest {
  readonly head: RequestHead;
  /** The body; null = longer than the limit; the connection then serves nothing else. */
  readonly content: Buffer | null;
}

/** Of a head, its trailers, and one chunk's own line. */
const HEAD_BYTES_MAX = 16 * 1_024;
const NOTHING = Buffer.alloc(0);
const HEAD_END = Buffer.from("\r\n\r\n");
const LINE_END = Buffer.from("\r\n");
const CHUNK_LINE = /^([0-9a-f]{1,8})[ \t]*(;.*)?$/i;

/** What comes next: a head, a body of known length, a chunk's line, its data, the trailers. */
type Part = "head" | "length" | "chunk-line" | "chunk" | "trailers" | "lost";

export class RequestParser {
  readonly #bodyBytesMax: number;
  #rest: Buffer = NOTHING;
  #part: Part = "head";
  #head: RequestHead | null = null;
  readonly #pieces: Buffer[] = [];
  #bodyBytes = 0;
  /** Bytes of the body or of the chunk that are still to come. */
  #leftBytes = 0;

  constructor(bodyBytesMax: number) {
    this.#bodyBytesMax = bodyBytesMax;
  }

  /** Bytes that no request has taken yet. */
  get waitingBytes(): number {
    return this.#rest.length;
  }

  /** A request has begun and its end has not come. */
  get isWithin(): boolean {
    return this.#head !== null || this.#rest.length > 0;
  }

  /** Nothing of the body has come, and its sender may be waiting to be told to go on. */
  get awaitsContinue(): boolean {
    return this.#head?.expectsContinue === true && this.#bodyBytes === 0;
  }

  push(chunk: Buffer): void {
    if (this.#part === "lost") return;
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
  }

  /** The next whole request; null = more bytes are needed. Throws BadRequest. */
  next(): ParsedRequest | null {
    for (;;) {
      const step = this.#step();
      if (step !== "on") return step;
    }
  }

  #step(): ParsedRequest | null | "on" {
    switch (this.#part) {
      case "head":
        return this.#readHead();
      case "length":
        return this.#readData() ? this.#ended() : null;
      case "chunk-line":
        return this.#readChunkLine();
      case "chunk":
        return this.#readChunk();
      case "trailers":
        return this.#readTrailers();
      case "lost":
        return null;
    }
  }

  #readHead(): ParsedRequest | null | "on" {
    let from = 0; // empty lines before a request are passed over (RFC 9112 §2.2)
    while (this.#rest[from] === 0x0d && this.#rest[from + 1] === 0x0a) from += 2;
    if (from > 0) this.#rest = this.#rest.subarray(from);
    const end = this.#find(HEAD_END, 431);
    if (end < 0) return null;
    const head = readHead(this.#rest.toString("latin1", 0, end));
    this.#take(end + HEAD_END.length);
    this.#head = head;
    this.#bodyBytes = 0;
    if (head.body === "chunked") {
      this.#part = "chunk-line";
      return "on";
    }
    if (head.body > this.#bodyBytesMax) return this.#tooLong();
    if (head.body === 0) return this.#ended();
    this.#leftBytes = head.body;
    this.#part = "length";
    return "on";
  }

  #readChunkLine(): ParsedRequest | null | "on" {
    const end = this.#find(LINE_END, 400);
    if (end < 0) return null;
    const size = CHUNK_LINE.exec(this.#rest.toString("latin1", 0, end))?.[1];
    if (size === undefined) throw new BadRequest(400, "no size of a chunk");
    this.#leftBytes = Number.parseInt(size, 16);
    if (this.#bodyBytes + this.#leftBytes > this.#bodyBytesMax) return this.#tooLong();
    // The line end of the last chunk's size is the first half of trailers that are none.
    this.#take(this.#leftBytes === 0 ? end : end + LINE_END.length);
    this.#part = this.#leftBytes === 0 ? "trailers" : "chunk";
    return "on";
  }

  #readChunk(): null | "on" {
    if (!this.#readData() || this.#rest.length < LINE_END.length) return null;
    if (!this.#rest.subarray(0, LINE_END.length).equals(LINE_END))
      throw new BadRequest(400, "a chunk that does not end");
    this.#take(LINE_END.length);
    this.#part = "chunk-line";
    return "on";
  }

  /** They say nothing that is asked for here. */
  #readTrailers(): ParsedRequest | null {
    const end = this.#find(HEAD_END, 431);
    if (end < 0) return null;
    this.#take(end + HEAD_END.length);
    return this.#ended();
  }

  /** Whether all that was still to come is here. */
  #readData(): boolean {
    const piece = this.#rest.subarray(0, this.#leftBytes);
    if (piece.length > 0) this.#pieces.push(piece);
    this.#take(piece.length);
    this.#bodyBytes += piece.length;
    this.#leftBytes -= piece.length;
    return this.#leftBytes === 0;
  }

  #ended(): ParsedRequest {
    const pieces = this.#pieces.splice(0);
    const content = pieces.length === 0 ? NOTHING : Buffer.concat(pieces);
    this.#part = "head";
    return this.#asRequest(content);
  }

  #tooLong(): ParsedRequest {
    this.#pieces.length = 0;
    this.#rest = NOTHING;
    this.#part = "lost";
    return this.#asRequest(null);
  }

  #asRequest(content: Buffer | null): ParsedRequest {
    const head = this.#head!;
    this.#head = null;
    return { head, content };
  }

  #find(end: Buffer, tooLongStatus: number): number {
    const at = this.#rest.indexOf(end);
    // A part of the end may be there already.
    if ((at < 0 ? this.#rest.length - end.length + 1 : at) <= HEAD_BYTES_MAX) return at;
    throw new BadRequest(tooLongStatus, "too long");
  }

  #take(bytes: number): void {
    this.#rest = bytes === this.#rest.length ? NOTHING : this.#rest.subarray(bytes);
  }
}
