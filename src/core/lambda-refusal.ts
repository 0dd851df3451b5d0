// Which limit a Lambda throttle names: from the `Reason` of its 429 to who refused.
import type { Refuser } from "./outcome.ts";

/**
 * Reasons of TooManyRequestsException in Lambda's service model. The two about concurrency are
 * documented; the meaning of the rate ones (ten times the concurrency per second) is an inference.
 */
const BY_REASON: { readonly [reason: string]: Refuser } = {
  ReservedFunctionConcurrentInvocationLimitExceeded: "lambda.reserved",
  ConcurrentInvocationLimitExceeded: "lambda.account",
  FunctionInvocationRateLimitExceeded: "lambda.rate",
  ReservedFunctionInvocationRateLimitExceeded: "lambda.rate",
};

/** `lambda` for a reason that names no limit of the function or the account, and for none. */
export function lambdaRefuser(reason: string): Refuser {
  return Object.hasOwn(BY_REASON, reason) ? BY_REASON[reason]! : "lambda";
}
