// What the functions of this system share: an HTTP API answer, a body read as JSON, a wait.
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";

/** An answer for the HTTP API (payload format 2.0). */
export function answer(statusCode, body) {
  return {
    statusCode,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}

/** The event's body as JSON; null when it is none. */
export function bodyOf({ body, isBase64Encoded }) {
  return parsed(isBase64Encoded ? Buffer.from(body ?? "", "base64").toString("utf8") : body);
}

/** The text as JSON; null when it is none. */
export function parsed(text) {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}

/** Waits from `leastMs` to `mostMs`; the same key always waits for the same time. */
export async function work(key, leastMs, mostMs) {
  const share = createHash("sha256").update(String(key)).digest().readUInt32BE(0) / 2 ** 32;
  await wait(leastMs + (mostMs - leastMs) * share);
}
