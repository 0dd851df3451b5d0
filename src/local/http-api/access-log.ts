// Access-log lines: the template's format with its `$context` variables filled in.
import type { HttpApiSpec } from "../template/types.ts";
import type { GatewayAnswer } from "./answer.ts";
import { type GatewayRequest, headerOf, logTime } from "./gateway-request.ts";

const VARIABLE = /\$context\.([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)/g;

export interface Exchange {
  readonly spec: HttpApiSpec;
  readonly request: GatewayRequest;
  readonly answer: GatewayAnswer;
  /** "" when no route matched. */
  readonly routeKey: string;
  readonly integrationLatencyMs: number | null;
  readonly responseLatencyMs: number;
}

export const accessLogLine = (format: string, exchange: Exchange): string =>
  filledFormat(format, variablesOf(exchange));

/** Unknown variables and missing values become `-`, as API Gateway writes them. */
export function filledFormat(format: string, values: Values): string {
  return format.replace(VARIABLE, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : null;
    return value === undefined || value === null || value === "" ? "-" : String(value);
  });
}

/** By variable, without `$context.`. */
export type Values = { readonly [variable: string]: string | number | null };

function variablesOf(exchange: Exchange): Values {
  const { spec, request, answer, routeKey, integrationLatencyMs, responseLatencyMs } = exchange;
  return {
    accountId: spec.account,
    apiId: spec.apiId,
    domainName: request.domainName,
    domainPrefix: request.domainName.split(".")[0] ?? "",
    stage: spec.stage,
    requestId: request.requestId,
    extendedRequestId: request.requestId,
    requestTime: logTime(request.atEpochMs),
    requestTimeEpoch: request.atEpochMs,
    httpMethod: request.method,
    path: request.path,
    protocol: request.protocol,
    routeKey,
    status: answer.status,
    responseLength: request.method === "HEAD" ? 0 : answer.body.length,
    responseLatency: responseLatencyMs,
    "identity.sourceIp": request.sourceIp,
    "identity.userAgent": headerOf(request, "user-agent"),
    ...integrationVariables(answer, integrationLatencyMs),
    ...errorVariables(answer, integrationLatencyMs !== null),
  };
}

/** `integrationStatus` is the Lambda API's status, `integration.status` the function's own. */
function integrationVariables(answer: GatewayAnswer, latencyMs: number | null): Values {
  return {
    integrationStatus: answer.integrationStatus,
    integrationLatency: latencyMs,
    integrationErrorMessage: latencyMs === null ? "" : answer.error,
    awsEndpointRequestId: answer.lambdaRequestId,
    "integration.integrationStatus": answer.integrationStatus,
    "integration.status": answer.functionStatus,
    "integration.latency": latencyMs,
    "integration.error": latencyMs === null ? "" : answer.error,
    "integration.requestId": answer.lambdaRequestId,
  };
}

const RESPONSE_TYPES: { readonly [status: number]: string } = {
  401: "UNAUTHORIZED",
  403: "ACCESS_DENIED",
  404: "NOT_FOUND",
  413: "REQUEST_TOO_LARGE",
  429: "THROTTLED",
};

/** Filled for the gateway's own answers only, not for a status that the function chose. */
function errorVariables(answer: GatewayAnswer, isAsked: boolean): Values {
  if (answer.error === "") return {};
  const { message } = JSON.parse(answer.body.toString("utf8")) as { message: string };
  return {
    "error.message": message,
    "error.messageString": JSON.stringify(message),
    "error.responseType":
      RESPONSE_TYPES[answer.status] ?? (isAsked ? "INTEGRATION_FAILURE" : "AUTHORIZER_FAILURE"),
  };
}
