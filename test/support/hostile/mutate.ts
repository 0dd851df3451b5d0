// Requests that are wrong in one place each: a member replaced, left out or added, bytes bent.
import type { Rng } from "../../../src/core/rng.ts";
import type { Input, Seed } from "./seeds.ts";

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
}

const AUTHORIZATION =
  "AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/any/aws4_request, " +
  "SignedHeaders=host, Signature=0";

const HOSTILE: readonly unknown[] = [
  ...[null, -1, 0, 0.5, 1e300, "", "\u0000", "\ud800", true, [], {}, [[]], "__proto__", 7],
  ...["constructor", "x".repeat(300), "../..", "%", "arn:aws:sqs:::", "2026-99-99", -1e9, "NaN"],
  ...[{ S: 1 }, { member: [] }, ["a", "a"], { toString: 1 }, "9".repeat(40), "ä\n\r\t<&>\"'"],
];
const KEYS = ["__proto__", "toString", "QueueUrl", "member", "", "length", "x".repeat(300)];
const HOWS = ["replace", "replace", "replace", "delete", "add", "cut", "flip"] as const;
type How = (typeof HOWS)[number];

const below = (rng: Rng, count: number): number => Math.floor(rng.next() * count);
const pick = <T>(rng: Rng, list: readonly T[]): T => list[below(rng, list.length)]!;

function hostileValue(rng: Rng, depth = 0): unknown {
  const kind = below(rng, depth < 3 ? 6 : 4);
  if (kind <= 1) return pick(rng, HOSTILE);
  if (kind === 2) return below(rng, 2 ** 31) * (rng.next() < 0.5 ? -1 : 1);
  if (kind === 3) return hostileText(rng);
  const values = Array.from({ length: below(rng, 4) }, () => hostileValue(rng, depth + 1));
  if (kind === 4) return values;
  return Object.fromEntries(values.map((value) => [hostileKey(rng), value]));
}

const hostileText = (rng: Rng): string =>
  String.fromCharCode(...Array.from({ length: below(rng, 12) }, () => below(rng, 0x3000)));

const hostileKey = (rng: Rng): string => (rng.next() < 0.5 ? pick(rng, KEYS) : hostileText(rng));

/** A copy with one member, at any depth, replaced, left out or beside a new one. */
function changed(input: unknown, how: How, rng: Rng): unknown {
  if (typeof input !== "object" || input === null) return hostileValue(rng);
  const copy = (Array.isArray(input) ? [...(input as unknown[])] : { ...input }) as {
    [key: string]: unknown;
  };
  const keys = Object.keys(copy);
  if (how === "add" || keys.length === 0) {
    const value = hostileValue(rng);
    const whole = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(copy, Array.isArray(copy) ? keys.length : hostileKey(rng), whole);
    return copy;
  }
  const key = pick(rng, keys);
  const inner = copy[key];
  const deeper = typeof inner === "object" && inner !== null && rng.next() < 0.7;
  if (deeper) copy[key] = changed(inner, how, rng);
  else if (how === "delete") delete copy[key];
  else copy[key] = hostileValue(rng);
  return copy;
}

/** The bytes, cut or with one bit changed where `how` says so. */
function bent(text: string, how: How, rng: Rng): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length === 0) return bytes;
  const at = below(rng, bytes.length);
  if (how === "cut") return bytes.subarray(0, at);
  if (how === "flip") bytes[at]! ^= 1 << below(rng, 8);
  return bytes;
}

/** Some members are wrong at once now and then: what one check would have stopped meets another. */
function body(input: Input, how: How, rng: Rng): Buffer {
  if (how === "cut" || how === "flip") return bent(JSON.stringify(input), how, rng);
  let value: unknown = input;
  do value = changed(value, how, rng);
  while (rng.next() < 0.2);
  return Buffer.from(JSON.stringify(value) ?? "");
}

/** The same generator gives the same requests. */
export function hostileRequest(seed: Seed, rng: Rng): HostileRequest {
  const how = pick(rng, HOWS);
  const headers = { authorization: AUTHORIZATION };
  if (seed.protocol === "json") {
    const type = `application/x-amz-json-${seed.version}`;
    const more = { "x-amz-target": seed.name, "content-type": type };
    const request = { method: "POST", path: "/", headers: { ...headers, ...more } };
    return { ...request, body: body(seed.input, how, rng) };
  }
  if (seed.protocol === "query") {
    const more = { "content-type": "application/x-www-form-urlencoded" };
    const request = { method: "POST", path: "/", headers: { ...headers, ...more } };
    return { ...request, body: hostileForm(seed.form, how, rng) };
  }
  const path = hostilePath(seed.path, how, rng);
  return { method: seed.method, path, headers, body: body(seed.input, how, rng) };
}

function hostileForm(text: string, how: How, rng: Rng): Buffer {
  const form = new URLSearchParams(text);
  // Action and version stay: without them it is another operation.
  const name = pick(rng, [...form.keys()].slice(2));
  if (how === "replace") form.set(name, JSON.stringify(hostileValue(rng)) ?? "");
  if (how === "delete") form.delete(name);
  if (how === "add") form.set(`${name}.${hostileKey(rng)}`, JSON.stringify(hostileValue(rng)));
  return bent(form.toString(), how, rng);
}

function hostilePath(path: string, how: How, rng: Rng): string {
  const encoded = (value: unknown): string => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return rng.next() < 0.5 ? encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/g, "?")) : text;
  };
  if (how === "replace" && rng.next() < 0.3)
    return path.replace(/\/(?:f|x|0-0|live)(?=[/?]|$)/, () => `/${encoded(hostileValue(rng))}`);
  if (how === "add" && rng.next() < 0.5) {
    const key = pick(rng, ["Qualifier", "Marker", "MaxItems", "groupName", hostileKey(rng)]);
    return `${path}${path.includes("?") ? "&" : "?"}${key}=${encoded(hostileValue(rng))}`;
  }
  return path;
}
