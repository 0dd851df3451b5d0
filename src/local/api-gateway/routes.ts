// Reads of API Gateway's control plane for HTTP APIs: from a host to the function behind it.
import { AwsError } from "../aws-error.ts";
import type { DeployedApi } from "../deployment.ts";
import type { RestAnswer, RestCall } from "../lambda/rest-call.ts";
import type { RestRoute } from "../rest-routes.ts";
import type { DomainMapping, DomainSpec } from "../template/api-types.ts";
import type { HttpApiRoute } from "../template/types.ts";
import type { World } from "../world.ts";
import {
  apiMappingIdOf,
  apiView,
  domainView,
  integrationIdOf,
  integrationView,
  mappingView,
  routeIdOf,
  routeView,
  stageView,
} from "./views.ts";

/** Items of one kind: all of them, how one is told from the others, and how it is shown. */
interface Collection<T> {
  all(world: World, call: RestCall): readonly T[];
  /** What stands in the path for one item. */
  readonly label: string;
  idOf(item: T): string;
  view(world: World, item: T): object;
  /** As in "Invalid Stage identifier specified". */
  readonly kind: string;
}

const PAGE_MAX = 500;

/** In pages of `maxResults`; the token is a position. */
function list<T>({ all, view }: Collection<T>, world: World, call: RestCall): RestAnswer {
  const items = all(world, call);
  const asked = Math.floor(Number(call.query.get("maxResults") ?? PAGE_MAX)) || PAGE_MAX;
  const size = Math.min(PAGE_MAX, Math.max(1, asked));
  const start = Math.max(0, Math.floor(Number(call.query.get("nextToken") ?? 0)) || 0);
  const end = start + size;
  const body = {
    items: items.slice(start, end).map((item) => view(world, item)),
    ...(end < items.length ? { nextToken: String(end) } : {}),
  };
  return { status: 200, body };
}

function find<T>(collection: Collection<T>, world: World, call: RestCall): T {
  const { all, idOf, kind, label } = collection;
  const wanted = call.labels[label] ?? "";
  const found = all(world, call).find((item) => idOf(item) === wanted);
  if (found !== undefined) return found;
  const named = `${world.account}:${wanted}`;
  throw new AwsError("NotFoundException", 404, `Invalid ${kind} identifier specified ${named}`);
}

const APIS: Collection<DeployedApi> = {
  all: ({ deployment }) => deployment.apis,
  label: "ApiId",
  idOf: ({ spec }) => spec.apiId,
  view: apiView,
  kind: "API",
};
const STAGES: Collection<DeployedApi> = {
  all: (world, call) => [find(APIS, world, call)],
  label: "StageName",
  idOf: ({ spec }) => spec.stage,
  view: stageView,
  kind: "Stage",
};
const ROUTES: Collection<HttpApiRoute> = {
  all: (world, call) => find(APIS, world, call).spec.routes,
  label: "RouteId",
  idOf: routeIdOf,
  view: routeView,
  kind: "Route",
};
const INTEGRATIONS: Collection<HttpApiRoute> = {
  ...ROUTES,
  label: "IntegrationId",
  idOf: integrationIdOf,
  view: integrationView,
  kind: "Integration",
};
const DOMAINS: Collection<DomainSpec> = {
  all: ({ deployment }) => deployment.domains,
  label: "DomainName",
  idOf: ({ name }) => name,
  view: domainView,
  kind: "domain name",
};
const MAPPINGS: Collection<DomainMapping> = {
  all: (world, call) => find(DOMAINS, world, call).mappings,
  label: "ApiMappingId",
  idOf: apiMappingIdOf,
  view: mappingView,
  kind: "API mapping",
};

/** `Get<one>s` lists the collection, `Get<one>` reads an item of it. */
function reads<T>(one: string, path: string, collection: Collection<T>): RestRoute[] {
  const common = { service: "apigatewayv2", method: "GET" };
  const { label, view } = collection;
  return [
    {
      ...common,
      name: `Get${one}s`,
      path,
      operation: (world, call) => list(collection, world, call),
      query: { MaxResults: "maxResults", NextToken: "nextToken" },
    },
    {
      ...common,
      name: `Get${one}`,
      path: `${path}/{${label}}`,
      operation: (world, call) => ({
        status: 200,
        body: view(world, find(collection, world, call)),
      }),
    },
  ];
}

export const API_GATEWAY_ROUTES: readonly RestRoute[] = [
  ...reads("Api", "/v2/apis", APIS),
  ...reads("Stage", "/v2/apis/{ApiId}/stages", STAGES),
  ...reads("Route", "/v2/apis/{ApiId}/routes", ROUTES),
  ...reads("Integration", "/v2/apis/{ApiId}/integrations", INTEGRATIONS),
  ...reads("DomainName", "/v2/domainnames", DOMAINS),
  ...reads("ApiMapping", "/v2/domainnames/{DomainName}/apimappings", MAPPINGS),
];
