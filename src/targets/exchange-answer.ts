// From an exchange on the wire to an answer: what is the same for every target that speaks HTTP.
import { NoCredentials } from "../aws/sigv4.ts";
import type { Answer, ItemAnswer } from "../core/arrival.ts";
import type { Reason } from "../core/outcome.ts";
import { retryAfterMs, retryAfterOfBody } from "../core/retry-after.ts";
import { runUs } from "../core/time.ts";
import type { Exchange } from "../wire/exchange.ts";

/** How an attempt ended, by what was said about it. */
export type End = Pick<Answer, "outcome" | "refusedBy" | "reason">;
/** What is the same for all that one exchange carried. */
type Said = Pick<Answer, "degraded" | "requestId" | "version" | "retryAfterMs">;
/** What a target makes of a complete response. */
export type Reading = End & Said;

/** Failures before anything was sent are errors; after it, the system may or may not have acted. */
export function failedReading(failure: Exclude<Exchange["failure"], "">): Reading {
  const outcome = wasSent(failure) ? "unknown" : "errored";
  return { outcome, refusedBy: "", reason: failure, degraded: false, requestId: "" };
}

/**
 * What an answer asks its client to wait, by its header or, for Lambda's refusals, its body; a date
 * counts from `wallMs`, and is not understood without.
 */
export function retryAfterOf(
  header: string | undefined,
  body: Buffer | null,
  wallMs: (() => number) | undefined,
): number | undefined {
  if (!header) return (body === null ? null : retryAfterOfBody(body.toString("utf8"))) ?? undefined;
  return retryAfterMs(header, wallMs?.() ?? Number.NaN) ?? undefined;
}

function wasSent(failure: Reason): boolean {
  return !["dns", "connect", "tls", "credentials"].includes(failure);
}

export const answerOf = (exchange: Exchange, reading: Reading): Answer =>
  itemAnswerOf(exchange, reading, reading, undefined);

/** Once for every item: a literal, since a spread costs more than all the rest of it. */
export function itemAnswerOf(
  exchange: Exchange,
  end: End,
  said: Said,
  item: ItemAnswer | undefined,
): Answer {
  return {
    outcome: end.outcome,
    refusedBy: end.refusedBy,
    reason: end.reason,
    degraded: said.degraded,
    status: exchange.status,
    sentUs: runUs(exchange.sentUs),
    firstByteUs: runUs(exchange.firstByteUs),
    doneUs: runUs(exchange.doneUs),
    connectUs: exchange.connectUs,
    tlsUs: exchange.tlsUs,
    bytesOut: exchange.bytesOut,
    bytesIn: exchange.bytesIn,
    newConnection: exchange.newConnection,
    requestId: said.requestId,
    version: said.version,
    retryAfterMs: said.retryAfterMs,
    item,
  };
}

/** STS, IAM and every service say it by this name; any other 401 or 403 may be the system's. */
export const isExpired = (errorType: string): boolean =>
  (errorType.split("#").at(-1) ?? "").startsWith("ExpiredToken");

/**
 * What a request could not be made for: without credentials the attempt `isNone`; anything else is
 * a bug of ours and ends the run.
 */
export function notMade(thrown: unknown, isNone: () => void): void {
  if (thrown instanceof NoCredentials) isNone();
  else thrownLater(thrown);
}

/** Outside of every promise, where nobody can take it for an answer. */
export const thrownLater = (thrown: unknown): void => {
  setImmediate(() => {
    throw thrown;
  });
};

/** Nothing could be signed, so nothing was sent. */
export const notSent = (nowUs: number): Exchange => ({
  failure: "credentials",
  status: 0,
  sentUs: nowUs,
  firstByteUs: -1,
  doneUs: nowUs,
  connectUs: 0,
  tlsUs: 0,
  bytesOut: 0,
  bytesIn: 0,
  newConnection: false,
  headers: [],
  body: null,
});
