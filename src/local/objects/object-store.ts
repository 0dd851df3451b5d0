// Buckets and their objects, in memory: keys are text in a map, never paths of this machine.
import { createHash } from "node:crypto";
import { AwsError } from "../aws-error.ts";

export interface StoredObject {
  readonly key: string;
  readonly body: Buffer;
  /** With its quotes. */
  readonly etag: string;
  readonly modifiedMs: number;
  /** Content-Type, Cache-Control, `x-amz-meta-…` and the like, given back as they came. */
  readonly headers: { readonly [name: string]: string };
}

/** What a write may demand of the object that is there. */
export interface WriteCondition {
  /** An ETag; null = anything goes. */
  readonly match: string | null;
  /** Only if there is none yet. */
  readonly absent: boolean;
}

export const NO_CONDITION: WriteCondition = { match: null, absent: false };

/** All buckets together; AWS has no such limit. */
export const STORE_BYTES_MAX = 256 * 1_048_576;
const KEY_BYTES_MAX = 1_024;
/** What an object costs beside its body and key. */
const OBJECT_BYTES = 512;

export class ObjectStore {
  readonly #buckets = new Map<string, Map<string, StoredObject>>();
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax = STORE_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** A bucket that is there already stays as it is. */
  createBucket(name: string): void {
    if (!this.#buckets.has(name)) this.#buckets.set(name, new Map());
  }

  bucketNames(): string[] {
    return [...this.#buckets.keys()].sort();
  }

  /** Throws NoSuchBucket. */
  bucket(name: string): ReadonlyMap<string, StoredObject> {
    return this.#bucket(name);
  }

  /** Throws NoSuchBucket, KeyTooLongError, PreconditionFailed, or that there is no room. */
  put(
    bucketName: string,
    key: string,
    given: Pick<StoredObject, "body" | "headers" | "modifiedMs">,
    condition: WriteCondition = NO_CONDITION,
  ): StoredObject {
    const bucket = this.#bucket(bucketName);
    if (Buffer.byteLength(key) > KEY_BYTES_MAX)
      throw new AwsError("KeyTooLongError", 400, "Your key is too long");
    const before = bucket.get(key);
    checkCondition(before, condition);
    const etag = `"${createHash("md5").update(given.body).digest("hex")}"`;
    const object = { ...given, key, etag };
    const grownBytes = sizeOf(object) - (before === undefined ? 0 : sizeOf(before));
    if (this.#bytes + grownBytes > this.#bytesMax)
      throw new AwsError(
        "InsufficientStorage",
        507,
        `local AWS keeps objects of at most ${this.#bytesMax} bytes in all`,
      );
    this.#bytes += grownBytes;
    bucket.set(key, object);
    return object;
  }

  /** Undefined = no such key. Throws NoSuchBucket. */
  get(bucketName: string, key: string): StoredObject | undefined {
    return this.#bucket(bucketName).get(key);
  }

  /** A key that is not there is no error. Throws NoSuchBucket. */
  remove(bucketName: string, key: string): void {
    const bucket = this.#bucket(bucketName);
    const object = bucket.get(key);
    if (object === undefined) return;
    this.#bytes -= sizeOf(object);
    bucket.delete(key);
  }

  #bucket(name: string): Map<string, StoredObject> {
    const bucket = this.#buckets.get(name);
    if (bucket !== undefined) return bucket;
    throw new AwsError("NoSuchBucket", 404, "The specified bucket does not exist", {
      extra: { BucketName: name },
    });
  }
}

const sizeOf = ({ key, body, headers }: StoredObject): number =>
  OBJECT_BYTES + Buffer.byteLength(key) + body.length + JSON.stringify(headers).length;

function checkCondition(before: StoredObject | undefined, { match, absent }: WriteCondition): void {
  if (match !== null && before === undefined) throw noSuchKey();
  const failed = absent ? before !== undefined : match !== null && before?.etag !== match;
  if (!failed) return;
  throw new AwsError(
    "PreconditionFailed",
    412,
    "At least one of the pre-conditions you specified did not hold",
    { extra: { Condition: absent ? "If-None-Match" : "If-Match" } },
  );
}

export const noSuchKey = (): AwsError =>
  new AwsError("NoSuchKey", 404, "The specified key does not exist.");
