// The object store on the wire: path-style requests of S3's REST protocol, answered in XML.
import { randomUUID } from "node:crypto";
import { messageOf } from "../../core/error.ts";
import { AwsError } from "../aws-error.ts";
import { admit } from "../iam/admit.ts";
import { NoAnswer } from "../planned-errors.ts";
import type { WireAnswer, WireRequest } from "../wire/request.ts";
import { callerOf } from "../wire/sigv4.ts";
import { audit, type World } from "../world.ts";
import { uploadedBody } from "./body.ts";
import { listObjects } from "./list-objects.ts";
import { noSuchKey, type StoredObject, type WriteCondition } from "./object-store.ts";
import { textsOf, xmlAnswer, xmlError } from "./xml.ts";

interface ObjectCall extends WireRequest {
  readonly bucket: string;
  readonly key: string;
}

type Operation = (world: World, call: ObjectCall) => WireAnswer;

/** S3 has no header of its own that says so: its signature does. */
export const isObjectCall = ({ headers }: WireRequest): boolean =>
  /\/s3\/aws4_request/.test(headers.authorization ?? "");

/** Never rejects: an error is an answer. */
export async function objectAnswer(world: World, request: WireRequest): Promise<WireAnswer> {
  const requestId = randomUUID();
  const ids = { "x-amz-request-id": requestId };
  try {
    const caller = callerOf(request.headers.authorization);
    const call = { ...request, ...placeOf(request.path) };
    const name = nameOf(call);
    admit(world, caller, `s3:${name}`, () => {
      return { service: "s3", action: name, input: { Bucket: call.bucket, Key: call.key } };
    });
    const named = { service: "s3", action: name, what: () => `${call.path}?${call.query}` };
    const { status, headers, body } = await world.planned.run(named, () =>
      OPERATIONS[name](world, call),
    );
    return { status, headers: { ...headers, ...ids }, body };
  } catch (thrown) {
    if (thrown instanceof NoAnswer) return await new Promise(() => {}); // the client gives up
    const error = thrown instanceof AwsError ? thrown : brokenBy(thrown);
    const { status, headers, body } = xmlError(error, request.path, requestId);
    return { status, headers: { ...headers, ...ids }, body: request.method === "HEAD" ? "" : body };
  }
}

const brokenBy = (thrown: unknown): AwsError =>
  new AwsError("InternalError", 500, `local AWS broke: ${messageOf(thrown)}`);

/** `/bucket/key/with/slashes`. Throws InvalidURI. */
function placeOf(path: string): { readonly bucket: string; readonly key: string } {
  const cut = path.indexOf("/", 1);
  const [bucket, key] = cut < 0 ? [path.slice(1), ""] : [path.slice(1, cut), path.slice(cut + 1)];
  try {
    return { bucket: decodeURIComponent(bucket), key: decodeURIComponent(key) };
  } catch {
    throw new AwsError("InvalidURI", 400, "Couldn't parse the specified URI.");
  }
}

/** What a client may add to any request, and what asks for a page. */
const QUERIES = ["x-id", "list-type", "prefix", "delimiter", "max-keys", "continuation-token"];
const MORE_QUERIES = ["start-after", "encoding-type", "fetch-owner", "delete", "location"];
const KNOWN_QUERIES: readonly string[] = [...QUERIES, ...MORE_QUERIES];

function nameOf({ method, bucket, key, query, headers }: ObjectCall): OperationName {
  const unknown = [...query.keys()].find((name) => !KNOWN_QUERIES.includes(name));
  const copies = headers["x-amz-copy-source"] !== undefined;
  const what = `${method}${bucket === "" ? "" : key === "" ? " bucket" : " object"}`;
  const named = NAMES[query.has("delete") || query.has("location") ? `${what} by query` : what];
  if (unknown === undefined && !copies && named !== undefined) return named;
  const said = unknown === undefined ? (copies ? "copying" : what) : `?${unknown}`;
  throw new AwsError("NotImplemented", 501, `local AWS's object store does not model ${said}`);
}

const NAMES: { readonly [what: string]: OperationName } = {
  GET: "ListBuckets",
  "GET bucket": "ListObjectsV2",
  "GET bucket by query": "GetBucketLocation",
  "HEAD bucket": "HeadBucket",
  "PUT bucket": "CreateBucket",
  "POST bucket by query": "DeleteObjects",
  "PUT object": "PutObject",
  "GET object": "GetObject",
  "HEAD object": "HeadObject",
  "DELETE object": "DeleteObject",
};

const OPERATIONS = {
  ListBuckets: ({ objects }) =>
    xmlAnswer("ListAllMyBucketsResult", {
      Buckets: { Bucket: objects.bucketNames().map((Name) => ({ Name })) },
    }),
  CreateBucket: (world, { bucket }) => {
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
      throw new AwsError("InvalidBucketName", 400, "The specified bucket is not valid.");
    world.objects.createBucket(bucket);
    audit(world, "CreateBucket", bucket);
    return { status: 200, headers: { location: `/${bucket}` }, body: "" };
  },
  HeadBucket: ({ objects, region }, { bucket }) => {
    objects.bucket(bucket);
    return { status: 200, headers: { "x-amz-bucket-region": region }, body: "" };
  },
  GetBucketLocation: ({ objects, region }, { bucket }) => {
    objects.bucket(bucket);
    const answer = xmlAnswer("LocationConstraint", {});
    return { ...answer, body: String(answer.body).replace("></", `>${region}</`) };
  },
  ListObjectsV2: ({ objects }, { bucket, query }) =>
    xmlAnswer("ListBucketResult", listObjects(objects, bucket, query)),
  PutObject: ({ objects, clock }, call) => {
    const given = {
      body: uploadedBody(call),
      modifiedMs: clock.wallMs(),
      headers: keptHeaders(call),
    };
    const { etag } = objects.put(call.bucket, call.key, given, conditionOf(call));
    return { status: 200, headers: { etag }, body: "" };
  },
  GetObject: (world, call) => objectBody(found(world, call), call.headers.range),
  HeadObject: (world, call) => objectBody(found(world, call), call.headers.range),
  DeleteObject: ({ objects }, { bucket, key }) => {
    objects.remove(bucket, key);
    return { status: 204, headers: {}, body: "" };
  },
  DeleteObjects: ({ objects }, call) => {
    const xml = uploadedBody(call).toString();
    const keys = textsOf(xml, "Key");
    if (keys.length === 0 || keys.length > 1_000)
      throw new AwsError("MalformedXML", 400, "The XML you provided was not well-formed");
    for (const key of keys) objects.remove(call.bucket, key);
    const quiet = textsOf(xml, "Quiet")[0] === "true";
    return xmlAnswer("DeleteResult", { Deleted: quiet ? [] : keys.map((Key) => ({ Key })) });
  },
} as const satisfies { readonly [name: string]: Operation };

type OperationName = keyof typeof OPERATIONS;

const KEPT = /^(content-(type|encoding|language|disposition)|cache-control|expires|x-amz-meta-.*)$/;

function keptHeaders({ headers }: ObjectCall): { [name: string]: string } {
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    if (!KEPT.test(name) || typeof value !== "string") return [];
    const own = name === "content-encoding" ? value.replace(/^aws-chunked,? ?/, "") : value;
    return own === "" ? [] : [[name, own] as const];
  });
  return { "content-type": "binary/octet-stream", ...Object.fromEntries(kept) };
}

function conditionOf({ headers }: ObjectCall): WriteCondition {
  const none = headers["if-none-match"];
  if (none !== undefined && none !== "*")
    throw new AwsError("NotImplemented", 501, "If-None-Match of a write takes * only");
  return { match: headers["if-match"] ?? null, absent: none === "*" };
}

function found({ objects }: World, { bucket, key, headers }: ObjectCall): StoredObject {
  const object = objects.get(bucket, key);
  if (object === undefined) throw noSuchKey();
  const match = headers["if-match"];
  if (match === undefined || match === object.etag) return object;
  const message = "At least one of the pre-conditions you specified did not hold";
  throw new AwsError("PreconditionFailed", 412, message, { extra: { Condition: "If-Match" } });
}

/** Of a HEAD the server sends the length alone. */
function objectBody(object: StoredObject, range: string | undefined): WireAnswer {
  const { body, etag, modifiedMs, headers: own } = object;
  const headers = {
    ...own,
    etag,
    "last-modified": new Date(modifiedMs).toUTCString(),
    "accept-ranges": "bytes",
  };
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range ?? "") ?? [];
  if (first === "" && last === "") return { status: 200, headers, body };
  const start = first === "" ? Math.max(0, body.length - Number(last)) : Number(first);
  const end =
    first === "" || last === "" ? body.length - 1 : Math.min(body.length - 1, Number(last));
  if (start > end)
    throw new AwsError("InvalidRange", 416, "The requested range is not satisfiable");
  const part = { "content-range": `bytes ${start}-${end}/${body.length}` };
  return { status: 206, headers: { ...headers, ...part }, body: body.subarray(start, end + 1) };
}
