// Signs requests of the load path: what the SDK's own signer says, without the SDK around it.
import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import { messageOf } from "../core/error.ts";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** There are no credentials to sign with: they have ended, and new ones cannot be had. */
export class NoCredentials extends Error {
  override readonly name = "NoCredentials";
}

export interface SignerOptions {
  /** Signing name: `kinesis`. */
  readonly service: string;
  readonly region: string;
  /** Asked for each request; it caches and renews by itself. */
  readonly credentials: () => Promise<Credentials>;
  /** The path is signed as it is sent, not escaped once more; S3 alone wants it so. */
  readonly plainPath?: boolean;
}

export interface UnsignedRequest {
  readonly method: string;
  /** With its query, percent-encoded as it is sent. */
  readonly path: string;
  /** As the Host header has it. */
  readonly host: string;
  /** Names in lower case; all of them are signed. */
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array;
}

/** Headers to send beside Host: those given, and the signature's own. Without a time it is now. */
export type Sign = (
  request: UnsignedRequest,
  epochMs?: number,
) => Promise<readonly (readonly [name: string, value: string])[]>;

/** Content-Length is signed, as the SDK does. Rejects with NoCredentials, or it is our bug. */
export function requestSigner(options: SignerOptions): Sign {
  const signer = new SignatureV4({
    service: options.service,
    region: options.region,
    credentials: () =>
      options.credentials().catch((cause: unknown) => {
        throw new NoCredentials(messageOf(cause), { cause });
      }),
    sha256: Sha256,
    uriEscapePath: options.plainPath !== true,
  });
  return async ({ method, path, host, headers, body }, epochMs) => {
    const all = { ...headers, "content-length": String(body.byteLength), host };
    const [bare = "", search = ""] = splitOnce(path);
    const query = queryOf(search);
    const request = { method, path: bare, query, headers: all, body, protocol: "", hostname: host };
    const signed = await signer.sign(
      request,
      epochMs === undefined ? {} : { signingDate: new Date(epochMs) },
    );
    return Object.entries(signed.headers).filter(([name]) => name !== "host");
  };
}

function splitOnce(path: string): [string, string] {
  const mark = path.indexOf("?");
  return mark < 0 ? [path, ""] : [path.slice(0, mark), path.slice(mark + 1)];
}

/** Decoded once: the signer encodes again. A plus is a plus. */
function queryOf(search: string): { [name: string]: string[] } {
  // A captured query may name what every object has by birth: `constructor`, `__proto__`.
  const query: { [name: string]: string[] } = Object.create(null);
  for (const pair of search.split("&")) {
    if (pair === "") continue;
    const mark = pair.indexOf("=");
    const [name, value] = mark < 0 ? [pair, ""] : [pair.slice(0, mark), pair.slice(mark + 1)];
    query[decoded(name)] = [...(query[decoded(name)] ?? []), decoded(value)];
  }
  return query;
}

/** What is no percent-encoding stays as it came. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The shape in which the signer wants SHA-256 and its HMAC. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error("the signer makes a new hash each time");
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
