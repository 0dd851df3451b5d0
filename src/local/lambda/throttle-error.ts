// Lambda's refusal for capacity, the same for the Invoke API and for function URLs.
import { AwsError } from "../aws-error.ts";

/** Body, member order and text as recorded on AWS; no Retry-After. */
export const throttleError = (reason: string): AwsError =>
  new AwsError("TooManyRequestsException", 429, "Rate Exceeded.", {
    extra: { Reason: reason, Type: "User" },
  });
