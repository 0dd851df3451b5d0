// The object store over the wire: objects as they were put, lists in order, hostile keys, errors.
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createControlPlane } from "../../../src/aws/control-plane.ts";
import type { AwsFailure, ControlPlane } from "../../../src/core/change.ts";
import { ObjectStore } from "../../../src/local/objects/object-store.ts";
import { type LocalAws, startLocalAws } from "../../../src/local/start.ts";
import { BOTOS, python } from "../other-clients.ts";
import { call } from "./signed.ts";

let local: LocalAws;
let control: ControlPlane;
beforeAll(async () => {
  local = await startLocalAws({
    template: fileURLToPath(new URL("./template.yaml", import.meta.url)),
  });
  const { endpoint } = local;
  control = createControlPlane({ endpoint, region: "eu-west-1", account: null, runId: "test" });
});
afterAll(() => local.stop());

const send = (request: string, body?: string, headers?: { [name: string]: string }) =>
  call(local.endpoint, request, body, headers);
const codeOf = (text: string): string => /<Code>(.*)<\/Code>/.exec(text)?.[1] ?? "";

it("buckets of a template have their names and ARNs", async () => {
  expect(local.outputs).toEqual({ Archive: "local-archive", NamedArn: "arn:aws:s3:::rollups" });
  expect((await send("HEAD /rollups")).status).toBe(200);
  expect((await send("HEAD /nobodys")).status).toBe(404);
});

describe("an object", () => {
  it("comes back as it was put, whole, in part, and without its body", async () => {
    const etag = `"${createHash("md5").update("hello").digest("hex")}"`;
    const put = await send("PUT /rollups/a/b.txt", "hello", {
      "content-type": "text/plain",
      "x-amz-meta-who": "me",
    });
    expect([put.status, put.headers.etag]).toEqual([200, etag]);
    const got = await send("GET /rollups/a/b.txt");
    expect([got.text, got.headers["content-type"], got.headers["x-amz-meta-who"]]).toEqual([
      ...["hello", "text/plain", "me"],
    ]);
    const part = await send("GET /rollups/a/b.txt", "", { range: "bytes=1-2" });
    expect([part.status, part.text, part.headers["content-range"]]).toEqual([
      ...[206, "el", "bytes 1-2/5"],
    ]);
    const head = await send("HEAD /rollups/a/b.txt");
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", "5"]);
    expect((await send("DELETE /rollups/a/b.txt")).status).toBe(204);
    expect((await send("DELETE /rollups/a/b.txt")).status).toBe(204);
    const gone = await send("GET /rollups/a/b.txt");
    expect([gone.status, codeOf(gone.text)]).toEqual([404, "NoSuchKey"]);
  });

  it("in chunks is what the chunks hold, and a torn one is refused", async () => {
    const chunked = { "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER" };
    await send("PUT /rollups/c", "5\r\nhello\r\n1;chunk-signature=0\r\n!\r\n0\r\nx:y\r\n", chunked);
    expect((await send("GET /rollups/c")).text).toBe("hello!");
    const torn = await send("PUT /rollups/c", "9\r\nhello\r\n0\r\n\r\n", chunked);
    expect(codeOf(torn.text)).toBe("IncompleteBody");
    expect((await send("GET /rollups/c")).text).toBe("hello!");
  });

  it("is refused when its digest is another one", async () => {
    const wrong = await send("PUT /rollups/d", "hello", { "x-amz-checksum-crc32": "AAAAAA==" });
    expect([wrong.status, codeOf(wrong.text)]).toEqual([400, "BadDigest"]);
    const right = await send("PUT /rollups/d", "hello", { "x-amz-checksum-crc32": "NhCmhg==" });
    expect(right.status).toBe(200);
  });

  it("is written only if there is none, or only over the one that is known", async () => {
    const once = { "if-none-match": "*" };
    const first = await send("PUT /rollups/once", "1", once);
    expect([first.status, (await send("PUT /rollups/once", "2", once)).status]).toEqual([200, 412]);
    const over = await send("PUT /rollups/once", "3", { "if-match": String(first.headers.etag) });
    const stale = await send("PUT /rollups/once", "4", { "if-match": String(first.headers.etag) });
    expect([over.status, stale.status]).toEqual([200, 412]);
    expect((await send("GET /rollups/once")).text).toBe("3");
  });
});

describe("keys", () => {
  it("are text and never paths: dots, slashes, names that every object has, any character", async () => {
    const keys = [
      "../../etc/passwd",
      "/",
      "//",
      "__proto__",
      "constructor",
      "a b+c",
      "é😀",
      "<&>'",
    ];
    const encoded = (key: string): string => encodeURIComponent(key).replaceAll("%2F", "/");
    for (const key of keys) await send(`PUT /local-archive/${encoded(key)}`, key);
    const listed = await control.call("s3", "ListObjectsV2", { Bucket: "local-archive" });
    const found = (listed.Contents as { Key: string }[]).map(({ Key }) => Key);
    const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect(found).toEqual([...keys].sort(byBytes));
    for (const Key of keys) {
      const { Body } = await control.call("s3", "GetObject", { Bucket: "local-archive", Key });
      expect(String(Body)).toBe(Key);
    }
  });

  it.each([
    ["too long", `PUT /rollups/${"k".repeat(1_025)}`, "KeyTooLongError"],
    ["no percent-encoding", "GET /rollups/%zz", "InvalidURI"],
    ["of no bucket", "PUT /nobodys/k", "NoSuchBucket"],
    ["with something not modelled", "GET /rollups/k?acl", "NotImplemented"],
    ["in parts", "POST /rollups/k?uploads", "NotImplemented"],
    ["a bucket that may not be", "PUT /NO", "InvalidBucketName"],
    ["a page of no number", "GET /rollups?list-type=2&max-keys=x", "InvalidArgument"],
  ])("that are refused: %s", async (_, request, code) => {
    expect(codeOf((await send(request, "x")).text)).toBe(code);
  });

  it("are read by the control plane with S3's own names for what is wrong", async () => {
    const wrong = control.call("s3", "GetObject", { Bucket: "rollups", Key: "absent" });
    await expect(wrong).rejects.toMatchObject({ name: "NoSuchKey", status: 404 } as AwsFailure);
  });
});

it("a list of any keys, prefix, delimiter and page size is what a filter of all keys gives", async () => {
  let buckets = 0;
  const key = fc.string({
    unit: fc.constantFrom("a", "b", "/", "~", "é"),
    minLength: 1,
    maxLength: 6,
  });
  const prefix = fc.string({ unit: fc.constantFrom("a", "/", "é"), maxLength: 2 });
  const wanted = fc.record({
    keys: fc.uniqueArray(key, { maxLength: 12 }),
    prefix,
    delimiter: fc.constantFrom("", "/"),
    page: fc.integer({ min: 1, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(wanted, async ({ keys, prefix: begin, delimiter, page }) => {
      const bucket = `list-${buckets++}`; // what a failed run left behind is not in the way
      await send(`PUT /${bucket}`);
      for (const one of keys) await send(`PUT /${bucket}/${encodeURIComponent(one)}`, "x");
      const all = keys
        .filter((one) => one.startsWith(begin))
        .map((one) => {
          const cut = delimiter === "" ? -1 : one.indexOf(delimiter, begin.length);
          return cut < 0 ? one : one.slice(0, cut + 1);
        });
      expect((await pages(bucket, { prefix: begin, delimiter, max: page })).sort()).toEqual(
        [...new Set(all)].sort(),
      );
      const named = keys.map((one) => `<Object><Key>${one}</Key></Object>`).join("");
      if (keys.length > 0) await send(`POST /${bucket}?delete=`, `<Delete>${named}</Delete>`);
      expect(await pages(bucket, { prefix: "", delimiter: "", max: 5 })).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

/** Keys and groups of all pages. */
async function pages(
  bucket: string,
  { prefix, delimiter, max }: { prefix: string; delimiter: string; max: number },
): Promise<string[]> {
  const found: string[] = [];
  const texts = (xml: string, name: string) =>
    [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text]) =>
      decodeURIComponent(text!),
    );
  for (let token = ""; ; ) {
    const more = token === "" ? "" : `&continuation-token=${token}`;
    const query = `list-type=2&encoding-type=url&max-keys=${max}&prefix=${encodeURIComponent(prefix)}`;
    const { text } = await send(
      `GET /${bucket}?${query}&delimiter=${encodeURIComponent(delimiter)}${more}`,
    );
    const groups = [...text.matchAll(/<CommonPrefixes>(.*?)<\/CommonPrefixes>/g)].map(
      ([, one]) => one!,
    );
    found.push(...texts(text, "Key"), ...groups.flatMap((one) => texts(one, "Prefix")));
    [token = ""] = texts(text, "NextContinuationToken");
    if (token === "") return found;
  }
}

it("takes no more than there is room for, and has the room again", () => {
  const store = new ObjectStore(2_000);
  store.createBucket("b");
  const put = (key: string, size: number) =>
    store.put("b", key, { body: Buffer.alloc(size), headers: {}, modifiedMs: 0 });
  put("a", 1_000);
  expect(() => put("b", 1_000)).toThrow("at most 2000 bytes");
  put("a", 900); // in its own place
  store.remove("b", "a");
  put("b", 1_000);
});

describe("boto3", () => {
  const script = fileURLToPath(new URL("./boto.py", import.meta.url));
  it.skipIf(BOTOS.length > 0)("is not on this machine: apt-get install python3-boto3", () => {});

  it.each(BOTOS)("$version puts, reads, lists and deletes", { timeout: 120_000 }, async (boto) => {
    expect(await python(boto.program, script, [local.endpoint, `boto-${boto.version}`])).toEqual({
      body: "two\n",
      size: 4,
      keys: ["x/1.ndjson", "x/2 +é.ndjson"],
      groups: ["x/"],
      missing: "NoSuchKey",
      deleted: 2,
      left: 0,
    });
  });
});
