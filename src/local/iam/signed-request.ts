// Requests to fronts with IAM authorization: the signature, verified, and what its signer may.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { AwsError } from "../aws-error.ts";
import { type GatewayRequest, headerOf } from "../http-api/gateway-request.ts";
import type { Session, World } from "../world.ts";
import type { Need } from "./policy.ts";

/** Who signed, as the function's event tells of it. */
export interface Signer {
  readonly accessKey: string;
  readonly accountId: string;
  readonly callerId: string;
  readonly userArn: string;
}

/** `missing`: not signed; `incomplete`, `signature`: not as it must be; `denied`: may not. */
export interface SignatureFault {
  readonly fault: "missing" | "incomplete" | "signature" | "denied";
  readonly message: string;
}

export type AskSigner = (
  request: GatewayRequest,
  service: "execute-api" | "lambda",
  needs: readonly Need[],
) => Signer | SignatureFault;

const MS_PER_MINUTE = 60_000;
/** A signature is good for so long, before and after. */
const SKEW_MS = 5 * MS_PER_MINUTE;
const CREDENTIAL =
  /^AWS4-HMAC-SHA256 .*\bCredential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request/;

/**
 * The secret of a key is known only where local AWS gave it out: other keys own the account, as
 * everywhere here, and their signatures have to be well-formed.
 */
export function signersOf(world: World): AskSigner {
  return (request, service, needs) => {
    const authorization = headerOf(request, "authorization");
    if (authorization === "") return faulty("missing", "Missing Authentication Token");
    const [, accessKey, day, region, signedFor] = CREDENTIAL.exec(authorization) ?? [];
    const names = /\bSignedHeaders=([^,\s]+)/.exec(authorization)?.[1];
    const signature = /\bSignature=([0-9a-f]{64})\b/.exec(authorization)?.[1];
    const at = headerOf(request, "x-amz-date");
    if (!accessKey || !day || !region || !names || !signature || !/^\d{8}T\d{6}Z$/.test(at))
      return faulty("incomplete", "Authorization header requires 'Credential' parameter.");
    if (signedFor !== service || region !== world.region || !at.startsWith(day))
      return faulty("signature", `Credential should be scoped to service ${service} and region.`);
    const atMs = Date.parse(at.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    if (!(Math.abs(request.atEpochMs - atMs) <= SKEW_MS))
      return faulty("signature", "Signature expired or not yet current.");
    const session = world.sessions.get(accessKey);
    if (session === undefined) {
      const accountId = world.account;
      const userArn = `arn:aws:iam::${accountId}:root`;
      return { accessKey, accountId, callerId: accessKey, userArn };
    }
    const scope = [day, region, service];
    const expected = signatureOf(request, names.split(";"), scope, at, session.secret);
    const isGood =
      expected !== null && timingSafeEqual(Buffer.from(expected), Buffer.from(signature));
    if (!isGood || headerOf(request, "x-amz-security-token") !== session.token)
      return faulty("signature", "The request signature we calculated does not match.");
    return (
      refusalOf(world, session, needs) ?? {
        ...{ accessKey, accountId: session.account, callerId: session.id, userArn: session.arn },
      }
    );
  };
}

const faulty = (fault: SignatureFault["fault"], message: string): SignatureFault => {
  return { fault, message };
};

function refusalOf(
  world: World,
  { arn, account }: Session,
  needs: readonly Need[],
): SignatureFault | null {
  // Whoever comes from elsewhere needs a resource policy, and here are none.
  if (account !== world.account)
    return faulty("denied", `User: ${arn} is not authorized to perform: ${needs[0]?.action}`);
  if (!world.roles.enforces(account)) return null;
  try {
    world.roles.check(arn, needs);
    return null;
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return faulty("denied", error.message);
  }
}

/** null: the body is not the one whose hash is signed. */
function signatureOf(
  request: GatewayRequest,
  names: readonly string[],
  scope: readonly string[],
  at: string,
  secret: string,
): string | null {
  const bodyHash = sha256(request.body);
  const said = headerOf(request, "x-amz-content-sha256");
  if (said !== "" && said !== bodyHash && said !== "UNSIGNED-PAYLOAD") return null;
  const headers = names.map((name) => {
    return `${name}:${headerOf(request, name).trim().replaceAll(/ +/g, " ")}\n`;
  });
  const canonical = [
    ...[request.method, encodedPath(request.path), encodedQuery(request.query)],
    ...[headers.join(""), names.join(";"), said === "" ? bodyHash : said],
  ].join("\n");
  const toSign = [
    ...["AWS4-HMAC-SHA256", at, [...scope, "aws4_request"].join("/")],
    sha256(canonical),
  ].join("\n");
  const key = [...scope, "aws4_request"].reduce<Buffer>(
    (from, part) => createHmac("sha256", from).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  );
  return createHmac("sha256", key).update(toSign).digest("hex");
}

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");

const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Encoded once more than it was sent, without dots and empty parts: all services but S3. */
function encodedPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(encoded(part));
  }
  const end = parts.length > 0 && path.endsWith("/") ? "/" : "";
  return `/${parts.join("/")}${end}`;
}

function encodedQuery(query: string): string {
  const pairs = query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const mark = pair.indexOf("=");
      const [name, value] = mark < 0 ? [pair, ""] : [pair.slice(0, mark), pair.slice(mark + 1)];
      return [encoded(decoded(name)), encoded(decoded(value))] as const;
    });
  pairs.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0));
  return pairs.map((pair) => pair.join("=")).join("&");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
