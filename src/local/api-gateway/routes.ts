// Reads of API Gateway's control plane for HTTP APIs: from a host to the function behind it.
import type { DeployedApi } from "../deployment.ts";
import type { RestRoute } from "../rest-routes.ts";
import type { DomainMapping, DomainSpec } from "../template/api-types.ts";
import type { HttpApiRoute } from "../template/types.ts";
import { type Collection, find, reads, V2 } from "./collections.ts";
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

export const API_GATEWAY_ROUTES: readonly RestRoute[] = [
  ...reads(V2, "Api", "/v2/apis", APIS),
  ...reads(V2, "Stage", "/v2/apis/{ApiId}/stages", STAGES),
  ...reads(V2, "Route", "/v2/apis/{ApiId}/routes", ROUTES),
  ...reads(V2, "Integration", "/v2/apis/{ApiId}/integrations", INTEGRATIONS),
  ...reads(V2, "DomainName", "/v2/domainnames", DOMAINS),
  ...reads(V2, "ApiMapping", "/v2/domainnames/{DomainName}/apimappings", MAPPINGS),
];
