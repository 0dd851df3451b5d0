// A REST API's access log: what is known of every request, and what its gates have noted.
import { filledFormat, type Values } from "../http-api/access-log.ts";
import { headerOf, logTime } from "../http-api/gateway-request.ts";
import { resourceIdOf } from "../template/api-names.ts";
import type { RestApiSpec } from "../template/rest-types.ts";
import type { RestAnswer } from "./answer.ts";
import type { RestRequest } from "./exchange.ts";

export interface Told {
  readonly request: RestRequest;
  readonly answer: RestAnswer;
  /** "" when no resource matched. */
  readonly resourcePath: string;
  readonly seen: Values;
  readonly responseLatencyMs: number;
}

export function restLogLine(format: string, spec: RestApiSpec, told: Told): string {
  return filledFormat(format, variablesOf(spec, told));
}

/** `$context` variables, without `$context.`. */
export function variablesOf(spec: RestApiSpec, told: Told): Values {
  const { request, answer, resourcePath, seen, responseLatencyMs } = told;
  return {
    accountId: spec.account,
    apiId: spec.apiId,
    domainName: request.domainName,
    domainPrefix: request.domainName.split(".")[0] ?? "",
    stage: spec.stage,
    requestId: request.requestId,
    extendedRequestId: request.extendedRequestId,
    requestTime: logTime(request.atEpochMs),
    requestTimeEpoch: request.atEpochMs,
    httpMethod: request.method,
    path: request.path,
    protocol: request.protocol,
    resourcePath,
    resourceId: resourcePath === "" ? "" : resourceIdOf(spec.logicalId, resourcePath),
    status: answer.status,
    responseLength: request.method === "HEAD" ? 0 : answer.body.length,
    responseLatency: responseLatencyMs,
    "identity.sourceIp": request.sourceIp,
    "identity.userAgent": headerOf(request, "user-agent"),
    xrayTraceId: request.trace.isSampled === null ? "" : request.trace.root,
    ...errorVariables(answer),
    ...seen,
  };
}

function errorVariables({ error }: RestAnswer): Values {
  if (error === null) return {};
  return {
    "error.message": error.message,
    "error.messageString": error.message === null ? null : JSON.stringify(error.message),
    "error.responseType": error.responseType,
  };
}
