// How one attempt ended. The system's failures are data: none of these is an exception.

/** Codes are stored in the facts; their order is part of the format. */
export const OUTCOMES = ["ok", "throttled", "errored", "unknown", "dropped"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Who refused, as a path: `lambda.reserved` is matched by `lambda`. `""` = nobody did. */
export const REFUSERS = [
  "",
  "gateway",
  "waf",
  "lambda",
  "lambda.reserved",
  "lambda.account",
  "lambda.rate",
  "kinesis.shard",
  "sqs",
  "dependency",
  "application", // its own 429: it ran
  "gateway.quota", // the quota of a usage plan
  "gateway.key", // no API key, or none of a usage plan
  "authorizer", // a token or a signature that is missing or not good enough
  "cdn", // the distribution's own refusal: a place it does not serve, a URL it wants signed
  "edge", // before the system, by an API key or a firewall: the answer does not say which
] as const;
export type Refuser = (typeof REFUSERS)[number];

/**
 * Why an attempt errored, is unknown, or was dropped. `""` = it did not.
 * unknown(why) means that the system may or may not have acted: timeout, reset, closed.
 */
export const REASONS = [
  "",
  "status", // errored: an answer whose status is not in `ok`
  "function", // errored: Lambda answered 200 with X-Amz-Function-Error
  "service", // errored: an AWS API answered with an error that is no throttle
  "connect", // errored: connection refused or not made in time; nothing was sent
  "dns", // errored: the name did not resolve; nothing was sent
  "tls", // errored: the handshake failed; nothing was sent
  "stale", // unknown: a reused connection was closed before the first byte of the answer
  "timeout", // unknown: no complete answer within the load's timeout
  "reset", // unknown: the connection broke on a fresh connection or in mid-answer
  "parse", // unknown: bytes that are no HTTP answer
  "unfinished", // unknown: still open when the grace after the end of the load ran out
  "in-flight", // dropped: the load's in-flight limit was reached
  "stopped", // dropped: due after the run was stopped
  "credentials", // errored: our own had ended; nothing was sent, or it was refused as expired
] as const;
export type Reason = (typeof REASONS)[number];

/** They stand before the system, and what they refuse says nothing about it. */
export const EDGES: readonly Refuser[] = [
  ...(["waf", "authorizer", "gateway.key", "gateway.quota", "cdn", "edge"] as const),
];

export const outcomeCode = (name: Outcome): number => OUTCOMES.indexOf(name);
export const refuserCode = (name: Refuser): number => REFUSERS.indexOf(name);
export const reasonCode = (name: Reason): number => REASONS.indexOf(name);

/** True when `by` is `who` or below it: `lambda.reserved` is within `lambda`. */
export function isWithin(by: string, who: string): boolean {
  return by === who || by.startsWith(`${who}.`);
}
