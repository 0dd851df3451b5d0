// Requests as bytes: what is kept as it was captured, what the wire owns, and what is refused.
import { describe, expect, it } from "vitest";
import { serializeRequest } from "../../src/wire/request.ts";

type Headers = readonly (readonly [string, string])[];

const textOf = (method: string, path: string, headers: Headers = [], body: string | null = null) =>
  serializeRequest("api.test:8443", {
    method,
    path,
    headers,
    body: body === null ? null : Buffer.from(body),
  }).bytes.toString("latin1");

describe("a serialised request", () => {
  it("keeps the order and the repeats of headers, and the host with its port", () => {
    const headers: Headers = [
      ["X-B", "1"],
      ["Cookie", "a=b"],
      ["x-b", "2"],
    ];
    expect(textOf("GET", "/a%2Fb?q=%20+", headers)).toBe(
      "GET /a%2Fb?q=%20+ HTTP/1.1\r\nHost: api.test:8443\r\nX-B: 1\r\nCookie: a=b\r\nx-b: 2\r\n\r\n",
    );
  });

  it("says the length of its body in bytes, and 0 for a POST without one", () => {
    expect(textOf("POST", "/", [], "é")).toBe(
      "POST / HTTP/1.1\r\nHost: api.test:8443\r\nContent-Length: 2\r\n\r\nÃ©",
    );
    expect(textOf("POST", "/")).toContain("Content-Length: 0\r\n");
    expect(textOf("GET", "/")).not.toContain("Content-Length");
  });

  it("does not send on the framing of a capture", () => {
    const captured: Headers = [
      ["Content-Length", "99"],
      ["transfer-encoding", "chunked"],
      ["Connection", "close"],
      ["Expect", "100-continue"],
    ];
    expect(textOf("PUT", "/", captured, "ab")).toBe(
      "PUT / HTTP/1.1\r\nHost: api.test:8443\r\nContent-Length: 2\r\n\r\nab",
    );
  });

  it("sends a host that the request brings along, once", () => {
    expect(textOf("GET", "/", [["host", "old.test"]])).toBe(
      "GET / HTTP/1.1\r\nHost: old.test\r\n\r\n",
    );
  });

  it.each<[string, string]>([
    ["/a b", "/a%20b"],
    ["/é?x=ü y", "/%C3%A9?x=%C3%BC%20y"],
    ["/%20%zz[]|", "/%20%zz[]|"],
    ["*", "*"],
  ])("makes the path %s valid and no more", (path, sent) => {
    expect(textOf("GET", path)).toContain(`GET ${sent} HTTP/1.1\r\n`);
  });

  it.each<[string, string, string, Headers]>([
    ["a line end in the path", "GET", "/a\r\nX: 1", []],
    ["a fragment", "GET", "/a#b", []],
    ["a path without its slash", "GET", "a", []],
    ["a space in the method", "GE T", "/", []],
    ["a line end in a header value", "GET", "/", [["A", "b\r\nC: d"]]],
    ["a bare LF in a header value", "GET", "/", [["A", "b\nC: d"]]],
    ["a NUL in a header value", "GET", "/", [["A", "\0"]]],
    ["a character beyond latin1 in a header value", "GET", "/", [["A", "€"]]],
    ["a colon in a header name", "GET", "/", [["A:", "b"]]],
    ["an empty header name", "GET", "/", [["", "b"]]],
    ["a line end in the host", "GET", "/", [["Host", "a\r\nb: c"]]],
  ])("refuses %s", (_, method, path, headers) => {
    expect(() => textOf(method, path, headers)).toThrow(/cannot be sent over HTTP/);
  });
});
