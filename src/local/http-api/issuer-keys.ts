// Public keys of token issuers, found by their discovery documents; nothing leaves this machine.
import { createPublicKey, type KeyObject } from "node:crypto";
import { isLoopback } from "../../core/loopback.ts";
import { isRecord } from "./answer.ts";

/** API Gateway keeps keys for two hours; a key it does not know makes it look again. */
const KEPT_MS = 7_200_000;
/** Between two looks: tokens with made-up keys do not become requests to the issuer. */
const PAUSE_MS = 5_000;
const TIMEOUT_MS = 2_000;
const BYTES_MAX = 1_000_000;

interface IssuerKey {
  /** "" = the set does not name it. */
  readonly kid: string;
  /** "" = for any algorithm of its kind. */
  readonly alg: string;
  readonly key: KeyObject;
}

interface Kept {
  readonly atMs: number;
  /** null = the issuer could not be asked. */
  readonly keys: Promise<readonly IssuerKey[] | null>;
}

/** `unchecked`: the issuer is not on this machine; `unreachable`: it gives no usable key set. */
export type FoundKey = { readonly key: KeyObject } | "unchecked" | "unreachable" | "unknown";

export class IssuerKeys {
  readonly #kept = new Map<string, Kept>();

  async find(issuer: string, kid: string, alg: string, nowMs: number): Promise<FoundKey> {
    if (!isLoopback(issuer)) return "unchecked";
    const first = await this.#look(issuer, nowMs, KEPT_MS);
    const found = first === null ? undefined : chosen(first, kid, alg);
    if (found !== undefined) return { key: found.key };
    const again = await this.#look(issuer, nowMs, PAUSE_MS);
    if (again === null) return "unreachable";
    const key = chosen(again, kid, alg)?.key;
    return key === undefined ? "unknown" : { key };
  }

  #look(issuer: string, nowMs: number, maxAgeMs: number): Kept["keys"] {
    const known = this.#kept.get(issuer);
    if (known !== undefined && nowMs - known.atMs < maxAgeMs) return known.keys;
    const keys = keysOf(issuer).catch(() => null);
    this.#kept.set(issuer, { atMs: nowMs, keys });
    return keys;
  }
}

/** A token that names no key fits an issuer that has one only. */
function chosen(keys: readonly IssuerKey[], kid: string, alg: string): IssuerKey | undefined {
  const usable = keys.filter((one) => one.alg === "" || one.alg === alg);
  if (kid === "") return usable.length === 1 ? usable[0] : undefined;
  return usable.find((one) => one.kid === kid);
}

async function keysOf(issuer: string): Promise<IssuerKey[]> {
  const discovery = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const { jwks_uri: uri } = await jsonAt(discovery);
  if (typeof uri !== "string" || !isLoopback(uri)) throw new Error("no jwks_uri on this machine");
  const { keys } = await jsonAt(uri);
  if (!Array.isArray(keys)) throw new Error("no list of keys");
  return keys.flatMap((given: unknown) => keyOf(given));
}

async function jsonAt(url: string): Promise<{ readonly [name: string]: unknown }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { signal, redirect: "error" });
  const text = await response.text();
  if (!response.ok || text.length > BYTES_MAX) throw new Error(`${url}: ${response.status}`);
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error(`${url} is no object`);
  return value;
}

/** None for a key that cannot sign tokens here: another kind, for encryption, or broken. */
function keyOf(given: unknown): IssuerKey[] {
  if (!isRecord(given) || given.kty !== "RSA" || given.use === "enc") return [];
  const [kid, alg] = [given.kid, given.alg].map((one) => (typeof one === "string" ? one : ""));
  try {
    // Public parts alone: a key set that holds private ones is read no further.
    const jwk = { kty: "RSA", n: String(given.n), e: String(given.e) };
    return [{ kid: kid!, alg: alg!, key: createPublicKey({ key: jwk, format: "jwk" }) }];
  } catch {
    return [];
  }
}
