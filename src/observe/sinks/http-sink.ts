// A sink behind HTTP: GET a URL of an allowed host, page by page, JSON or NDJSON.
import { messageOf } from "../../core/error.ts";
import type { SinkSpec } from "../../core/scenario.ts";
import { fieldReader, type ReadRecords, textInput, unreadable } from "./sink-row.ts";
import { textRecords } from "./text-records.ts";

const PAGE_BYTES_MAX = 256 * 1024 * 1024;

/** Pages must be of the first URL's origin: what an answer says widens no allow-list. */
export const httpRecords: ReadRecords = async function* (spec, ports, signal) {
  const first = new URL(textInput(spec, "url"));
  const headers = headersOf(spec, ports.secretsIn);
  const seen = new Set<string>();
  for (let url: URL | null = first; url !== null; ) {
    if (seen.has(url.href)) throw unreadable(spec, `page ${url.pathname} comes twice`);
    seen.add(url.href);
    const response = await got(spec, ports.fetch, url, { headers, signal });
    if (/ndjson|jsonl/.test(response.headers.get("content-type") ?? "")) {
      yield* lines(spec, response, signal);
      return;
    }
    const page = await jsonOf(spec, response, signal);
    yield rowsOf(spec, page);
    url = nextOf(spec, page, url, first.origin);
  }
};

function headersOf(
  spec: SinkSpec,
  secretsIn: (text: string) => string,
): { [name: string]: string } {
  const given = spec.input.headers;
  if (given === undefined || typeof given === "string") return {};
  return Object.fromEntries(Object.entries(given).map(([name, text]) => [name, secretsIn(text)]));
}

async function got(
  spec: SinkSpec,
  fetch: typeof globalThis.fetch,
  url: URL,
  options: { readonly headers: { [name: string]: string }; readonly signal: AbortSignal },
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { ...options, redirect: "manual" });
  } catch (cause) {
    options.signal.throwIfAborted();
    const why = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
    throw unreadable(spec, `${url.origin} did not answer: ${messageOf(why)}`);
  }
  if (response.status === 200) return response;
  await response.body?.cancel();
  const redirected = response.status >= 300 && response.status < 400;
  const hint = redirected ? "redirects are not followed; give the final URL" : undefined;
  throw unreadable(spec, `${url.origin}${url.pathname} answered ${response.status}`, hint);
}

async function* lines(
  spec: SinkSpec,
  response: Response,
  signal: AbortSignal,
): AsyncIterable<readonly unknown[]> {
  if (response.body === null) return;
  try {
    yield* textRecords("ndjson", response.body as unknown as AsyncIterable<Uint8Array>);
  } catch (cause) {
    signal.throwIfAborted();
    throw unreadable(spec, messageOf(cause));
  }
}

async function jsonOf(spec: SinkSpec, response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    const parts: Uint8Array[] = [];
    let sizeBytes = 0;
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      parts.push(part);
      sizeBytes += part.length;
      if (sizeBytes > PAGE_BYTES_MAX) throw new Error("a page of more than 256 MB");
    }
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch (cause) {
    signal.throwIfAborted();
    const why = cause instanceof SyntaxError ? "the answer is not JSON" : messageOf(cause);
    throw unreadable(spec, why, "answer NDJSON, or pages with `next:`");
  }
}

function rowsOf(spec: SinkSpec, page: unknown): readonly unknown[] {
  const field = textInput(spec, "rows");
  const rows = field === "" ? page : fieldReader(field)(page);
  if (Array.isArray(rows)) return rows;
  const where = field === "" ? "the answer" : `field ${field} of the answer`;
  throw unreadable(spec, `${where} is no list`, "give `rows:`, the field with the list");
}

function nextOf(spec: SinkSpec, page: unknown, from: URL, origin: string): URL | null {
  const field = textInput(spec, "next");
  const next = field === "" ? undefined : fieldReader(field)(page);
  if (next === undefined || next === null || next === "") return null;
  if (typeof next !== "string" || !URL.canParse(next, from.href))
    throw unreadable(spec, `field ${field} is no URL`);
  const url = new URL(next, from);
  if (url.origin === origin) return url;
  throw unreadable(spec, `the next page is of another host: ${url.origin}`);
}
