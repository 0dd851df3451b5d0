// Signatures of an http load: those of the SDK's own signer, whatever stands in path and query.
import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { iamAuthorizer } from "../../../src/targets/auth/iam.ts";

const AT = Date.UTC(2026, 4, 6, 7, 8, 9);
const KEYS = {
  ...{ accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "token/with+signs==" },
};
const HOST = "shop1.execute-api.eu-west-1.amazonaws.com";
const authorizer = iamAuthorizer({
  ...{ service: "execute-api", region: "eu-west-1", nowMs: () => AT },
  credentials: async () => KEYS,
});

const signed = async (method: string, path: string, body: Uint8Array | null = null) =>
  Object.fromEntries((await authorizer.headersFor({ method, path, host: HOST, body })) ?? []);

/** The SDK's: the query as names and values, nothing of it encoded yet. */
async function bySdk(
  method: string,
  path: string,
  query: { readonly [name: string]: string[] },
  body: Uint8Array,
) {
  class Sha256 {
    readonly #hash;
    constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
      this.#hash =
        secret === undefined ? createHash("sha256") : createHmac("sha256", secret as Uint8Array);
    }
    update(data: string | ArrayBuffer | ArrayBufferView): void {
      this.#hash.update(data as Uint8Array);
    }
    async digest(): Promise<Uint8Array> {
      return this.#hash.digest();
    }
    reset(): void {}
  }
  const signer = new SignatureV4({
    ...{ service: "execute-api", region: "eu-west-1", credentials: KEYS, sha256: Sha256 },
  });
  const headers = { host: HOST, "content-length": String(body.byteLength) };
  const request = { method, path, query, headers, body, protocol: "https:", hostname: HOST };
  const { headers: all } = await signer.sign(request, { signingDate: new Date(AT) });
  const { host: _host, "content-length": _length, ...own } = all;
  return own;
}

const encoded = (text: string): string => encodeURIComponent(text);

test("queries are signed as the SDK signs them, repeated names and odd letters included", async () => {
  const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 });
  const pairs = fc.array(fc.tuple(word, fc.string({ unit: "grapheme", maxLength: 8 })), {
    maxLength: 6,
  });
  const method = fc.constantFrom("GET", "POST", "DELETE");
  const body = fc.uint8Array({ maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(method, word, pairs, body, async (verb, segment, list, bytes) => {
      const query = Object.create(null) as { [name: string]: string[] };
      for (const [name, value] of list) query[name] = [...(query[name] ?? []), value];
      const search = list.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");
      const path = `/live/${encoded(segment)}`;
      const ours = await signed(verb, search === "" ? path : `${path}?${search}`, bytes);
      expect(ours).toEqual(await bySdk(verb, path, query, bytes));
    }),
    { numRuns: 200 },
  );
});

test.each([
  ["/a", "/a", {}],
  ["/a?", "/a", {}],
  ["/a?b=2&a=1&a=0", "/a", { b: ["2"], a: ["1", "0"] }],
  ["/a?flag", "/a", { flag: [""] }],
  ["/a?x=1=2", "/a", { x: ["1=2"] }],
  ["/a?q=caf%C3%A9%20au%20lait", "/a", { q: ["café au lait"] }],
  ["/a?q=a%2Bb%26c", "/a", { q: ["a+b&c"] }],
  ["/a?__proto__=1&constructor=2", "/a", { ["__proto__"]: ["1"], constructor: ["2"] }],
  ["/a%20b/%7Bid%7D?x=~-_.", "/a%20b/%7Bid%7D", { x: ["~-_."] }],
] as const)("%s is signed as the SDK does", async (sent, path, query) => {
  const named = query as unknown as { readonly [name: string]: string[] };
  expect(await signed("GET", sent)).toEqual(await bySdk("GET", path, named, new Uint8Array()));
});

test("without credentials there is no signature, and no exception", async () => {
  const { headersFor } = iamAuthorizer({
    ...{ service: "lambda", region: "eu-west-1", nowMs: () => AT },
    credentials: () => Promise.reject(new Error("the session has ended")),
  });
  expect(await headersFor({ method: "GET", path: "/", host: HOST, body: null })).toBe(null);
});
