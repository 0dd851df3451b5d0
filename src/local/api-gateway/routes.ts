// Reads of API Gateway's control plane: HTTP APIs, stages, integrations, domains, mappings.
import { AwsError } from "../aws-error.ts";
import type { DeployedApi } from "../deployment.ts";
import type { RestAnswer, RestCall, RestOperation } from "../lambda/rest-call.ts";
import type { RestRoute } from "../rest-routes.ts";
import type { World } from "../world.ts";

const items = (list: readonly object[]): RestAnswer => ({ status: 200, body: { items: list } });

const apiView = (world: World, { apiId, name, endpoint }: DeployedApi): object => ({
  apiId,
  name,
  apiEndpoint: endpoint,
  protocolType: "HTTP",
  routeSelectionExpression: "$request.method $request.path",
  apiKeySelectionExpression: "$request.header.x-api-key",
  disableExecuteApiEndpoint: false,
  createdDate: new Date(world.deployment.createdMs).toISOString(),
});

function apiOf(world: World, { labels }: RestCall): DeployedApi {
  const found = world.deployment.apis.find(({ apiId }) => apiId === labels.ApiId);
  if (found !== undefined) return found;
  throw notFound(`Invalid API identifier specified ${world.account}:${labels.ApiId}`);
}

const getApis: RestOperation = (world) =>
  items(world.deployment.apis.map((api) => apiView(world, api)));

const getApi: RestOperation = (world, call) => ({
  status: 200,
  body: apiView(world, apiOf(world, call)),
});

const getStages: RestOperation = (world, call) => {
  const { stage } = apiOf(world, call);
  return items([
    { stageName: stage, autoDeploy: true, defaultRouteSettings: {}, stageVariables: {} },
  ]);
};

/** Each route's function, as an integration of its own. */
const getIntegrations: RestOperation = (world, call) =>
  items(
    apiOf(world, call).functions.map((arn, at) => ({
      integrationId: `integ${at}`,
      integrationType: "AWS_PROXY",
      integrationUri: arn,
      integrationMethod: "POST",
      connectionType: "INTERNET",
      payloadFormatVersion: "2.0",
      timeoutInMillis: 30_000,
    })),
  );

const getDomainNames: RestOperation = (world) =>
  items(
    world.deployment.apis.flatMap(({ domain, endpoint }) => {
      if (domain === null) return [];
      const configuration = {
        apiGatewayDomainName: new URL(endpoint).host,
        domainNameStatus: "AVAILABLE",
        endpointType: "REGIONAL",
        securityPolicy: "TLS_1_2",
      };
      return [{ domainName: domain, domainNameConfigurations: [configuration] }];
    }),
  );

const getApiMappings: RestOperation = (world, { labels }) => {
  const { apis } = world.deployment;
  const found = apis.filter(({ domain }) => domain !== null && domain === labels.DomainName);
  if (found.length === 0)
    throw notFound(`Invalid domain name identifier specified ${labels.DomainName}`);
  return items(
    found.map(({ apiId, stage }) => ({ apiId, stage, apiMappingId: apiId, apiMappingKey: "" })),
  );
};

const notFound = (message: string): AwsError => new AwsError("NotFoundException", 404, message);

const route = (name: string, path: string, operation: RestOperation): RestRoute => ({
  service: "apigatewayv2",
  name,
  method: "GET",
  path,
  operation,
});

export const API_GATEWAY_ROUTES: readonly RestRoute[] = [
  route("GetApis", "/v2/apis", getApis),
  route("GetApi", "/v2/apis/{ApiId}", getApi),
  route("GetStages", "/v2/apis/{ApiId}/stages", getStages),
  route("GetIntegrations", "/v2/apis/{ApiId}/integrations", getIntegrations),
  route("GetDomainNames", "/v2/domainnames", getDomainNames),
  route("GetApiMappings", "/v2/domainnames/{DomainName}/apimappings", getApiMappings),
];
