// Reads of API Gateway's first control plane: REST APIs, their keys and plans, and domains.
import type { DeployedRestApi } from "../deployment.ts";
import type { RestRoute } from "../rest-routes.ts";
import type { DomainMapping, DomainSpec } from "../template/api-types.ts";
import type { ApiKeySpec, UsagePlanSpec } from "../template/usage-types.ts";
import { type Collection, find, read, reads, V1 } from "./collections.ts";
import { type RestResource, resourcesOf } from "./rest-resources.ts";
import {
  type ApiAuthorizer,
  type ApiMethod,
  apiKeyView,
  authorizerKeyOf,
  authorizerView,
  basePathOf,
  basePathView,
  methodView,
  planKeyView,
  resourceView,
  restApiView,
  restDomainView,
  restIntegrationView,
  restStageView,
  usagePlanView,
} from "./rest-views.ts";

const APIS: Collection<DeployedRestApi> = {
  all: ({ deployment }) => deployment.restApis,
  label: "restApiId",
  idOf: ({ spec }) => spec.apiId,
  view: restApiView,
  kind: "API",
};
const STAGES: Collection<DeployedRestApi> = {
  all: (world, call) => [find(APIS, world, call)],
  label: "stageName",
  idOf: ({ spec }) => spec.stage,
  view: restStageView,
  kind: "Stage",
};
const RESOURCES: Collection<RestResource> = {
  all: (world, call) => resourcesOf(find(APIS, world, call).spec),
  label: "resourceId",
  idOf: ({ id }) => id,
  view: resourceView,
  kind: "Resource",
};
const METHODS: Collection<ApiMethod> = {
  all: (world, call) => {
    const { api, methods } = find(RESOURCES, world, call);
    return methods.map((method) => ({ api, method }));
  },
  label: "httpMethod",
  idOf: ({ method }) => method.method,
  view: methodView,
  kind: "Method",
};
const AUTHORIZERS: Collection<ApiAuthorizer> = {
  all: (world, call) => {
    const api = find(APIS, world, call).spec;
    const used = api.methods.flatMap(({ authorizer }) => (authorizer === null ? [] : [authorizer]));
    return [...new Set(used)].map((authorizer) => ({ api, authorizer }));
  },
  label: "authorizerId",
  idOf: authorizerKeyOf,
  view: authorizerView,
  kind: "Authorizer",
};
const DOMAINS: Collection<DomainSpec> = {
  all: ({ deployment }) => deployment.domains,
  label: "domainName",
  idOf: ({ name }) => name,
  view: restDomainView,
  kind: "domain name",
};
const BASE_PATHS: Collection<DomainMapping> = {
  all: (world, call) => find(DOMAINS, world, call).mappings,
  label: "basePath",
  idOf: basePathOf,
  view: basePathView,
  kind: "base path mapping",
};
const KEYS: Collection<ApiKeySpec> = {
  all: ({ deployment }, { query }) =>
    deployment.usage.keys.filter(({ name }) => name.startsWith(query.get("name") ?? "")),
  label: "apiKey",
  idOf: ({ id }) => id,
  view: apiKeyView,
  kind: "API Key",
};
const PLANS: Collection<UsagePlanSpec> = {
  all: ({ deployment }, { query }) => {
    const key = query.get("keyId");
    const { plans } = deployment.usage;
    return key === null ? plans : plans.filter(({ keys }) => keys.some(({ id }) => id === key));
  },
  label: "usagePlanId",
  idOf: ({ id }) => id,
  view: usagePlanView,
  kind: "Usage Plan",
};
const PLAN_KEYS: Collection<ApiKeySpec> = {
  all: (world, call) => find(PLANS, world, call).keys,
  label: "keyId",
  idOf: ({ id }) => id,
  view: planKeyView,
  kind: "Usage Plan Key",
};

const METHOD = "/restapis/{restApiId}/resources/{resourceId}/methods/{httpMethod}";

export const REST_API_ROUTES: readonly RestRoute[] = [
  ...reads(V1, "RestApi", "/restapis", APIS),
  ...reads(V1, "Stage", "/restapis/{restApiId}/stages", STAGES),
  ...reads(V1, "Resource", "/restapis/{restApiId}/resources", RESOURCES),
  ...reads(V1, "Authorizer", "/restapis/{restApiId}/authorizers", AUTHORIZERS),
  read(V1, "Method", METHOD, METHODS),
  read(V1, "Integration", `${METHOD}/integration`, { ...METHODS, view: restIntegrationView }),
  ...reads(V1, "DomainName", "/domainnames", DOMAINS),
  ...reads(V1, "BasePathMapping", "/domainnames/{domainName}/basepathmappings", BASE_PATHS),
  ...reads(V1, "ApiKey", "/apikeys", KEYS),
  ...reads(V1, "UsagePlan", "/usageplans", PLANS),
  ...reads(V1, "UsagePlanKey", "/usageplans/{usagePlanId}/keys", PLAN_KEYS),
];
