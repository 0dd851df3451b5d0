// Random byte streams of HTTP/1.1 responses, and a reader of them by our parser.
import fc from "fast-check";
import { ResponseParser } from "../../src/wire/response-parser.ts";
import type { Reading, Seen } from "./llhttp.ts";

export interface Stream {
  readonly bytes: Buffer;
  /** Whether the k-th final response answers a HEAD. */
  readonly heads: readonly boolean[];
}

/** The headers that our parser is asked to keep, and that `readWithOurs` reports. */
export const CAPTURED = ["x-a", "date", "apigw-requestid", "content-length"];

const text = fc.string({ unit: fc.constantFrom(...'ab 09;:="\t~é'), maxLength: 12 });
const ows = fc.constantFrom("", " ", "\t", "  ");
const plainName = fc.constantFrom("X-A", "Date", "x-b", "Server", "apigw-requestid", "Via");
const plainHeader = fc
  .tuple(plainName, ows, text, ows)
  .map(([n, a, v, b]) => `${n}:${a}${v}${b}\r\n`);
const connection = fc.constantFrom(
  "",
  "",
  "Connection: keep-alive\r\n",
  "connection:KEEP-ALIVE\r\n",
  "Keep-Alive: timeout=5\r\n",
);
const headers = fc.tuple(fc.array(plainHeader, { maxLength: 5 }), connection);
const reason = fc.constantFrom(" OK", "", " ", " Très bien", " a:b\tc");
const payload = fc.uint8Array({ maxLength: 40 }).map((b) => Buffer.from(b).toString("latin1"));
const extension = fc.constantFrom("", "", ";a", ";a=b", ';q="x y;\\"";z', ";=b", ";a=");

const chunk = fc.tuple(payload, extension, fc.boolean()).map(([data, ext, upper]) => {
  const size = data.length.toString(16);
  return data.length === 0 ? "" : `${upper ? size.toUpperCase() : `0${size}`}${ext}\r\n${data}\r\n`;
});
const chunked = fc
  .tuple(fc.array(chunk, { maxLength: 4 }), extension, fc.array(plainHeader, { maxLength: 2 }))
  .map(([chunks, ext, trailers]) => ({
    framing: "Transfer-Encoding: chunked\r\n",
    body: `${chunks.join("")}0${ext}\r\n${trailers.join("")}\r\n`,
  }));
const sized = payload.map((body) => ({ framing: `Content-Length:  ${body.length} \r\n`, body }));
const bodiless = fc
  .constantFrom("", "Content-Length: 7\r\n", "Transfer-Encoding: chunked\r\n")
  .map((framing) => ({ framing, body: "" }));

const head = (status: number, why: string, parts: [string[], string], framing: string): string =>
  `HTTP/1.1 ${status}${why}\r\n${parts[0].join("")}${framing}${parts[1]}\r\n`;

const interim = fc
  .tuple(fc.constantFrom(100, 102, 103), reason, headers)
  .map(([status, why, parts]) => head(status, why, parts, ""));
const final = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(200, 201, 404, 429, 503, 205, 999),
      reason,
      headers,
      fc.oneof(sized, chunked),
    )
    .map(([s, why, parts, m]) => ({
      text: head(s, why, parts, m.framing) + m.body,
      isHead: false,
    })),
  fc
    .tuple(fc.constantFrom(204, 304), reason, headers, bodiless)
    .map(([s, why, parts, m]) => ({ text: head(s, why, parts, m.framing), isHead: false })),
  fc
    .tuple(fc.constantFrom(200, 404), reason, headers, bodiless)
    .map(([s, why, parts, m]) => ({ text: head(s, why, parts, m.framing), isHead: true })),
);
const response = fc
  .tuple(fc.constantFrom("", "", "\r\n"), fc.array(interim, { maxLength: 2 }), final)
  .map(([blank, before, last]) => ({ ...last, text: blank + before.join("") + last.text }));
const last = fc.oneof(
  fc.constant(""),
  fc.tuple(headers, payload).map(([parts, body]) => head(200, " OK", parts, "") + body),
);

/**
 * Valid responses one after another; the last one may be delimited by the end of the connection.
 */
export const validStream: fc.Arbitrary<Stream> = fc
  .tuple(fc.array(response, { maxLength: 5 }), last)
  .map(([all, end]) => ({
    bytes: Buffer.from(all.map((r) => r.text).join("") + end, "latin1"),
    heads: all.map((r) => r.isHead),
  }));

/** The same with a few bytes replaced, inserted or removed, where it hurts most. */
export const mutatedStream: fc.Arbitrary<Stream> = fc
  .tuple(
    validStream,
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        drop: fc.nat({ max: 2 }),
        put: fc.constantFrom(
          "",
          "\r",
          "\n",
          "\r\n",
          " ",
          ":",
          "0",
          "5",
          "f",
          ";",
          "\0",
          "é",
          ",",
          "\t",
        ),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  )
  .map(([{ bytes, heads }, edits]) => {
    let mutated = bytes.toString("latin1");
    for (const { at, drop, put } of edits) {
      const i = Math.floor(at * mutated.length);
      mutated = mutated.slice(0, i) + put + mutated.slice(i + drop);
    }
    return { bytes: Buffer.from(mutated, "latin1"), heads };
  });

/** Where to cut a stream into reads, as shares of its length. */
export const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

/** Reads the stream with our parser, cut at those places (or at every byte). */
export function readWithOurs(stream: Stream, at: readonly number[] | "every byte"): Reading {
  const { bytes, heads } = stream;
  const parser = new ResponseParser({ captureHeaders: CAPTURED, headMaxBytes: 65_536 });
  const complete: Seen[] = [];
  let body = "";
  let begun = false;
  parser.onBody = (source, from, to) => {
    body += source.toString("latin1", from, to);
  };
  const next = (): void => {
    body = "";
    begun = false;
    parser.expect(heads[complete.length] === true);
  };
  const collect = (): void => {
    if (!parser.done) return;
    const kept = CAPTURED.map((name, i) => [name, parser.head.captured[i]!] as const);
    const { status } = parser.head;
    complete.push({ status, body, keepAlive: parser.reusable, headers: kept });
    next();
  };
  next();
  let from = 0;
  for (const to of places(bytes.length, at)) {
    const read = Buffer.from(bytes.subarray(from, to)); // a copy: what is kept must not be borrowed
    for (let i = 0; i < read.length && !parser.failed; ) {
      const rest = read.subarray(i).toString("latin1");
      begun ||= /[^\r\n]/.test(rest);
      i = parser.execute(read, i, read.length);
      collect();
    }
    read.fill(0x21);
    from = to;
  }
  if (begun || parser.failed) {
    parser.finish();
    collect();
  }
  return { complete, broken: parser.failed };
}

function places(length: number, at: readonly number[] | "every byte"): number[] {
  if (at === "every byte") return Array.from({ length }, (_, i) => i + 1);
  return [...at.map((share) => Math.floor(share * length)).sort((a, b) => a - b), length];
}
