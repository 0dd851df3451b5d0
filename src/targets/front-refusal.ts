// A 429 of a front: its own throttle, or Lambda's behind a function URL.
import { lambdaRefuser } from "../core/lambda-refusal.ts";
import type { Refuser } from "../core/outcome.ts";

/**
 * Who answered 429: Lambda itself (a function URL) says so by error type and a `Reason` in the
 * body; a gateway's own throttle has at most the error type.
 */
export function whoRefused(errorType: string, refusal: Buffer | null): Refuser {
  if (!errorType.startsWith("TooManyRequestsException") || refusal === null) return "gateway";
  try {
    const body: unknown = JSON.parse(refusal.toString("utf8"));
    const reason = typeof body === "object" && body !== null ? Reflect.get(body, "Reason") : null;
    return typeof reason === "string" ? lambdaRefuser(reason) : "gateway";
  } catch {
    return "gateway"; // a body that is no JSON is not Lambda's
  }
}
