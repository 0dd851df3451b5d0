// The guard: which endpoint may be spoken to, decided before a client exists.
import { GatecrashError } from "../core/error.ts";
import { isLoopback } from "../core/loopback.ts";

/** AWS's own endpoints, as it is written in records. */
export const AWS_ENDPOINT = "aws";

/**
 * Refuses every endpoint that is not loopback, unless the scenario declares an environment on AWS
 * (its account); then AWS's own endpoints are allowed and nothing else.
 */
export function guardEndpoint(endpoint: string, account: string | null): void {
  if (isLoopback(endpoint)) return;
  if (endpoint === AWS_ENDPOINT && account !== null) return;
  const why =
    endpoint === AWS_ENDPOINT
      ? "no environment on AWS is declared"
      : `${endpoint} is neither on this machine nor AWS`;
  throw new GatecrashError("refused", `refused to speak to AWS: ${why}`, {
    hint: "declare the account under environments: and choose it with --env, or use local AWS",
  });
}

/** `https://lambda.eu-west-1.amazonaws.com`, or local AWS, which answers for every service. */
export function serviceUrl(endpoint: string, service: string, region: string): string {
  if (endpoint !== AWS_ENDPOINT) return endpoint;
  if (service === "cloudfront") return "https://cloudfront.amazonaws.com"; // one for all regions
  const suffix = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return `https://${service}.${region}.${suffix}`;
}
