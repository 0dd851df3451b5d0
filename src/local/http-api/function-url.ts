// A function URL: a port of its own, payload format 2.0, and Lambda's refusals as they are.
import type { InvokeOutcome, Invoker } from "../function-host.ts";
import type { AskSigner } from "../iam/signed-request.ts";
import { throttleError } from "../lambda/throttle-error.ts";
import type { FunctionUrlSpec, HttpApiRoute } from "../template/types.ts";
import type { HttpAnswer } from "../wire/http1/answer-bytes.ts";
import type { ParsedRequest } from "../wire/http1/request-parser.ts";
import type { Addressable } from "./address.ts";
import { answerOf, type GatewayAnswer, gatewayError } from "./answer.ts";
import { iamOf } from "./authorize.ts";
import { eventV2 } from "./event.ts";
import { describeRequest, type GatewayRequest } from "./gateway-request.ts";
import { startLoopbackServer, withHeaders } from "./loopback-server.ts";
import type { RouteMatch } from "./routes.ts";

export interface FunctionUrlDeps {
  readonly invoker: Invoker;
  /** Wall time, ms since 1970. */
  nowMs(): number;
  newRequestId(): string;
  readonly signer: AskSigner;
  /** One request was answered. */
  answered(functionName: string, startMs: number, latencyMs: number, status: number): void;
}

export interface FunctionUrlFront {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. */
export async function startFunctionUrl(
  spec: FunctionUrlSpec,
  deps: FunctionUrlDeps,
): Promise<FunctionUrlFront> {
  return startLoopbackServer((received, from) => serve(spec, deps, received, from));
}

async function serve(
  spec: FunctionUrlSpec,
  deps: FunctionUrlDeps,
  { head, content: body }: ParsedRequest,
  sourceIp: string,
): Promise<HttpAnswer> {
  const atEpochMs = deps.nowMs();
  const requestId = deps.newRequestId();
  if (body === null) {
    const answer = gatewayError(413, "Request Entity Too Large");
    return withHeaders(answer, { "x-amzn-requestid": requestId });
  }
  const about = { sourceIp, body, requestId, atEpochMs };
  const request = describeRequest(head, addressOf(spec), about);
  const signer = spec.iam ? signerOf(spec, request, deps) : null;
  if (signer !== null && "fault" in signer)
    return withHeaders(forbidden(), { "x-amzn-requestid": requestId });
  const caller = signer === null ? undefined : { iam: iamOf(signer) };
  const event = JSON.stringify(eventOf(spec, request, caller));
  const how = { traceId: null, tail: false };
  const outcome = await deps.invoker.invoke(spec.functionName, event, how).catch(() => null);
  const answer = answerTo(outcome);
  deps.answered(spec.functionName, atEpochMs, deps.nowMs() - atEpochMs, answer.status);
  return withHeaders(answer, { "x-amzn-requestid": outcome?.requestId ?? requestId });
}

/** Since October 2025 both permissions are wanted. */
function signerOf(spec: FunctionUrlSpec, request: GatewayRequest, { signer }: FunctionUrlDeps) {
  const [name, qualifier] = spec.functionName.split(":");
  const arn = `arn:aws:lambda:${spec.region}:${spec.account}:function:${name}`;
  const resource = qualifier === undefined ? arn : `${arn}:${qualifier}`;
  const context = { "lambda:FunctionUrlAuthType": "AWS_IAM" };
  const needs = ["lambda:InvokeFunctionUrl", "lambda:InvokeFunction"];
  return signer(
    request,
    "lambda",
    needs.map((action) => ({ action, resource, context })),
  );
}

const forbidden = (): GatewayAnswer => ({
  ...gatewayError(403, "Forbidden"),
  headers: [
    ["content-type", "application/json"],
    ["x-amzn-errortype", "AccessDeniedException"],
  ],
  body: Buffer.from('{"Message":"Forbidden"}'),
});

const addressOf = ({ onAws: ownDomain }: FunctionUrlSpec): Addressable => ({
  stage: "$default",
  ownDomain,
  domains: [],
});

/** Unlike an HTTP API's: the path stays encoded, and the domain is the URL's own. */
function eventOf(spec: FunctionUrlSpec, request: GatewayRequest, caller?: object): object {
  const nothing = { stage: "$default", routes: [], accessLog: null, domains: [] };
  const event = eventV2({ ...spec, ...nothing, apiId: spec.urlId }, request, EVERYTHING, caller);
  const { requestContext } = event;
  return {
    ...event,
    rawPath: request.path,
    requestContext: {
      ...requestContext,
      http: { ...requestContext.http, path: request.path },
    },
  };
}

const ROUTE: HttpApiRoute = {
  method: "ANY",
  path: "$default",
  integration: { kind: "lambda", functionName: "", payloadVersion: "2.0" },
  timeoutMs: 900_000,
};
const EVERYTHING: RouteMatch = { route: ROUTE, routeKey: "$default", parameters: {} };

/** A throttle is Lambda's own 429; what the function breaks is a 502. */
function answerTo(outcome: InvokeOutcome | null): GatewayAnswer {
  if (outcome?.kind === "throttled") {
    const error = throttleError(outcome.reason);
    return {
      ...gatewayError(error.status, error.message),
      headers: [
        ["content-type", "application/json"],
        ["x-amzn-errortype", error.code],
      ],
      body: Buffer.from(JSON.stringify(error.body())),
    };
  }
  const answer = outcome === null ? null : answerOf(outcome, "2.0");
  if (answer !== null && answer.error === "") return answer;
  return { ...gatewayError(502, ""), body: Buffer.from("Internal Server Error") };
}
