// How long an answer asks its client to wait: `Retry-After` in seconds or as a date.

/** A week: what asks for more means never. */
const LONGEST_MS = 604_800_000;
const SECONDS = /^\d{1,9}(?:\.\d{1,3})?$/;
/** The three forms of a date in HTTP all begin with the day's name. */
const DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
const BODY = /"retryAfterSeconds"\s*:\s*"?(\d{1,9}(?:\.\d{1,3})?)[",}\s]/;

/** Milliseconds from `nowMs` (ms since 1970) on, 0 for a date that has passed; null = no such. */
export function retryAfterMs(value: string, nowMs: number): number | null {
  if (SECONDS.test(value)) return atMost(Number(value) * 1_000);
  if (!DATE.test(value)) return null;
  const at = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`);
  return Number.isNaN(at - nowMs) ? null : atMost(Math.max(0, at - nowMs));
}

/** Lambda's refusals may have it as `retryAfterSeconds` in a JSON body. */
export function retryAfterOfBody(body: string): number | null {
  const found = BODY.exec(body)?.[1];
  return found === undefined ? null : atMost(Number(found) * 1_000);
}

const atMost = (ms: number): number => Math.min(LONGEST_MS, Math.round(ms));
