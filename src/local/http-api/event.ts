// The event that an HTTP API sends to a Lambda function: payload format 2.0, and 1.0 on request.
import type { HttpApiSpec } from "../template/types.ts";
import { type GatewayRequest, headerOf, logTime } from "./gateway-request.ts";
import { decodeText, type RouteMatch } from "./routes.ts";

/** Content types whose bodies reach the function as text; all others as base64. */
const TEXT_TYPE =
  /^(text\/|application\/(json|javascript|xml)\b|application\/[^;]+\+(json|xml)\b)/i;
/** Between client and gateway only. */
export const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "te",
]);

type TextMap = { [name: string]: string };

/** JSON text. */
export function eventOf(
  spec: HttpApiSpec,
  request: GatewayRequest,
  match: RouteMatch,
  version: "1.0" | "2.0",
  caller?: object,
): string {
  if (version === "2.0") return JSON.stringify(eventV2(spec, request, match, caller));
  // Format 1.0 has no word for the kind of authorizer.
  return JSON.stringify(eventV1(spec, request, match, caller && Object.values(caller)[0]));
}

export interface AuthorizerAsked {
  readonly version: "1.0" | "2.0";
  readonly arn: string;
  readonly identity: readonly string[];
}

/** What a Lambda authorizer gets. */
export function authorizerEventOf(
  spec: HttpApiSpec,
  request: GatewayRequest,
  match: RouteMatch,
  { version, arn, identity }: AuthorizerAsked,
): object {
  if (version === "2.0") {
    const { body: _body, isBase64Encoded: _kind, ...event } = eventV2(spec, request, match);
    return { ...event, type: "REQUEST", routeArn: arn, identitySource: identity };
  }
  const source = identity.join(",");
  return {
    ...{ ...eventV1(spec, request, match), body: undefined, isBase64Encoded: undefined },
    ...{ type: "REQUEST", methodArn: arn, identitySource: source, authorizationToken: source },
  };
}

/**
 * Absent things are absent keys. The path is percent-decoded, which HTTP APIs do and REST APIs and
 * function URLs do not; cookies leave the headers for a list of their own.
 */
export function eventV2(
  spec: HttpApiSpec,
  request: GatewayRequest,
  match: RouteMatch,
  authorizer?: object,
) {
  const path = decodeText(request.path);
  const query = request.query === "" ? [] : [...new URLSearchParams(request.query)];
  const cookies = headerOf(request, "cookie");
  const headers = joinHeaders(request);
  delete headers.cookie;
  return {
    version: "2.0",
    routeKey: match.routeKey,
    rawPath: path,
    rawQueryString: request.query,
    ...(cookies === "" ? {} : { cookies: cookies.split(/[;,]\s*/) }),
    headers,
    ...(query.length === 0 ? {} : { queryStringParameters: join(query) }),
    requestContext: {
      accountId: spec.account,
      apiId: spec.apiId,
      ...(authorizer === undefined ? {} : { authorizer }),
      domainName: request.domainName,
      domainPrefix: prefixOf(request),
      http: {
        method: request.method,
        path,
        protocol: request.protocol,
        sourceIp: request.sourceIp,
        userAgent: headerOf(request, "user-agent"),
      },
      requestId: request.requestId,
      routeKey: match.routeKey,
      stage: spec.stage,
      time: logTime(request.atEpochMs),
      timeEpoch: request.atEpochMs,
    },
    ...(Object.keys(match.parameters).length === 0 ? {} : { pathParameters: match.parameters }),
    ...bodyOf(request),
  };
}

/** Absent things are null here, and the last of several values wins beside the multi-value maps. */
function eventV1(
  spec: HttpApiSpec,
  request: GatewayRequest,
  match: RouteMatch,
  authorizer?: object,
): object {
  const query = [...new URLSearchParams(request.query)];
  const path = decodeText(request.path);
  const { body = null, isBase64Encoded } = bodyOf(request);
  const resource = match.route.path;
  return {
    version: "1.0",
    resource,
    path,
    httpMethod: request.method,
    headers: Object.fromEntries(request.headers),
    multiValueHeaders: group(request.headers),
    queryStringParameters: query.length === 0 ? null : Object.fromEntries(query),
    multiValueQueryStringParameters: query.length === 0 ? null : group(query),
    requestContext: {
      accountId: spec.account,
      apiId: spec.apiId,
      ...(authorizer === undefined ? {} : { authorizer }),
      domainName: request.domainName,
      domainPrefix: prefixOf(request),
      extendedRequestId: request.requestId,
      httpMethod: request.method,
      identity: { sourceIp: request.sourceIp, userAgent: headerOf(request, "user-agent") },
      path,
      protocol: request.protocol,
      requestId: request.requestId,
      requestTime: logTime(request.atEpochMs),
      requestTimeEpoch: request.atEpochMs,
      resourceId: match.routeKey,
      resourcePath: resource,
      stage: spec.stage,
    },
    pathParameters: Object.keys(match.parameters).length === 0 ? null : match.parameters,
    stageVariables: null,
    body,
    isBase64Encoded,
  };
}

const prefixOf = ({ domainName }: GatewayRequest): string => domainName.split(".")[0] ?? "";

function joinHeaders(request: GatewayRequest): TextMap {
  const headers = emptyMap();
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase();
    if (!HOP_BY_HOP.has(key)) addTo(headers, key, value);
  }
  addTo(headers, "x-forwarded-for", request.sourceIp);
  addTo(headers, "x-forwarded-proto", "https");
  addTo(headers, "x-forwarded-port", "443");
  return headers;
}

/** Values of one name joined by commas, in order. */
function join(pairs: readonly (readonly [string, string])[]): TextMap {
  const joined = emptyMap();
  for (const [name, value] of pairs) addTo(joined, name, value);
  return joined;
}

/** Names are the client's: `__proto__` is one like any other. */
const emptyMap = (): TextMap => Object.create(null) as TextMap;

function addTo(map: TextMap, name: string, value: string): void {
  const before = map[name];
  map[name] = before === undefined ? value : `${before},${value}`;
}

export function group(pairs: readonly (readonly [string, string])[]): { [name: string]: string[] } {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = groups.get(name);
    if (values === undefined) groups.set(name, [value]);
    else values.push(value);
  }
  return Object.fromEntries(groups);
}

function bodyOf(request: GatewayRequest): { body?: string; isBase64Encoded: boolean } {
  if (request.body.length === 0) return { isBase64Encoded: false };
  const isText = TEXT_TYPE.test(headerOf(request, "content-type"));
  const packed = headerOf(request, "content-encoding") !== "";
  if (isText && !packed) return { body: request.body.toString("utf8"), isBase64Encoded: false };
  return { body: request.body.toString("base64"), isBase64Encoded: true };
}
