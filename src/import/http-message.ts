// Takes a raw HTTP/1 message apart: start line, headers in order, and the body as it was framed.
import type { Draft } from "./format.ts";

export interface HttpMessage {
  readonly startLine: string;
  /** Names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  /** Bytes after the head, framing included. */
  readonly body: Buffer;
}

/** Null when there is no complete head. */
export function parseMessage(bytes: Buffer): HttpMessage | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const [startLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers: [string, string][] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.push([line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]);
  }
  return { startLine, headers, body: bytes.subarray(end + 4) };
}

/** The body without its framing; shorter than it was announced is `truncated`. */
export function bodyOfMessage(message: HttpMessage): Pick<Draft, "body_b64" | "body_state"> {
  const header = (wanted: string): string | undefined =>
    message.headers.find(([name]) => name === wanted)?.[1];
  if (/\bchunked\b/i.test(header("transfer-encoding") ?? "")) return dechunked(message.body);
  const announced = Number(header("content-length") ?? 0);
  if (announced === 0 && message.body.length === 0) return { body_b64: null, body_state: "none" };
  const bytes = announced > 0 ? message.body.subarray(0, announced) : message.body;
  return {
    body_b64: bytes.toString("base64"),
    body_state: bytes.length < announced ? "truncated" : "present",
  };
}

function dechunked(body: Buffer): Pick<Draft, "body_b64" | "body_state"> {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = body.indexOf("\r\n", at);
    const sizeBytes = end < 0 ? Number.NaN : Number.parseInt(body.toString("latin1", at, end), 16);
    const whole = sizeBytes >= 0 && end + 2 + sizeBytes <= body.length;
    if (whole && sizeBytes > 0) {
      parts.push(body.subarray(end + 2, end + 2 + sizeBytes));
      at = end + 2 + sizeBytes + 2;
      continue;
    }
    const body_b64 = Buffer.concat(parts).toString("base64");
    return { body_b64, body_state: sizeBytes === 0 ? "present" : "truncated" };
  }
}
