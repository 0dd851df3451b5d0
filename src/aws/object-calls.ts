// Reads of the object store, signed and sent by hand: lists of keys, and objects whole.
import * as http from "node:http";
import * as https from "node:https";
import { AwsFailure, type Json } from "../core/change.ts";
import { isLoopback } from "../core/loopback.ts";
import { serviceUrl } from "./endpoint.ts";
import { proxyAgent } from "./proxy-agent.ts";
import { type Credentials, requestSigner } from "./sigv4.ts";

/** Larger objects are refused: they are read whole. */
const OBJECT_BYTES_MAX = 256 * 1_048_576;

export interface ObjectStorePlace {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: () => Promise<Credentials>;
  readonly runId: string;
}

type Input = { readonly [key: string]: Json };
type Output = { readonly [key: string]: unknown };

/**
 * `ListObjectsV2` → `{ Contents: [{ Key, Size }], NextContinuationToken? }`, and `GetObject` →
 * `{ Body: Buffer }`. Rejects with an AwsFailure.
 */
export function objectCalls(
  place: ObjectStorePlace,
  timeoutMs: number,
): (action: string, input: Input) => Promise<Output> {
  const { endpoint, region, credentials, runId } = place;
  const sign = requestSigner({ service: "s3", region, credentials, plainPath: true });
  const base = new URL(serviceUrl(endpoint, "s3", region));
  const get = async (key: string, query: { readonly [name: string]: string }) => {
    const search = new URLSearchParams(query).toString().replaceAll("+", "%20");
    const path = search === "" ? key : `${key}?${search}`;
    const request = { method: "GET", path, host: base.host, headers: {}, body: NO_BODY };
    const signed = Object.fromEntries(await sign(request));
    const headers = { ...signed, "user-agent": `gatecrash run/${runId}` };
    return sent(base, { path, headers }, timeoutMs);
  };
  return async (action, input) => {
    const bucket = encodeURIComponent(String(input.Bucket));
    if (action === "GetObject")
      return { Body: await get(`/${bucket}/${encodedKey(String(input.Key))}`, {}) };
    if (action !== "ListObjectsV2") throw new Error(`no ${action} of the object store`);
    const token = input.ContinuationToken;
    const page = await get(`/${bucket}`, {
      "list-type": "2",
      "encoding-type": "url",
      prefix: String(input.Prefix ?? ""),
      ...(typeof token === "string" ? { "continuation-token": token } : {}),
    });
    return listOf(page.toString());
  };
}

const NO_BODY = new Uint8Array(0);

const encodedKey = (key: string): string => key.split("/").map(encoded).join("/");

/** As a signature wants it: RFC 3986's unreserved characters stay. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Keys come percent-encoded (`encoding-type=url`), so the XML around them needs no parser. */
function listOf(xml: string): Output {
  const Contents = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, entry = ""]) => ({
    Key: decodeURIComponent((element(entry, "Key") ?? "").replaceAll("+", "%20")),
    Size: Number(element(entry, "Size") ?? 0),
  }));
  const token = element(xml, "NextContinuationToken");
  return { Contents, ...(token === undefined ? {} : { NextContinuationToken: token }) };
}

const element = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replaceAll("&amp;", "&");

interface Sent {
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
}

/** Not by fetch, which would take `..` in a key for a folder. */
function sent(base: URL, { path, headers }: Sent, timeoutMs: number): Promise<Buffer> {
  const isHere = isLoopback(base.href);
  const { request } = base.protocol === "http:" && isHere ? http : https;
  const agent = (isHere ? null : proxyAgent(process.env, { keepAlive: false })) ?? false;
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const failed = (cause: Error): void => {
      const name = signal.aborted ? "TimeoutError" : cause.name;
      reject(new AwsFailure(name, cause.message, "", 0));
    };
    const { hostname: host, port } = base;
    const options = { host, port, path, headers, method: "GET", signal, agent };
    const call = request(options, (answer) => {
      const parts: Buffer[] = [];
      let sizeBytes = 0;
      answer.on("data", (part: Buffer) => {
        sizeBytes += part.length;
        if (sizeBytes > OBJECT_BYTES_MAX) answer.destroy(new Error("an object over 256 MiB"));
        else parts.push(part);
      });
      answer.on("error", failed);
      answer.on("end", () => {
        const body = Buffer.concat(parts);
        if (answer.statusCode === 200) return resolve(body);
        const said = body.toString();
        const code = element(said, "Code") ?? `Status${answer.statusCode}`;
        reject(new AwsFailure(code, element(said, "Message") ?? "", "", answer.statusCode ?? 0));
      });
    });
    call.on("error", failed);
    call.end();
  });
}
