// A Lambda authorizer at work: who the caller is, and whether a method may be called.
import type { InvokeOutcome, Invoker } from "../function-host.ts";
import { isRecord } from "../http-api/answer.ts";
import {
  calledArnOf,
  identityValues,
  KeptAnswers,
  saysNobody,
} from "../http-api/authorizer-call.ts";
import { headerOf } from "../http-api/gateway-request.ts";
import { decide } from "../http-api/policy.ts";
import type { AuthorizerSpec, RestApiSpec } from "../template/rest-types.ts";
import { gatewayResponse, type RestAnswer } from "./answer.ts";
import { authorizerEventOf } from "./event.ts";
import type { Exchange, Gate } from "./exchange.ts";

/** What an authorizer's function may return, as far as it is used. */
interface Verdict {
  readonly principalId: string;
  readonly policy: unknown;
  /** Texts, numbers and truth values, all as text. */
  readonly context: { readonly [key: string]: string };
}

const UNAUTHORIZED = "Unauthorized";

export interface AuthorizerDeps {
  readonly invoker: Invoker;
  /** Wall time, ms since 1970. */
  nowMs(): number;
}

/** Methods without an authorizer go through. */
export function authorizerGate(spec: RestApiSpec, deps: AuthorizerDeps): Gate {
  const kept = new KeptAnswers<Verdict>();
  return async (exchange) => {
    const { authorizer } = exchange.match.route;
    if (authorizer === null) return null;
    const identity = identityOf(authorizer, exchange);
    if (identity === null) return unauthorized(exchange);
    const startMs = deps.nowMs();
    const key = JSON.stringify([authorizer.name, ...identity]);
    const asked = kept.get(key, startMs) ?? (await ask(spec, authorizer, exchange, deps));
    if (!("policy" in asked)) return asked;
    if (kept.get(key, startMs) === undefined)
      kept.keep(key, asked, deps.nowMs(), authorizer.cacheS);
    exchange.seen["authorizer.latency"] = deps.nowMs() - startMs;
    return admit(spec, exchange, asked);
  };
}

/** null when a source is missing, or a token is not as it should be. */
function identityOf({ identity, pattern }: AuthorizerSpec, { request }: Exchange): string[] | null {
  const values = identityValues(identity, request);
  const [token = ""] = values ?? [];
  return pattern !== null && !new RegExp(pattern).test(token) ? null : values;
}

function unauthorized({ seen }: Exchange): RestAnswer {
  seen["authorizer.status"] = 401;
  seen["authorizer.error"] = UNAUTHORIZED;
  return gatewayResponse("UNAUTHORIZED");
}

async function ask(
  spec: RestApiSpec,
  { type, functionName, identity }: AuthorizerSpec,
  exchange: Exchange,
  { invoker, nowMs }: AuthorizerDeps,
): Promise<Verdict | RestAnswer> {
  const { request, seen } = exchange;
  const token = headerOf(request, identity[0]?.name ?? "");
  const arn = calledArnOf(spec, exchange.request);
  const event =
    type === "TOKEN"
      ? { type, authorizationToken: token, methodArn: arn }
      : authorizerEventOf(spec, exchange, arn);
  const startMs = nowMs();
  const traceId = request.trace.isSampled === null ? null : request.trace.header;
  const how = { traceId, tail: false };
  const outcome = await invoker.invoke(functionName, JSON.stringify(event), how).catch(() => null);
  seen["authorizer.integrationLatency"] = nowMs() - startMs;
  seen["authorizer.integrationStatus"] = outcome?.kind === "throttled" ? 429 : 200;
  seen["authorizer.requestId"] = outcome?.requestId ?? "";
  return read(outcome, exchange);
}

function read(outcome: InvokeOutcome | null, exchange: Exchange): Verdict | RestAnswer {
  const { seen } = exchange;
  const failed = (type: "AUTHORIZER_FAILURE" | "AUTHORIZER_CONFIGURATION_ERROR", error: string) => {
    seen["authorizer.status"] = 500;
    seen["authorizer.error"] = error;
    return gatewayResponse(type);
  };
  if (outcome === null || outcome.kind === "throttled" || outcome.kind === "not-found")
    return failed("AUTHORIZER_FAILURE", "The authorizer could not be invoked.");
  const result: unknown = JSON.parse(outcome.payload);
  if (outcome.kind === "function-error") {
    if (saysNobody(result)) return unauthorized(exchange);
    return failed("AUTHORIZER_FAILURE", "The authorizer returned an error.");
  }
  const verdict = verdictOf(result);
  if (verdict !== null) return verdict;
  return failed("AUTHORIZER_CONFIGURATION_ERROR", "The authorizer's result is not a policy.");
}

function verdictOf(result: unknown): Verdict | null {
  if (!isRecord(result) || typeof result.principalId !== "string") return null;
  const { principalId, policyDocument: policy, context = {} } = result;
  if (decide(policy, "") === null || (context !== null && !isRecord(context))) return null;
  const pairs = Object.entries(context ?? {});
  if (pairs.some(([, value]) => !["string", "number", "boolean"].includes(typeof value)))
    return null;
  const texts = pairs.map(([key, value]): [string, string] => [key, String(value)]);
  return { principalId, policy, context: Object.fromEntries(texts) };
}

/** A kept answer is a policy, which is applied to each method anew. */
function admit(spec: RestApiSpec, exchange: Exchange, verdict: Verdict): RestAnswer | null {
  const { seen } = exchange;
  const decision = decide(verdict.policy, calledArnOf(spec, exchange.request));
  seen["authorizer.status"] = 200;
  seen["authorizer.principalId"] = verdict.principalId;
  for (const [key, value] of Object.entries(verdict.context)) seen[`authorizer.${key}`] = value;
  seen["authorize.status"] = decision === "allow" ? 200 : 403;
  const latencyMs = seen["authorizer.integrationLatency"] ?? 0;
  exchange.authorizer = {
    ...verdict.context,
    principalId: verdict.principalId,
    integrationLatency: latencyMs,
  };
  if (decision === "allow") return null;
  const how = decision === "explicit-deny" ? " with an explicit deny" : "";
  const message = `User is not authorized to access this resource${how}`;
  seen["authorize.error"] = message;
  return gatewayResponse("ACCESS_DENIED", message);
}
