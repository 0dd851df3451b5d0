// What a REST API sends back: the function's answer, or a gateway response by its type.
import type { InvokeOutcome } from "../function-host.ts";
import { FRAMING, isRecord, isSendable } from "../http-api/answer.ts";
import type { HttpAnswer } from "../wire/http1/answer-bytes.ts";
import { isBinary } from "./binary.ts";

export interface RestAnswer extends HttpAnswer {
  /** null: the function's own answer. */
  readonly error: {
    readonly responseType: ResponseType;
    readonly message: string | null;
    /** Of the type, whatever a team has made of it. */
    readonly status: number;
  } | null;
}

/** AWS's types of gateway responses, as they are by default; two of them say `null`. */
const RESPONSES = {
  ACCESS_DENIED: response(403, "AccessDeniedException", ""),
  AUTHORIZER_CONFIGURATION_ERROR: response(500, "AuthorizerConfigurationException", null),
  AUTHORIZER_FAILURE: response(500, "AuthorizerFailureException", null),
  DEFAULT_4XX: response(403, "ForbiddenException", "Forbidden"),
  DEFAULT_5XX: response(502, "InternalServerErrorException", "Internal server error"),
  INTEGRATION_FAILURE: response(500, "InternalServerErrorException", "Internal server error"),
  INTEGRATION_TIMEOUT: response(504, "InternalServerErrorException", "Endpoint request timed out"),
  INVALID_SIGNATURE: response(403, "InvalidSignatureException", "Forbidden"),
  INVALID_API_KEY: response(403, "ForbiddenException", "Forbidden"),
  MISSING_AUTHENTICATION_TOKEN: response(
    ...([403, "MissingAuthenticationTokenException", "Missing Authentication Token"] as const),
  ),
  QUOTA_EXCEEDED: response(429, "LimitExceededException", "Limit Exceeded"),
  REQUEST_TOO_LARGE: response(
    ...([413, "RequestTooLargeException", "HTTP content length exceeded 10485760 bytes."] as const),
  ),
  THROTTLED: response(429, "TooManyRequestsException", "Too Many Requests"),
  UNAUTHORIZED: response(401, "UnauthorizedException", "Unauthorized"),
  WAF_FILTERED: response(403, "ForbiddenException", "Forbidden"),
} as const;

export type ResponseType = keyof typeof RESPONSES;

interface GatewayResponse {
  readonly status: number;
  readonly errorType: string;
  readonly message: string | null;
}

function response(status: number, errorType: string, message: string | null): GatewayResponse {
  return { status, errorType, message };
}

/** Those of the integration come with a blank after the colon. */
const FROM_INTEGRATION: readonly ResponseType[] = [
  ...(["DEFAULT_5XX", "INTEGRATION_FAILURE", "INTEGRATION_TIMEOUT"] as const),
];

/** `message` instead of the type's own. */
export function gatewayResponse(responseType: ResponseType, message?: string): RestAnswer {
  const { status, errorType, message: own } = RESPONSES[responseType];
  const said = message ?? own;
  const blank = FROM_INTEGRATION.includes(responseType) ? " " : "";
  return {
    status,
    headers: [
      ["content-type", "application/json"],
      ["x-amzn-ErrorType", errorType],
    ],
    body: Buffer.from(`{"message":${blank}${JSON.stringify(said)}}`),
    error: { responseType, message: said, status },
  };
}

/** What of an invocation the access log tells beside the answer. */
export interface Integrated {
  readonly answer: RestAnswer;
  /** The Lambda API's own: 200 also for a function error; 0 = none. */
  readonly integrationStatus: number;
  readonly error: string;
}

/** A refused invoke is a 500 (AWS.md §4), a failed one and an unusable result a 502. */
export function answerOf(
  outcome: InvokeOutcome,
  binaryTypes: readonly string[],
  accept: string,
): Integrated {
  const failed = (type: ResponseType, integrationStatus: number, error: string): Integrated => ({
    answer: gatewayResponse(type),
    integrationStatus,
    error,
  });
  switch (outcome.kind) {
    case "throttled":
      return failed("INTEGRATION_FAILURE", 429, "Rate Exceeded.");
    case "not-found":
      return failed("INTEGRATION_FAILURE", 404, "There is no such function.");
    case "function-error":
      return failed("DEFAULT_5XX", 200, "The Lambda function returned an error.");
    case "ok": {
      const answer = readResult(outcome.payload, binaryTypes, accept);
      if (answer !== null) return { answer, integrationStatus: 200, error: "" };
      return failed("DEFAULT_5XX", 200, "Malformed Lambda proxy response");
    }
  }
}

type Fields = { readonly [name: string]: unknown };
const MEMBERS = ["statusCode", "headers", "multiValueHeaders", "body", "isBase64Encoded"];

/** No member must be there, and there may be no other. */
function readResult(
  payload: string,
  binaryTypes: readonly string[],
  accept: string,
): RestAnswer | null {
  const fields: unknown = JSON.parse(payload);
  if (!isRecord(fields) || Object.keys(fields).some((name) => !MEMBERS.includes(name))) return null;
  const { statusCode = 200, body = "", isBase64Encoded = false } = fields;
  const status = Number(statusCode);
  const headers = readHeaders(fields);
  if (!Number.isInteger(status) || status < 200 || status > 599 || headers === null) return null;
  if (body !== null && typeof body !== "string") return null;
  const isBytes = isBase64Encoded === true && isBinary(binaryTypes, accept);
  return {
    status,
    headers,
    body: Buffer.from(body ?? "", isBytes ? "base64" : "utf8"),
    error: null,
  };
}

/** Names that API Gateway keeps for itself; a function's go out under another. */
const REMAPPED = new Set(["authorization", "date", "server", "www-authenticate"]);
const remapped = (name: string): string =>
  REMAPPED.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name;

/** Single and multiple values of one name together; null: nothing that HTTP can carry. */
function readHeaders({ headers, multiValueHeaders }: Fields): RestAnswer["headers"] | null {
  const found = new Map<string, [name: string, values: string[]]>();
  const add = (name: string, value: unknown): boolean => {
    if (!["string", "number", "boolean"].includes(typeof value)) return false;
    const [, values] = found.get(name.toLowerCase()) ?? [remapped(name), []];
    if (!values.includes(String(value))) values.push(String(value));
    found.set(name.toLowerCase(), [remapped(name), values]);
    return true;
  };
  const pairs: [string, unknown][] = [];
  for (const [given, isMulti] of [[multiValueHeaders, true] as const, [headers, false] as const]) {
    if (given === undefined || given === null) continue;
    if (!isRecord(given)) return null;
    for (const [name, value] of Object.entries(given)) {
      if (isMulti && !Array.isArray(value)) return null;
      for (const each of [value].flat()) pairs.push([name, each]);
    }
  }
  if (!pairs.every(([name, value]) => add(name, value))) return null;
  for (const name of FRAMING) found.delete(name);
  if (!found.has("content-type")) add("content-type", "application/json");
  const all = [...found.values()].map(
    ([name, values]) => [name, values.length === 1 ? values[0]! : values] as const,
  );
  return all.every(isSendable) ? all : null;
}
