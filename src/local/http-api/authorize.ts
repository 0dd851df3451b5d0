// Authorizers of an HTTP API at work: 401 for nobody, 403 for somebody who may not.
import type { InvokeOutcome, Invoker } from "../function-host.ts";
import type { AskSigner, Signer } from "../iam/signed-request.ts";
import type { HttpAuthorizerSpec } from "../template/http-authorizers.ts";
import type { HttpApiSpec } from "../template/types.ts";
import { type GatewayAnswer, gatewayError, isRecord } from "./answer.ts";
import { calledArnOf, identityValues, KeptAnswers, saysNobody } from "./authorizer-call.ts";
import { authorizerEventOf } from "./event.ts";
import { type GatewayRequest, headerOf } from "./gateway-request.ts";
import { IssuerKeys } from "./issuer-keys.ts";
import { decide } from "./policy.ts";
import type { RouteMatch } from "./routes.ts";
import { type Checked, checkToken } from "./token.ts";

/** What the event says of the caller, or why there is none. */
export type Authorized = { readonly caller: object } | { readonly refusal: GatewayAnswer };

export interface AuthorizeDeps {
  readonly invoker: Invoker;
  /** Wall time, ms since 1970. */
  nowMs(): number;
  readonly signer: AskSigner;
}

type Authorize = (request: GatewayRequest, match: RouteMatch) => Promise<Authorized | null>;
type LambdaAuthorizer = Extract<HttpAuthorizerSpec, { kind: "lambda" }>;
type JwtAuthorizer = Extract<HttpAuthorizerSpec, { kind: "jwt" }>;

const unauthorized = (): Authorized => ({ refusal: gatewayError(401, "Unauthorized") });
const forbidden = (): Authorized => ({ refusal: gatewayError(403, "Forbidden") });

/** null: the route asks nobody. */
export function authorizing(spec: HttpApiSpec, deps: AuthorizeDeps): Authorize {
  const kept = new KeptAnswers<unknown>();
  const keys = new IssuerKeys();
  const resultOf = async (
    { functionName, cacheS }: LambdaAuthorizer,
    identity: readonly string[],
    event: () => object,
  ): Promise<unknown> => {
    const key = JSON.stringify([functionName, ...identity]);
    const found = kept.get(key, deps.nowMs());
    if (found !== undefined) return found;
    const how = { traceId: null, tail: false };
    const asked = deps.invoker.invoke(functionName, JSON.stringify(event()), how);
    const result = readOutcome(await asked.catch(() => null));
    if (result !== BROKEN) kept.keep(key, result, deps.nowMs(), cacheS);
    return result;
  };
  return async (request, match) => {
    const { authorizer } = match.route;
    if (authorizer === undefined) return null;
    if (authorizer.kind === "iam") {
      const resource = calledArnOf(spec, request);
      const asked = deps.signer(request, "execute-api", [
        { action: "execute-api:Invoke", resource },
      ]);
      return "fault" in asked ? forbidden() : { caller: { iam: iamOf(asked) } };
    }
    if (authorizer.kind === "jwt") {
      const token = headerOf(request, authorizer.header);
      return byToken(await checkToken(authorizer, token, keys, request.atEpochMs), authorizer);
    }
    const identity = identityValues(authorizer.identity, request);
    if (identity === null) return unauthorized();
    const arn = calledArnOf(spec, request);
    const result = await resultOf(authorizer, identity, () =>
      authorizerEventOf(spec, request, match, { version: authorizer.version, arn, identity }),
    );
    return byResult(authorizer, result, arn);
  };
}

/** As events of format 2.0 tell who signed. */
export const iamOf = ({ accessKey, accountId, callerId, userArn }: Signer): object => ({
  ...{ accessKey, accountId, callerId, cognitoIdentity: null, principalOrgId: null },
  ...{ userArn, userId: callerId },
});

/** The function has failed, or said what nobody can use. */
const BROKEN = Symbol("broken");

function readOutcome(outcome: InvokeOutcome | null): unknown {
  if (outcome === null || outcome.kind === "throttled" || outcome.kind === "not-found")
    return BROKEN;
  const result: unknown = JSON.parse(outcome.payload);
  if (outcome.kind === "ok") return result;
  return saysNobody(result) ? null : BROKEN;
}

function byResult({ isSimple, version }: LambdaAuthorizer, result: unknown, arn: string) {
  if (result === null) return unauthorized();
  const broken = { refusal: gatewayError(500, "Internal Server Error") };
  if (!isRecord(result)) return broken;
  const context = isRecord(result.context) ? result.context : {};
  if (isSimple && version === "2.0") {
    if (typeof result.isAuthorized !== "boolean") return broken;
    return result.isAuthorized ? { caller: { lambda: context } } : forbidden();
  }
  const decision = decide(result.policyDocument, arn);
  if (decision === null || typeof result.principalId !== "string") return broken;
  if (decision !== "allow") return forbidden();
  return { caller: { lambda: { principalId: result.principalId, ...context } } };
}

/** The function learns claims as texts, lists in brackets. */
function byToken(checked: Checked, { scopes }: JwtAuthorizer): Authorized {
  if ("refusal" in checked) return checked;
  const texts = Object.entries(checked.claims).map(([name, value]): [string, string] => [
    ...([name, Array.isArray(value) ? `[${value.join(" ")}]` : String(value)] as const),
  ]);
  const asked = scopes.length === 0 ? null : scopes;
  return { caller: { jwt: { claims: Object.fromEntries(texts), scopes: asked } } };
}
