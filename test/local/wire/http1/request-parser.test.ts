// Requests out of bytes: however they are cut, however wrong they are.
import { describe, expect, it } from "vitest";
import { type Rng, seededRng } from "../../../../src/core/rng.ts";
import { BadRequest } from "../../../../src/local/wire/http1/request-head.ts";
import {
  type ParsedRequest,
  RequestParser,
} from "../../../../src/local/wire/http1/request-parser.ts";

const LIMIT = 64;

const THREE = Buffer.from(
  "\r\nGET /a?b=%20c HTTP/1.1\r\nHost: x\r\nX-Tag:\tone \r\nx-tag: two\r\n\r\n" +
    "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" +
    "PUT https://x/c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n" +
    "3;name=value\r\nabc\r\n0a\r\n0123456789\r\n0\r\nTrailer: yes\r\n\r\n" +
    "HEAD /d HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
  "latin1",
);

function parse(pieces: readonly Buffer[]): ParsedRequest[] {
  const parser = new RequestParser(LIMIT);
  const found: ParsedRequest[] = [];
  for (const piece of pieces) {
    parser.push(piece);
    for (let next = parser.next(); next !== null; next = parser.next()) found.push(next);
  }
  return found;
}

/** The status of the refusal, or null when it is read or needs more. */
function refusalOf(text: string | Buffer): number | null {
  try {
    parse([Buffer.from(text)]);
    return null;
  } catch (thrown) {
    if (thrown instanceof BadRequest) return thrown.status;
    throw thrown;
  }
}

const request = (...lines: string[]): string =>
  `${["GET / HTTP/1.1", "Host: x", ...lines].join("\r\n")}\r\n\r\n`;

it("reads one request after the other, with bodies by length and in chunks", () => {
  const found = parse([THREE]);
  expect(found.map(({ head, content }) => [head.method, head.target, String(content)])).toEqual([
    ["GET", "/a?b=%20c", ""],
    ["POST", "/b", "hello"],
    ["PUT", "https://x/c", "abc0123456789"],
    ["HEAD", "/d", ""],
  ]);
  expect(found[0]?.head.headers).toEqual([
    ["Host", "x"],
    ["X-Tag", "one"],
    ["x-tag", "two"],
  ]);
  expect(found.map(({ head }) => head.keepAlive)).toEqual([true, true, true, true]);
  expect(found[3]?.head.version).toBe("1.0");
});

it("reads the same wherever the bytes are cut", () => {
  const whole = parse([THREE]);
  for (let at = 1; at < THREE.length; at++) {
    expect(parse([THREE.subarray(0, at), THREE.subarray(at)])).toEqual(whole);
  }
  expect(parse([...THREE].map((byte) => Buffer.from([byte])))).toEqual(whole);
});

it.each([
  ["a length", "Content-Length: 65\r\n\r\n"],
  ["one chunk", "Transfer-Encoding: chunked\r\n\r\n41\r\n"],
  ["the second chunk", "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n40\r\n"],
])("hands over a request without its body once %s is beyond the limit", (_, rest) => {
  const head = `POST / HTTP/1.1\r\nHost: x\r\n${rest}`;
  const found = parse([Buffer.from(head), Buffer.from(request()), Buffer.alloc(1_000)]);
  expect(found.map(({ content }) => content)).toEqual([null]);
});

it("takes a body of exactly the limit", () => {
  const bytes = Buffer.from(`${request(`Content-Length: ${LIMIT}`)}${"x".repeat(LIMIT)}`);
  expect(parse([bytes])[0]?.content).toHaveLength(LIMIT);
});

describe("a request line", () => {
  it.each([
    ["GET / HTTP/1.2", 505],
    ["GET / HTTP/2.0", 505],
    ["GET /", 400],
    ["GET  HTTP/1.1", 400],
    ["GET /a b HTTP/1.1", 400],
    [" GET / HTTP/1.1", 400],
    ["G{T / HTTP/1.1", 400],
    ["GET / http/1.1", 400],
    ["GET /\u0000 HTTP/1.1", 400],
  ])("%j is refused with %i", (line, status) => {
    expect(refusalOf(`${line}\r\nHost: x\r\n\r\n`)).toBe(status);
  });
});

describe("a head", () => {
  it.each([
    ["without a host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["with two hosts", request("Host: y"), 400],
    ["with a folded line", request("A: b", " c"), 400],
    ["with a space before the colon", request("A : b"), 400],
    ["with a line that has no colon", request("A"), 400],
    ["with a bare line feed", request("A: b\nB: c"), 400],
    ["with a bare carriage return", request("A: b\rc"), 400],
    ["with a NUL", request("A: b\u0000"), 400],
    ["with two lengths", request("Content-Length: 1", "Content-Length: 2"), 400],
    ["with a signed length", request("Content-Length: +1"), 400],
    ["with a length in hex", request("Content-Length: 0x1"), 400],
    ["with a list of lengths", request("Content-Length: 1, 1"), 400],
    ["with length and coding", request("Content-Length: 1", "Transfer-Encoding: chunked"), 400],
    ["with another coding", request("Transfer-Encoding: gzip, chunked"), 501],
    ["with a coding in HTTP/1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400],
    ["that expects something else", request("Expect: more"), 417],
    ["longer than 16 KB", request(`A: ${"b".repeat(16_384)}`), 431],
    ["longer than 16 KB and without an end", `GET / HTTP/1.1\r\nA: ${"b".repeat(16_384)}`, 431],
  ])("%s is refused", (_, text, status) => {
    expect(refusalOf(text)).toBe(status);
  });

  it("may say its length twice, when it is the same", () => {
    const text = `${request("Content-Length: 1", "Content-Length: 1")}a`;
    expect(String(parse([Buffer.from(text)])[0]?.content)).toBe("a");
  });

  it("keeps bytes beyond ASCII, and what only looks like white space", () => {
    const bytes = Buffer.from(request("A: \u00a0\u00e4\u00a0"), "latin1");
    expect(parse([bytes])[0]?.head.headers[1]).toEqual(["A", "\u00a0\u00e4\u00a0"]);
  });

  it.each([
    [[], true],
    [["Connection: close"], false],
    [["Connection: keep-alive, Close"], false],
    [["Connection: x", "Connection: close"], false],
  ])("%j keeps the connection: %s", (lines, keepAlive) => {
    expect(parse([Buffer.from(request(...lines))])[0]?.head.keepAlive).toBe(keepAlive);
  });
});

describe("a chunk", () => {
  it.each([
    ["g\r\n", 400],
    ["-1\r\n", 400],
    ["\r\n", 400],
    ["123456789\r\n", 400],
    ["1\r\nab\r\n", 400],
    ["1\r\na\n\n", 400],
    [`1;${"a".repeat(20_000)}`, 400],
    [`0\r\nA: ${"b".repeat(20_000)}`, 431],
  ])("%j… is refused with %i", (chunk, status) => {
    expect(refusalOf(`${request("Transfer-Encoding: chunked")}${chunk}`)).toBe(status);
  });
});

it("reads or refuses whatever is sent, and comes to an end", () => {
  const rng = seededRng(11);
  const statuses = new Set<number | null>();
  for (let i = 0; i < 20_000; i++) statuses.add(refusalOf(mutated(THREE, rng)));
  expect(statuses).toContain(400);
  expect(statuses).toContain(null);
});

function mutated(bytes: Buffer, rng: Rng): Buffer {
  const copy = Buffer.from(bytes);
  const below = (most: number): number => Math.floor(rng.next() * most);
  for (let n = 1 + below(3); n > 0; n--) copy[below(copy.length)] = below(256);
  const [from, to] = [below(copy.length), below(copy.length)];
  return rng.next() < 0.5 ? copy : Buffer.concat([copy.subarray(0, from), copy.subarray(to)]);
}
