// A request as the bytes that go on the wire, made once, so that sending is one write.
import { GatecrashError } from "../core/error.ts";
import { isFieldValue, isToken } from "./characters.ts";

export interface WireRequest {
  readonly bytes: Buffer;
  /** A HEAD, whose response has no body. */
  readonly head: boolean;
}

export interface RequestParts {
  readonly method: string;
  /**
   * Request target as captured: percent-encoding stays; only bytes that may not occur are encoded.
   */
  readonly path: string;
  /** In order, duplicates kept. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | null;
}

/** Framing and the connection belong to the wire: these headers of a capture are not sent on. */
const OWN = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Methods whose requests say `Content-Length: 0` when they have no body (RFC 9110 §8.6). */
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);
const PLAIN_PATH = /^[\x21-\x7e]+$/;

/**
 * Serialises a request; `hostHeader` is sent unless the request brings a Host of its own.
 * Throws `input` for a method, path or header that cannot be said in HTTP (CR, LF, NUL, …).
 */
export function serializeRequest(hostHeader: string, parts: RequestParts): WireRequest {
  const { method, body } = parts;
  const head = Buffer.from(headOf(hostHeader, parts, body?.byteLength ?? null), "latin1");
  const bytes = body === null || body.byteLength === 0 ? head : Buffer.concat([head, body]);
  return { bytes, head: method === "HEAD" };
}

/** A body that lies in a buffer with room before it, so that the head can be put there. */
export interface PlacedBody {
  readonly room: Buffer;
  readonly from: number;
  readonly to: number;
}

/** As `serializeRequest`, and nothing of a large body is copied. */
export function serializePlaced(
  hostHeader: string,
  parts: Omit<RequestParts, "body">,
  { room, from, to }: PlacedBody,
): WireRequest {
  const head = headOf(hostHeader, parts, to - from);
  const start = from - head.length;
  if (start < 0) throw new Error(`a head of ${head.length} bytes has room for ${from}`);
  room.write(head, start, "latin1");
  return { bytes: room.subarray(start, to), head: parts.method === "HEAD" };
}

/** Request line, Host, headers and framing, in Latin-1; `bodyBytes` null = there is no body. */
function headOf(
  hostHeader: string,
  { method, path, headers }: Omit<RequestParts, "body">,
  bodyBytes: number | null,
): string {
  if (!isToken(method)) throw refused("method", method);
  let host = hostHeader;
  let lines = "";
  for (const [name, value] of headers) {
    if (!isToken(name)) throw refused("header name", name);
    if (!isFieldValue(value)) throw refused(`the value of the header ${name}`, null);
    const lower = name.toLowerCase();
    if (lower === "host") host = value;
    else if (!OWN.has(lower)) lines += `${name}: ${value}\r\n`;
  }
  if (!isFieldValue(host)) throw refused("host", host);
  if (bodyBytes !== null || WITH_BODY.has(method)) lines += `Content-Length: ${bodyBytes ?? 0}\r\n`;
  return `${method} ${requestTarget(path)} HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n`;
}

/**
 * The path as captured, made valid: spaces and bytes outside ASCII are percent-encoded, a fragment
 * is refused, nothing that is encoded already is touched (`%2F`, `%20` and `+` stay different).
 */
export function requestTarget(path: string): string {
  if (path === "*") return path;
  if (!path.startsWith("/")) throw refused("path (it must start with /)", path);
  if (PLAIN_PATH.test(path) && !path.includes("#")) return path;
  let target = "";
  for (const char of path) {
    const code = char.codePointAt(0)!;
    if (code < 32 || code === 127 || char === "#") throw refused("path", path);
    target += code > 32 && code < 127 ? char : percentEncoded(char);
  }
  return target;
}

function percentEncoded(char: string): string {
  let text = "";
  for (const byte of Buffer.from(char, "utf8"))
    text += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  return text;
}

/** Neither a header's value nor a query is repeated: both may be secret. */
function refused(what: string, text: string | null): GatecrashError {
  const shown = text === null ? "" : ` ${JSON.stringify(text.replace(/\?.*$/s, "?…"))}`;
  return new GatecrashError("input", `cannot be sent over HTTP: ${what}${shown}`);
}
