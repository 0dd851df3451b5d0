// A function URL: a port of its own, payload format 2.0, and Lambda's refusals as they are.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { InvokeOutcome, Invoker } from "../function-host.ts";
import { throttleError } from "../lambda/throttle-error.ts";
import type { FunctionUrlSpec, HttpApiRoute } from "../template/types.ts";
import type { Addressable } from "./address.ts";
import { answerOf, type GatewayAnswer, gatewayError } from "./answer.ts";
import { eventV2 } from "./event.ts";
import { describeRequest, type GatewayRequest, readBody } from "./gateway-request.ts";
import { closeServer, KEEP_ALIVE_MS, listenOnLoopback, sendAnswer } from "./loopback-server.ts";
import type { RouteMatch } from "./routes.ts";

export interface FunctionUrlDeps {
  readonly invoker: Invoker;
  /** Wall time, ms since 1970. */
  nowMs(): number;
  newRequestId(): string;
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
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void serve(spec, deps, request, response);
  });
  const host = await listenOnLoopback(server);
  return { host, close: () => closeServer(server) };
}

async function serve(
  spec: FunctionUrlSpec,
  deps: FunctionUrlDeps,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const atEpochMs = deps.nowMs();
  const body = await readBody(message).catch(() => undefined);
  if (body === undefined) return; // the client broke off before it had said what it wants
  if (body === null) {
    message.resume();
    const own = { "x-amzn-requestid": deps.newRequestId(), connection: "close" };
    return sendAnswer(response, gatewayError(413, "Request Entity Too Large"), own);
  }
  const requestId = deps.newRequestId();
  const request = describeRequest(message, addressOf(spec), { body, requestId, atEpochMs });
  const event = JSON.stringify(eventOf(spec, request));
  const how = { traceId: null, tail: false };
  const outcome = await deps.invoker.invoke(spec.functionName, event, how).catch(() => null);
  const answer = answerTo(outcome);
  deps.answered(spec.functionName, atEpochMs, deps.nowMs() - atEpochMs, answer.status);
  sendAnswer(response, answer, { "x-amzn-requestid": outcome?.requestId ?? requestId });
}

const addressOf = ({ onAws: ownDomain }: FunctionUrlSpec): Addressable => ({
  stage: "$default",
  ownDomain,
  domains: [],
});

/** Unlike an HTTP API's: the path stays encoded, and the domain is the URL's own. */
function eventOf(spec: FunctionUrlSpec, request: GatewayRequest): object {
  const nothing = { stage: "$default", routes: [], accessLog: null, domains: [] };
  const event = eventV2({ ...spec, ...nothing, apiId: spec.urlId }, request, EVERYTHING);
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
