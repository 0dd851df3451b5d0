// The body of an upload as it was meant: chunks taken apart, declared digests compared.
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { AwsError } from "../aws-error.ts";
import type { WireRequest } from "../wire/request.ts";

/** Throws IncompleteBody, BadDigest or InvalidDigest. */
export function uploadedBody({ headers, body }: Pick<WireRequest, "headers" | "body">): Buffer {
  const sha256 = headers["x-amz-content-sha256"];
  const chunked = typeof sha256 === "string" && sha256.startsWith("STREAMING-");
  const whole = chunked ? withoutChunks(body) : body;
  const length = headers["x-amz-decoded-content-length"];
  if (chunked && length !== undefined && Number(length) !== whole.length) throw incomplete();
  checkDigest(whole, headers["content-md5"], "md5");
  checkDigest(whole, headers["x-amz-checksum-sha256"], "sha256");
  checkDigest(whole, headers["x-amz-checksum-sha1"], "sha1");
  const crc = headers["x-amz-checksum-crc32"];
  if (typeof crc === "string" && crc !== crcOf(whole)) throw badDigest();
  return whole;
}

const crcOf = (body: Buffer): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString("base64");
};

function checkDigest(body: Buffer, given: string | string[] | undefined, algorithm: string): void {
  if (typeof given !== "string") return;
  if (given !== createHash(algorithm).update(body).digest("base64")) throw badDigest();
}

/** `<size>[;chunk-signature=…]\r\n<bytes>\r\n`, ended by a chunk of 0; trailers are not read. */
function withoutChunks(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf("\r\n", at);
    if (end < 0) throw incomplete();
    const line = body.toString("latin1", at, end);
    if (!/^[\da-f]{1,8}(;|$)/i.test(line)) throw incomplete();
    const sizeBytes = Number.parseInt(line, 16);
    if (sizeBytes === 0) return Buffer.concat(parts);
    at = end + 2 + sizeBytes + 2;
    if (at > body.length) throw incomplete();
    parts.push(body.subarray(end + 2, end + 2 + sizeBytes));
  }
}

const incomplete = (): AwsError =>
  new AwsError(
    "IncompleteBody",
    400,
    "You did not provide the number of bytes specified by the Content-Length HTTP header",
  );

const badDigest = (): AwsError =>
  new AwsError("BadDigest", 400, "The digest you specified did not match what we received.");
