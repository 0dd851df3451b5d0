// An answer as the bytes of HTTP/1.1.
import { STATUS_CODES } from "node:http";

/** Several values of one name are several lines. */
export type AnswerHeader = readonly [name: string, value: string | readonly string[]];

export interface HttpAnswer {
  readonly status: number;
  /** Without those of framing and connection, which are written here. */
  readonly headers: readonly AnswerHeader[];
  readonly body: Buffer;
}

const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * A 204 or 304 has no body and announces none; the answer to HEAD only announces it. Throws when a
 * value cannot be a header's.
 */
export function answerBytes(answer: HttpAnswer, method: string, close: boolean): Buffer {
  const { status, headers, body } = answer;
  const isEmpty = status === 204 || status === 304;
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n`;
  let isDated = false;
  for (const [name, value] of headers) {
    isDated ||= name.length === 4 && name.toLowerCase() === "date";
    if (typeof value === "string") head += line(name, value);
    else for (const one of value) head += line(name, one);
  }
  if (!isDated) head += `Date: ${httpDate()}\r\n`;
  head += `Connection: ${close ? "close" : "keep-alive"}\r\n`;
  if (!isEmpty) head += `Content-Length: ${body.length}\r\n`;
  const content = isEmpty || method === "HEAD" ? 0 : body.length;
  const bytes = Buffer.allocUnsafe(head.length + 2 + content);
  const end = bytes.write(`${head}\r\n`, "latin1");
  body.copy(bytes, end, 0, content);
  return bytes;
}

function line(name: string, value: string): string {
  if (VALUE.test(value)) return `${name}: ${value}\r\n`;
  throw new Error(`the answer's header ${name} has a value that cannot be sent`);
}

const MS_PER_S = 1_000;
let dateSecond = 0;
let dateText = "";

function httpDate(): string {
  const second = Math.floor(Date.now() / MS_PER_S);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * MS_PER_S).toUTCString();
  }
  return dateText;
}
