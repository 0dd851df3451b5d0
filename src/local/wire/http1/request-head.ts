// The head of an HTTP/1.1 request, read as RFC 9112 wants it: request line, fields, framing.

export type Header = readonly [name: string, value: string];

export interface RequestHead {
  readonly method: string;
  /** As sent: a path with its query, or a whole URL. */
  readonly target: string;
  readonly version: "1.0" | "1.1";
  /** As they came, in order. */
  readonly headers: readonly Header[];
  /** How long the body is, in bytes, or that it says so itself. */
  readonly body: number | "chunked";
  readonly keepAlive: boolean;
  /** The client waits for a word before it sends the body. */
  readonly expectsContinue: boolean;
}

/** What is no request that can be served; the connection ends with this status. */
export class BadRequest extends Error {
  readonly status: number;

  constructor(status: number, what: string) {
    super(what);
    this.status = status;
  }
}

/** Control characters, and line ends that are not CR LF (RFC 9110 §5.5, RFC 9112 §2.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are meant
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const DIGITS = /^\d{1,15}$/;

/** `text` is latin-1, without the empty line at its end. Throws BadRequest. */
export function readHead(text: string): RequestHead {
  if (FORBIDDEN.test(text)) throw new BadRequest(400, "a control character");
  const end = lineEnd(text, 0);
  const { method, target, version } = requestLine(text.slice(0, end));
  const headers: Header[] = [];
  const framing = new Framing();
  for (let at = end + 2; at < text.length; ) {
    const stop = lineEnd(text, at);
    const colon = text.indexOf(":", at);
    const name = colon < 0 || colon > stop ? "" : text.slice(at, colon);
    if (!TOKEN.test(name)) throw new BadRequest(400, "a line that is no header");
    const value = trimmed(text, colon + 1, stop);
    headers.push([name, value]);
    framing.take(name, value);
    at = stop + 2;
  }
  const { body, keepAlive, expectsContinue } = framing.of(version);
  return { method, target, version, headers, body, keepAlive, expectsContinue };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\r\n", from);
  return end < 0 ? text.length : end;
}

type RequestLine = Pick<RequestHead, "method" | "target" | "version">;

function requestLine(line: string): RequestLine {
  const [first, last] = [line.indexOf(" "), line.lastIndexOf(" ")];
  const method = line.slice(0, Math.max(first, 0));
  const target = line.slice(first + 1, last);
  const version = line.slice(last + 1);
  const isOne = version === "HTTP/1.1" || version === "HTTP/1.0";
  if (!isOne && /^HTTP\/\d/.test(version)) throw new BadRequest(505, version);
  if (!isOne || !TOKEN.test(method) || target === "" || /[ \t]/.test(target))
    throw new BadRequest(400, "no request line");
  return { method, target, version: version === "HTTP/1.1" ? "1.1" : "1.0" };
}

/** Without the spaces and tabs around it, and only those. */
function trimmed(text: string, from: number, to: number): string {
  let [start, end] = [from, to];
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** The fields that say where a request ends and what becomes of its connection. */
class Framing {
  #hosts = 0;
  #length: string | null = null;
  #coding: string | null = null;
  #connection = "";
  #expect = "";

  take(name: string, value: string): void {
    switch (name.toLowerCase()) {
      case "host":
        this.#hosts++;
        break;
      case "content-length":
        if (this.#length !== null && this.#length !== value)
          throw new BadRequest(400, "two lengths");
        this.#length = value;
        break;
      case "transfer-encoding":
        this.#coding = this.#coding === null ? value : `${this.#coding},${value}`;
        break;
      case "connection":
        this.#connection += `,${value.toLowerCase()}`;
        break;
      case "expect":
        this.#expect = value.toLowerCase();
        break;
    }
  }

  of(version: "1.0" | "1.1"): Pick<RequestHead, "body" | "keepAlive" | "expectsContinue"> {
    const isNew = version === "1.1";
    if (this.#hosts > 1 || (isNew && this.#hosts === 0)) throw new BadRequest(400, "one host");
    if (this.#expect !== "" && this.#expect !== "100-continue")
      throw new BadRequest(417, this.#expect);
    return {
      body: this.#body(isNew),
      keepAlive: isNew ? !this.#says("close") : this.#says("keep-alive"),
      expectsContinue: isNew && this.#expect !== "",
    };
  }

  /** Both a length and a coding would let two readers disagree about where the next one begins. */
  #body(isNew: boolean): number | "chunked" {
    if (this.#coding !== null) {
      if (!isNew || this.#length !== null) throw new BadRequest(400, "a coding and a length");
      if (this.#coding.toLowerCase() !== "chunked") throw new BadRequest(501, this.#coding);
      return "chunked";
    }
    if (this.#length === null) return 0;
    if (!DIGITS.test(this.#length)) throw new BadRequest(400, "a length that is no number");
    return Number(this.#length);
  }

  #says(option: string): boolean {
    return this.#connection !== "" && this.#connection.split(/[\s,]+/).includes(option);
  }
}
