// Request ids as 16 bytes: the fixed-width key under which attempts and platform lines meet.
import { createHash } from "node:crypto";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const TRACE = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/i;

/**
 * A UUID becomes its 16 bytes, a trace id its own 16 (time and random part), a 16-character ASCII
 * id (API Gateway's) its characters, anything else the first 16 bytes of its SHA-256. Equal ids
 * give equal keys.
 */
export function requestKey(id: string): Uint8Array {
  if (UUID.test(id)) return Buffer.from(id.replaceAll("-", ""), "hex");
  if (TRACE.test(id)) return Buffer.from(id.slice(2).replace("-", ""), "hex");
  const bytes = Buffer.from(id, "utf8");
  if (bytes.length === 16) return bytes;
  return createHash("sha256").update(bytes).digest().subarray(0, 16);
}

/** What `requestKey` keeps of a UUID or a 16-character id, as text again; null = a hash. */
export function requestIdOf(key: Uint8Array): string | null {
  const bytes = Buffer.from(key);
  const text = bytes.toString("latin1");
  if (/^[!-~]{16}$/.test(text)) return text;
  const uuid = bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  // Of random bytes, one hash in 64 looks like one.
  return /^.{14}4.{4}[89ab]/.test(uuid) ? uuid : null;
}

/** A key as text, 16 characters: for maps. */
export const requestKeyText = (key: Uint8Array): string => Buffer.from(key).toString("latin1");
