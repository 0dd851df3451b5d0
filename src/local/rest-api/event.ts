// The event that a REST API sends to a Lambda function: payload format 1.0, as REST APIs write it.
import { group, HOP_BY_HOP } from "../http-api/event.ts";
import { headerOf, logTime } from "../http-api/gateway-request.ts";
import type { Signer } from "../iam/signed-request.ts";
import { resourceIdOf } from "../template/api-names.ts";
import { stableId } from "../template/names.ts";
import type { RestApiSpec } from "../template/rest-types.ts";
import { isBinary } from "./binary.ts";
import type { Exchange, RestRequest } from "./exchange.ts";

/** The path stays encoded and is without the stage; path parameters are decoded. */
export function eventOf(spec: RestApiSpec, exchange: Exchange): object {
  const { request } = exchange;
  const isBase64Encoded = isBinary(spec.binaryTypes, headerOf(request, "content-type"));
  const body = request.body.toString(isBase64Encoded ? "base64" : "utf8");
  return {
    ...parametersOf(spec, exchange),
    requestContext: requestContextOf(spec, exchange),
    body: body === "" ? null : body,
    isBase64Encoded: body !== "" && isBase64Encoded,
  };
}

/** What an authorizer of type REQUEST gets. */
export const authorizerEventOf = (
  spec: RestApiSpec,
  exchange: Exchange,
  methodArn: string,
): object => ({
  type: "REQUEST",
  methodArn,
  ...parametersOf(spec, exchange),
  requestContext: requestContextOf(spec, exchange),
});

function parametersOf(spec: RestApiSpec, { request, match }: Exchange): object {
  const query = [...new URLSearchParams(request.query)];
  const headers = headersOf(request);
  return {
    resource: match.route.path,
    path: pathOf(spec, request),
    httpMethod: request.method,
    headers: Object.fromEntries(headers),
    multiValueHeaders: group(headers),
    queryStringParameters: query.length === 0 ? null : Object.fromEntries(query),
    multiValueQueryStringParameters: query.length === 0 ? null : group(query),
    pathParameters: Object.keys(match.parameters).length === 0 ? null : match.parameters,
    stageVariables: null,
  };
}

/** A custom domain's path keeps its mapping. */
const pathOf = ({ apiId }: RestApiSpec, { path, pathInStage, domainName }: RestRequest): string =>
  domainName.startsWith(`${apiId}.`) ? (pathInStage ?? path) : path;

function headersOf(request: RestRequest): [string, string][] {
  const own = request.headers.filter(
    ([name]) => !HOP_BY_HOP.has(name.toLowerCase()) && name.toLowerCase() !== "x-amzn-trace-id",
  );
  return [
    ...own.map(([name, value]): [string, string] => [name, value]),
    ["X-Amzn-Trace-Id", request.trace.header],
    ["X-Forwarded-For", request.sourceIp],
    ["X-Forwarded-Port", "443"],
    ["X-Forwarded-Proto", "https"],
  ];
}

/** Who the caller is, for APIs that ask nobody to say so. */
const NOBODY = {
  ...{ accessKey: null, accountId: null, caller: null, cognitoAuthenticationProvider: null },
  ...{ cognitoAuthenticationType: null, cognitoIdentityId: null, cognitoIdentityPoolId: null },
  ...{ principalOrgId: null, user: null, userArn: null },
};

const signedBy = ({ accessKey, accountId, callerId, userArn }: Signer): object => ({
  ...{ accessKey, accountId, caller: callerId, user: callerId, userArn },
});

function requestContextOf(spec: RestApiSpec, exchange: Exchange): object {
  const { request, match, authorizer, signer, apiKey } = exchange;
  const { path } = match.route;
  return {
    accountId: spec.account,
    apiId: spec.apiId,
    ...(authorizer === null ? {} : { authorizer }),
    deploymentId: deploymentIdOf(spec),
    domainName: request.domainName,
    domainPrefix: request.domainName.split(".")[0] ?? "",
    extendedRequestId: request.extendedRequestId,
    httpMethod: request.method,
    identity: {
      ...NOBODY,
      ...(signer === null ? {} : signedBy(signer)),
      ...(apiKey === null ? {} : { apiKey: apiKey.value, apiKeyId: apiKey.id }),
      sourceIp: request.sourceIp,
      userAgent: headerOf(request, "user-agent") || null,
    },
    path: request.path,
    protocol: request.protocol,
    requestId: request.requestId,
    requestTime: logTime(request.atEpochMs),
    requestTimeEpoch: request.atEpochMs,
    resourceId: resourceIdOf(spec.logicalId, path),
    resourcePath: path,
    stage: spec.stage,
  };
}

export const deploymentIdOf = ({ logicalId }: RestApiSpec): string =>
  stableId(`deployment ${logicalId}`, 6);
