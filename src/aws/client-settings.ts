// What every AWS SDK client is made with: no retries, the run's name, bounded time, one way out.
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isLoopback } from "../core/loopback.ts";
import { proxyAgent } from "./proxy-agent.ts";

export interface ClientPlace {
  /** Loopback URL, or `"aws"` for AWS's own endpoints. */
  readonly endpoint: string;
  readonly region: string;
  readonly runId: string;
  /** Longest time for one call, connecting included. Default 10 s. */
  readonly timeoutMs?: number;
}

export const TIMEOUT_MS = 10_000;
const SOCKETS_MAX = 16;

/** Credentials and region are the caller's. */
export async function clientSettings(place: ClientPlace) {
  // On Node 20 the SDK prints a notice at start-up; the versions here are pinned and support it.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
  const { NodeHttpHandler } = await import("@smithy/node-http-handler");
  // A fresh connection for every call: on a stale one the answer of an undo would be unknown.
  const sockets = { keepAlive: false, maxSockets: SOCKETS_MAX };
  const proxied = isLoopback(place.endpoint) ? null : proxyAgent(process.env, sockets);
  return {
    maxAttempts: 1,
    retryMode: "standard",
    // SQS's client would send what it has signed to whatever host a queue's URL names.
    useQueueUrlAsEndpoint: false,
    customUserAgent: [["gatecrash"], ["run", place.runId]] as [string, string?][],
    requestHandler: new NodeHttpHandler({
      connectionTimeout: place.timeoutMs ?? TIMEOUT_MS,
      httpAgent: new HttpAgent(sockets),
      httpsAgent: proxied ?? new HttpsAgent(sockets),
    }),
    ...(isLoopback(place.endpoint) ? onLoopback(place.endpoint) : {}),
  };
}

/** Everything that the SDK would otherwise look up in the environment or in ~/.aws. */
const onLoopback = (endpoint: string) => ({
  endpoint,
  defaultsMode: "standard" as const,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: "gatecrash",
  authSchemePreference: [],
});
