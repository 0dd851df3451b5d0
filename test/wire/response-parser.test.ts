// The response parser, against llhttp on random streams, and on the cases that matter by hand.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ResponseParser } from "../../src/wire/response-parser.ts";
import { type Reading, readWithLlhttp } from "./llhttp.ts";
import {
  CAPTURED,
  cuts,
  mutatedStream,
  readWithOurs,
  type Stream,
  validStream,
} from "./responses.ts";

/** llhttp reports every header as it came; ours keeps the asked ones, trimmed and joined. */
function likeOurs(reading: Reading): Reading {
  return {
    broken: reading.broken,
    complete: reading.complete.map((seen) => ({
      ...seen,
      headers: CAPTURED.map((name) => {
        const values = seen.headers
          .filter(([n]) => n === name)
          .map(([, v]) => v.replace(/[ \t]+$/, ""));
        return [name, values.reduce((all, v) => (all === "" ? v : `${all}, ${v}`), "")] as const;
      }),
    })),
  };
}

/**
 * Places where ours is stricter on purpose: statuses below 100 and HTTP versions that are not 1.x.
 */
const STRICTER = /HTTP\/(?:1\.1 0\d\d|0\.9|2\.0)/;

describe("against llhttp", () => {
  it("reads every valid stream alike, wherever it is cut", () => {
    fc.assert(
      fc.property(validStream, cuts, (stream, at) => {
        const expected = likeOurs(readWithLlhttp(stream.bytes, stream.heads));
        expect(expected.broken).toBe(false);
        expect(comparable(readWithOurs(stream, at), stream)).toEqual(comparable(expected, stream));
      }),
      { numRuns: 3_000, seed: 1 },
    );
  });

  it("accepts and refuses the same mutated streams", () => {
    fc.assert(
      fc.property(mutatedStream, cuts, (stream, at) => {
        fc.pre(!STRICTER.test(stream.bytes.toString("latin1")));
        const expected = likeOurs(readWithLlhttp(stream.bytes, stream.heads));
        expect(comparable(readWithOurs(stream, at), stream)).toEqual(comparable(expected, stream));
      }),
      { numRuns: 6_000, seed: 2 },
    );
  });

  it("does not depend on where a stream is cut", () => {
    fc.assert(
      fc.property(mutatedStream, cuts, (stream, at) => {
        expect(readWithOurs(stream, at)).toEqual(readWithOurs(stream, "every byte"));
      }),
      { numRuns: 1_000, seed: 3 },
    );
  });
});

/** Without a length, llhttp would close after the response to a HEAD; RFC 9112 §6.3 does not. */
function comparable(reading: Reading, stream: Stream): Reading {
  const complete = reading.complete.map((seen, k) =>
    stream.heads[k] === true ? { ...seen, keepAlive: true } : seen,
  );
  return { ...reading, complete };
}

const OK = "HTTP/1.1 200 OK\r\n";
const read = (text: string, heads: boolean[] = []): Reading =>
  readWithOurs({ bytes: Buffer.from(text, "latin1"), heads }, "every byte");

describe("a response that is refused", () => {
  it.each<[string, string]>([
    ["a bare LF after the status line", "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n"],
    ["a bare LF after a header", `${OK}Content-Length: 0\nA: b\r\n\r\n`],
    ["a bare LF after a chunk size", `${OK}Transfer-Encoding: chunked\r\n\r\n0\n\r\n`],
    ["a space in a header name", `${OK}Content-Length : 0\r\n\r\n`],
    ["a folded header", `${OK}A: b\r\n c\r\nContent-Length: 0\r\n\r\n`],
    ["a header without a colon", `${OK}A\r\nContent-Length: 0\r\n\r\n`],
    ["a NUL in a header value", `${OK}A: \0\r\nContent-Length: 0\r\n\r\n`],
    ["two lengths that differ", `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ["two lengths that are equal", `${OK}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`],
    ["a length beside chunks", `${OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ["a length that is no number", `${OK}Content-Length: 1a\r\n\r\na`],
    ["a length beyond 2^53", `${OK}Content-Length: 9007199254740993\r\n\r\na`],
    ["a chunk size that is no number", `${OK}Transfer-Encoding: chunked\r\n\r\nx\r\n`],
    ["a chunk longer than its size", `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n`],
    ["a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["a status below 100", "HTTP/1.1 099 OK\r\n\r\n"],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["an end in mid-body", `${OK}Content-Length: 2\r\n\r\na`],
    ["an end in mid-head", `${OK}Content-Le`],
  ])("%s", (_, text) => {
    expect(read(text)).toEqual({ complete: [], broken: true });
  });

  it("a head larger than allowed, in one read or in many", () => {
    const head = Buffer.from(`${OK}A: ${"x".repeat(2_000)}\r\nContent-Length: 0\r\n\r\n`);
    for (const step of [1, 700, head.length]) {
      const parser = new ResponseParser({ headMaxBytes: 1_000 });
      parser.expect(false);
      for (let i = 0; i < head.length && !parser.failed; i += step)
        parser.execute(head, i, Math.min(head.length, i + step));
      expect(parser.failed).toBe(true);
    }
  });

  it("interim heads without end", () => {
    expect(read("HTTP/1.1 100 Continue\r\n\r\n".repeat(40)).broken).toBe(true);
  });
});

describe("a response that is read", () => {
  const seen = (stream: Stream) => readWithOurs(stream, "every byte").complete[0];

  it("keeps asked headers, trimmed, joined when repeated, and without those of interim heads", () => {
    const text = `HTTP/1.1 103 Early\r\nx-a: no\r\n\r\n${OK}X-A:  1 \r\nContent-Length: 0\r\nx-A: 2\r\n\r\n`;
    expect(seen({ bytes: Buffer.from(text), heads: [] })?.headers[0]).toEqual(["x-a", "1, 2"]);
  });

  it("knows when the connection may be used again", () => {
    const cases: [string, boolean][] = [
      [`${OK}Content-Length: 0\r\n\r\n`, true],
      [`${OK}Content-Length: 0\r\nConnection: close\r\n\r\n`, false],
      [`${OK}Content-Length: 0\r\nConnection: close, keep-alive\r\n\r\n`, false],
      ["HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false],
      ["HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n", true],
      [OK.concat("\r\nuntil the end"), false],
    ];
    expect(cases.map(([text]) => read(text).complete[0]?.keepAlive)).toEqual(
      cases.map(([, k]) => k),
    );
  });

  it("reads how long an idle connection is kept", () => {
    const parser = new ResponseParser();
    parser.expect(false);
    const head = Buffer.from(`${OK}Keep-Alive: max=9, timeout=72\r\nContent-Length: 0\r\n\r\n`);
    expect(parser.execute(head, 0, head.length)).toBe(head.length);
    expect([parser.done, parser.head.keepAliveSeconds]).toEqual([true, 72]);
  });

  it("leaves what follows the response to the caller", () => {
    const parser = new ResponseParser();
    parser.expect(false);
    const bytes = Buffer.from(`${OK}Content-Length: 2\r\n\r\nokHTTP/1.1`);
    expect(parser.execute(bytes, 0, bytes.length)).toBe(bytes.length - "HTTP/1.1".length);
  });
});
