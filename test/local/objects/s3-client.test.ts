// AWS's own client for JavaScript against the object store: what it sends is understood, what it
// reads is what was put, and what it throws has AWS's names.
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalAws, startLocalAws } from "../../../src/local/start.ts";
import { refusalOf } from "../clients.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const Bucket = "rollups";
const KEYS = ["a b", "a+b", "a/../b", "a//b", "ä/ü", "100%25", "q?x=1&y", "it's(1)!*", "<&>"];
let local: LocalAws;
let s3: S3Client;
beforeAll(async () => {
  const template = fileURLToPath(new URL("./template.yaml", import.meta.url));
  local = await startLocalAws({ template });
  s3 = new S3Client({
    ...{ endpoint: local.endpoint, region: "eu-west-1", forcePathStyle: true, maxAttempts: 1 },
    credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" },
  });
});
afterAll(async () => {
  s3.destroy();
  await local.stop();
});

describe("the S3 client", () => {
  it("puts an object with its checksum and gets it back, whole and in part", async () => {
    const Body = Buffer.from("hello, world");
    const put = await s3.send(
      new PutObjectCommand({ Bucket, Key: "x.txt", Body, ContentType: "text/plain" }),
    );
    expect(put.ETag).toBe(`"${createHash("md5").update(Body).digest("hex")}"`);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: "x.txt" }));
    expect([await got.Body?.transformToString(), got.ContentType]).toEqual([
      ...["hello, world", "text/plain"],
    ]);
    const part = await s3.send(new GetObjectCommand({ Bucket, Key: "x.txt", Range: "bytes=7-" }));
    expect([await part.Body?.transformToString(), part.ContentRange]).toEqual([
      ...["world", "bytes 7-11/12"],
    ]);
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: "x.txt" }));
    expect([head.ContentLength, head.LastModified instanceof Date]).toEqual([12, true]);
  });

  it("writes once, or over what it knows, and is told so by AWS's names", async () => {
    const put = (Body: string, more: { IfNoneMatch?: string; IfMatch?: string }) =>
      s3.send(new PutObjectCommand({ Bucket, Key: "once", Body, ...more }));
    const { ETag = "" } = await put("1", { IfNoneMatch: "*" });
    const taken = await refusalOf(put("2", { IfNoneMatch: "*" }));
    expect([taken.name, taken.status]).toEqual(["PreconditionFailed", 412]);
    await put("3", { IfMatch: ETag });
    expect(await refusalOf(put("4", { IfMatch: ETag }))).toMatchObject({ status: 412 });
    const none = await refusalOf(s3.send(new GetObjectCommand({ Bucket, Key: "none" })));
    expect([none.name, none.status]).toEqual(["NoSuchKey", 404]);
    const nobodys = new ListObjectsV2Command({ Bucket: "nobodys" });
    expect(await refusalOf(s3.send(nobodys))).toMatchObject({ name: "NoSuchBucket", status: 404 });
  });

  it("finds every key under its own name, page by page, and deletes them", async () => {
    for (const key of KEYS)
      await s3.send(new PutObjectCommand({ Bucket, Key: `odd/${key}`, Body: key }));
    const found: string[] = [];
    const pages = paginateListObjectsV2(
      { client: s3, pageSize: 2 },
      { Bucket, Prefix: "odd/", EncodingType: "url" },
    );
    for await (const { Contents = [] } of pages)
      found.push(...Contents.map(({ Key = "" }) => decodeURIComponent(Key.replaceAll("+", "%20"))));
    expect(found.toSorted()).toEqual(KEYS.map((key) => `odd/${key}`).toSorted());
    for (const key of KEYS) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: `odd/${key}` }));
      expect(await Body?.transformToString()).toBe(key);
    }
    const [first = "", ...rest] = KEYS;
    await s3.send(new DeleteObjectCommand({ Bucket, Key: `odd/${first}` }));
    const Objects = rest.map((key) => ({ Key: `odd/${key}` }));
    const gone = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect([gone.Deleted?.length, gone.Errors ?? []]).toEqual([rest.length, []]);
    const left = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: "odd/" }));
    expect([left.KeyCount, left.Contents ?? []]).toEqual([0, []]);
  });

  it("sees folders by delimiter, and buckets", async () => {
    for (const Key of ["day/1/a", "day/1/b", "day/2/a"])
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: "x" }));
    const days = new ListObjectsV2Command({ Bucket, Prefix: "day/", Delimiter: "/" });
    const { CommonPrefixes } = await s3.send(days);
    expect(CommonPrefixes).toEqual([{ Prefix: "day/1/" }, { Prefix: "day/2/" }]);
    await s3.send(new CreateBucketCommand({ Bucket: "made-here" }));
    await s3.send(new HeadBucketCommand({ Bucket: "made-here" }));
    const { Buckets = [] } = await s3.send(new ListBucketsCommand({}));
    expect(Buckets.map(({ Name }) => Name)).toContain("made-here");
    const where = await s3.send(new GetBucketLocationCommand({ Bucket }));
    expect(where.LocationConstraint).toBe("eu-west-1");
  });
});
