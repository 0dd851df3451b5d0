// A request as the front received it: what event, access log and routing are made of.
import type { RequestHead } from "../wire/http1/request-head.ts";
import { type Addressable, addressOf } from "./address.ts";

export interface GatewayRequest {
  readonly method: string;
  /** As it came, stage included, without query. */
  readonly path: string;
  /** Below the stage or the mapping of a custom domain; null when nothing of this API is there. */
  readonly pathInStage: string | null;
  /** The API's own, or a custom one. */
  readonly domainName: string;
  readonly query: string;
  readonly protocol: string;
  readonly sourceIp: string;
  /** As they came, in order. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  readonly requestId: string;
  readonly atEpochMs: number;
}

const GATEWAY_ID_BYTES = 11;

const WHOLE_URL = /^https?:\/\/[^/?]*/i;

export function describeRequest(
  { method, target: sent, version, headers }: RequestHead,
  api: Addressable,
  about: Pick<GatewayRequest, "sourceIp" | "body" | "requestId" | "atEpochMs">,
): GatewayRequest {
  const target = sent.startsWith("/") ? sent : sent.replace(WHOLE_URL, "") || "/";
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const address = addressOf(api, headerOf({ headers }, "host"), path);
  return {
    method,
    path,
    pathInStage: address.path,
    domainName: address.domainName,
    query: mark < 0 ? "" : target.slice(mark + 1),
    protocol: version === "1.1" ? "HTTP/1.1" : "HTTP/1.0",
    headers,
    sourceIp: about.sourceIp,
    body: about.body,
    requestId: about.requestId,
    atEpochMs: about.atEpochMs,
  };
}

/** One header's values joined by commas, or "". `name` in lower case. */
export function headerOf({ headers }: Pick<GatewayRequest, "headers">, name: string): string {
  let joined: string | null = null;
  for (const [key, value] of headers) {
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    joined = joined === null ? value : `${joined},${value}`;
  }
  return joined ?? "";
}

/** `12/Mar/2020:19:03:58 +0000`, as in a web server's log. */
export function logTime(epochMs: number): string {
  const utc = new Date(epochMs).toUTCString(); // Thu, 12 Mar 2020 19:03:58 GMT
  const [day, month, year] = [utc.slice(5, 7), utc.slice(8, 11), utc.slice(12, 16)];
  return `${day}/${month}/${year}:${utc.slice(17, 25)} +0000`;
}

/** 11 bytes in base64, as `KlM3iGpOoAMEJ7g=`; `random` is uniform in [0, 1). */
export function newGatewayId(random: () => number): string {
  const bytes = Buffer.allocUnsafe(GATEWAY_ID_BYTES);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(random() * 256);
  return `${bytes.toString("base64url")}=`;
}
