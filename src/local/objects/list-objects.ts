// ListObjectsV2: keys under a prefix in order of their bytes, grouped by a delimiter, page by page.
import { AwsError } from "../aws-error.ts";
import type { ObjectStore, StoredObject } from "./object-store.ts";
import type { XmlMembers } from "./xml.ts";

const KEYS_MAX = 1_000;

/** The members of a ListBucketResult. Throws NoSuchBucket or InvalidArgument. */
export function listObjects(
  store: ObjectStore,
  bucket: string,
  query: URLSearchParams,
): XmlMembers {
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const startAfter = query.get("start-after");
  const token = query.get("continuation-token");
  const keysMax = keysMaxOf(query.get("max-keys"));
  const encoded = query.get("encoding-type") === "url";
  const said = (text: string): string => (encoded ? urlEncoded(text) : text);
  const after = token === null ? (startAfter ?? "") : keyOf(token);
  const { objects, groups, last, more } = pageOf(store.bucket(bucket), {
    ...{ prefix, delimiter, after, keysMax },
  });
  return {
    Name: bucket,
    Prefix: said(prefix),
    ...(delimiter === "" ? {} : { Delimiter: said(delimiter) }),
    MaxKeys: keysMax,
    ...(encoded ? { EncodingType: "url" } : {}),
    KeyCount: objects.length + groups.length,
    IsTruncated: more,
    ...(startAfter === null ? {} : { StartAfter: said(startAfter) }),
    ...(token === null ? {} : { ContinuationToken: token }),
    ...(more ? { NextContinuationToken: tokenOf(last) } : {}),
    Contents: objects.map(({ key, etag, body, modifiedMs }) => ({
      Key: said(key),
      LastModified: new Date(modifiedMs).toISOString(),
      ETag: etag,
      Size: body.length,
      StorageClass: "STANDARD",
    })),
    CommonPrefixes: groups.map((group) => ({ Prefix: said(group) })),
  };
}

interface Wanted {
  readonly prefix: string;
  readonly delimiter: string;
  readonly after: string;
  readonly keysMax: number;
}

function pageOf(bucket: ReadonlyMap<string, StoredObject>, wanted: Wanted) {
  const { prefix, delimiter, after, keysMax } = wanted;
  const objects: StoredObject[] = [];
  const groups: string[] = [];
  let last = after;
  const keys = [...bucket.keys()].filter((key) => key.startsWith(prefix)).sort(byBytes);
  for (const key of keys) {
    const cut = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const group = cut < 0 ? null : key.slice(0, cut + delimiter.length);
    const entry = group ?? key;
    if (group !== null && group === groups.at(-1)) continue;
    // A page that ended with a group goes on after all of its keys.
    if (after !== "" && (entry === after || byBytes(key, after) <= 0)) continue;
    if (objects.length + groups.length === keysMax)
      return { objects, groups, last, more: keysMax > 0 };
    if (group === null) objects.push(bucket.get(key)!);
    else groups.push(group);
    last = entry;
  }
  return { objects, groups, last, more: false };
}

/** UTF-8 bytes order as code points do, which UTF-16 units do not. */
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const tokenOf = (key: string): string => Buffer.from(key).toString("base64url");
const keyOf = (token: string): string => Buffer.from(token, "base64url").toString();

const urlEncoded = (text: string): string => encodeURIComponent(text).replaceAll("%2F", "/");

function keysMaxOf(text: string | null): number {
  if (text === null) return KEYS_MAX;
  if (/^\d{1,9}$/.test(text)) return Math.min(KEYS_MAX, Number(text));
  throw new AwsError("InvalidArgument", 400, "Provided max-keys not an integer or within range");
}
