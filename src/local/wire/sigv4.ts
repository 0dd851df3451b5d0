// Who calls: the Authorization header of Signature Version 4, parsed and never verified.
import { AwsError } from "../aws-error.ts";

export interface Caller {
  readonly accessKeyId: string;
  readonly region: string;
  /** Signing name: `lambda`, `logs`, `monitoring`, `sts`, … */
  readonly service: string;
}

const CREDENTIAL = /Credential=([^/,\s]+)\/\d{8}\/([^/,\s]+)\/([^/,\s]+)\/aws4_request/;

/** Any well-formed signature is accepted; none or a malformed one is refused as AWS refuses it. */
export function callerOf(authorization: string | undefined): Caller {
  if (authorization === undefined)
    throw new AwsError("MissingAuthenticationTokenException", 403, "Missing Authentication Token");
  const [, accessKeyId, region, service] = CREDENTIAL.exec(authorization) ?? [];
  const complete = /^AWS4-\S+ /.test(authorization) && authorization.includes("Signature=");
  if (!complete || accessKeyId === undefined || region === undefined || service === undefined)
    throw new AwsError(
      "IncompleteSignatureException",
      403,
      "Authorization header requires 'Credential', 'Signature' and 'SignedHeaders' parameters.",
    );
  return { accessKeyId, region, service };
}
