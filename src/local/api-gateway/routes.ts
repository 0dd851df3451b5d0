// Reads of API Gateway's control plane for HTTP APIs: apis, stages, domain names and mappings.
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

/** A template cannot declare a domain of its own here, so there is none. */
const getDomainNames: RestOperation = () => items([]);

const getApiMappings: RestOperation = (_, { labels }) => {
  throw notFound(`Invalid domain name identifier specified ${labels.DomainName}`);
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
  route("GetDomainNames", "/v2/domainnames", getDomainNames),
  route("GetApiMappings", "/v2/domainnames/{DomainName}/apimappings", getApiMappings),
];
