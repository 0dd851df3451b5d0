// A request as the front received it: what event, access log and routing are made of.
import type { IncomingMessage } from "node:http";
import { type Addressable, addressOf } from "./address.ts";

/** HTTP APIs refuse bodies beyond 10 MB (AWS quota). */
export const BODY_BYTES_MAX = 10_485_760;

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
const NO_BODY = Buffer.alloc(0);

/** Reads the whole body; null when it is longer than the limit. */
export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  if (!announcesBody(request)) return NO_BODY; // most requests: a stream less to set up
  if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES_MAX) return null;
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  // Leaving early must not destroy the socket: the 413 goes over it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

export function describeRequest(
  request: IncomingMessage,
  api: Addressable,
  rest: Pick<GatewayRequest, "body" | "requestId" | "atEpochMs">,
): GatewayRequest {
  const target = (request.url ?? "/").replace(/^https?:\/\/[^/?]*/i, "") || "/";
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const address = addressOf(api, request.headers.host ?? "", path);
  const { rawHeaders } = request;
  const headers = Array.from(
    { length: rawHeaders.length / 2 },
    (_, i) => [rawHeaders[2 * i] ?? "", rawHeaders[2 * i + 1] ?? ""] as const,
  );
  return {
    method: request.method ?? "GET",
    path,
    pathInStage: address.path,
    domainName: address.domainName,
    query: mark < 0 ? "" : target.slice(mark + 1),
    protocol: `HTTP/${request.httpVersion}`,
    sourceIp: (request.socket.remoteAddress ?? "").replace(/^::ffff:/, ""),
    headers,
    ...rest,
  };
}

/** One header's values joined by commas, or "". `name` in lower case. */
export function headerOf(request: GatewayRequest, name: string): string {
  const values = request.headers.filter(([key]) => key.toLowerCase() === name);
  return values.map(([, value]) => value).join(",");
}

/** `12/Mar/2020:19:03:58 +0000`, as in a web server's log. */
export function logTime(epochMs: number): string {
  const [, day, month, year, time] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(epochMs).toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
}

/** 11 bytes in base64, as `KlM3iGpOoAMEJ7g=`; `random` is uniform in [0, 1). */
export function newGatewayId(random: () => number): string {
  const bytes = Buffer.allocUnsafe(GATEWAY_ID_BYTES);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(random() * 256);
  return `${bytes.toString("base64url")}=`;
}
