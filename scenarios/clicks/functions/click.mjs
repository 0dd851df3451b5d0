// What the functions of this system share: a click read and checked, an answer, a moment's work.
import { setTimeout as wait } from "node:timers/promises";

/** Looking the article up and scoring the visitor: a click takes some 15 ms in all. */
export const score = () => wait(10);

const PATTERNS = {
  clickId: /^[\w-]{8,64}$/,
  article: /^[\w-]{1,64}$/,
  minute: /^\d{4}-\d\d-\d\dT\d\d:\d\d$/,
};

/** The click in a request's body, or null. */
export function readClick({ body, isBase64Encoded }) {
  try {
    const text = isBase64Encoded ? Buffer.from(body ?? "", "base64").toString("utf8") : body;
    const click = JSON.parse(text ?? "");
    const isWhole = Object.entries(PATTERNS).every(
      ([field, pattern]) => typeof click?.[field] === "string" && pattern.test(click[field]),
    );
    return isWhole ? click : null;
  } catch {
    return null;
  }
}

/** An answer for the HTTP API (payload format 2.0). */
export const answer = (statusCode, body) => ({
  statusCode,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
