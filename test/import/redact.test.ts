// Redaction: by name, by sight, keyed, length kept, and what is no secret stays.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Pseudonyms } from "../../src/import/pseudonyms.ts";
import { type Ledger, Redactor } from "../../src/import/redact.ts";

const redactor = new Redactor(new Pseudonyms("key"));
const fresh = (): Ledger => ({ known: [], found: new Set() });
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P";
// AWS's own documentation example, not a key of anybody.
const AWS_KEY = "AKIAIOSFODNN7EXAMPLE";

describe("paths", () => {
  test.each([
    ["/a?token=s3cret&x=1", "query:token", "s3cret"],
    ["/a?X-Amz-Signature=00ff12&x=1", "query:X-Amz-Signature", "00ff12"],
    ["/cb?code=Qx12&state=y", "query:code", "Qx12"],
    ["/a?pass%77ord=hunter2", "query:password", "hunter2"],
    ["/a?x%5Bclient_secret%5D=abc", "query:x[client_secret]", "abc"],
    [`/reset/${JWT}/now`, "path", JWT],
    [`/a?ref=${AWS_KEY}`, "query:ref", AWS_KEY],
    ["/a?q=Zk3Lw9QpX2vB7nM4tR8yH1cD", "query:q", "Zk3Lw9QpX2vB7nM4tR8yH1cD"],
  ])("%s", (path, label, secret) => {
    const ledger = fresh();
    const clean = redactor.path(path, ledger);
    expect([...ledger.found]).toContain(label);
    expect(clean).not.toContain(secret);
    expect(clean.length).toBe(path.length);
  });

  test.each([
    "/product/7?ref=newsletter&page=2",
    "/presentations/logstash-monitorama-2013/images/kibana-search.png",
    "/o/123e4567-e89b-42d3-a456-426614174000",
    "/static/app.3f9ab2c4d5e6f708.js?v=20260907",
    "/a?&=&b",
  ])("%s is left as it is", (path) => {
    const ledger = fresh();
    expect(redactor.path(path, ledger)).toBe(path);
    expect(ledger.found.size).toBe(0);
  });
});

describe("headers and bodies", () => {
  test("credentials are replaced by name", () => {
    const ledger = fresh();
    expect(redactor.header("cookie", "sid=abc123", ledger)).not.toContain("abc123");
    expect(redactor.header("x-api-key", "abc", ledger)).not.toBe("abc");
    expect(redactor.header("accept", "text/html", ledger)).toBe("text/html");
    expect([...ledger.found]).toEqual(["header:cookie", "header:x-api-key"]);
  });

  test("JSON bodies by field, at any depth, the rest untouched", () => {
    const ledger = fresh();
    const body = '{"user":{"email":"a@b.example","age":3},"pin":[1234],"note":"hi"}';
    const clean = JSON.parse(redactor.body(body, "application/json", ledger));
    expect(clean).toEqual({
      user: { email: expect.stringMatching(/^[a-z]@[a-z]\.[a-z]{7}$/), age: 3 },
      pin: [expect.any(Number)],
      note: "hi",
    });
    expect(clean.user.email).not.toBe("a@b.example");
    expect([...ledger.found]).toEqual(["body:email", "body:pin"]);
  });

  test("a body without secrets keeps its bytes", () => {
    const body = '{ "a" : 1.0 }';
    expect(redactor.body(body, "application/json", fresh())).toBe(body);
  });

  test("form bodies by field", () => {
    const clean = redactor.body("a=1&password=abc", "application/x-www-form-urlencoded", fresh());
    expect(clean).toMatch(/^a=1&password=[a-z]{3}$/);
  });
});

describe("pseudonyms", () => {
  test("depend on the key, keep the length and the kind of every character", () => {
    const one = new Pseudonyms("one");
    expect(one.of("Ab-12")).toMatch(/^[A-Z][a-z]-\d\d$/);
    expect(one.of("Abcdefgh-1234567")).toBe(new Pseudonyms("one").of("Abcdefgh-1234567"));
    expect(one.of("Abcdefgh-1234567")).not.toBe(new Pseudonyms("two").of("Abcdefgh-1234567"));
  });

  test("keep the length of anything", () => {
    const pseudonyms = new Pseudonyms("k");
    fc.assert(fc.property(fc.string(), (text) => pseudonyms.of(text).length === text.length));
  });
});
