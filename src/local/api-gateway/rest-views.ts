// What API Gateway's first control plane says of REST APIs: stages, methods, keys, plans, domains.
import type { DeployedRestApi } from "../deployment.ts";
import type { RestCall } from "../lambda/rest-call.ts";
import { deploymentIdOf } from "../rest-api/event.ts";
import { resourceIdOf } from "../template/api-names.ts";
import type { DomainMapping, DomainSpec } from "../template/api-types.ts";
import { gatewayDomainOf } from "../template/data-names.ts";
import { stableId } from "../template/names.ts";
import type {
  AuthorizerSpec,
  MethodThrottle,
  RestApiSpec,
  RestMethod,
  ThrottleSpec,
} from "../template/rest-types.ts";
import type { ApiKeySpec, UsagePlanSpec } from "../template/usage-types.ts";
import type { World } from "../world.ts";
import type { RestResource } from "./rest-resources.ts";

const MS_PER_S = 1_000;
/** Dates go over the wire in seconds. */
const createdOf = ({ deployment }: World): number => Math.floor(deployment.createdMs / MS_PER_S);

/** AWS tells nobody where a REST API answers; here that is in a tag of ours. */
export const restApiView = (world: World, { spec, endpoint }: DeployedRestApi): object => ({
  id: spec.apiId,
  name: spec.name,
  createdDate: createdOf(world),
  apiKeySource: "HEADER",
  endpointConfiguration: { types: ["REGIONAL"], ipAddressType: "ipv4" },
  ...(spec.binaryTypes.length === 0 ? {} : { binaryMediaTypes: spec.binaryTypes }),
  disableExecuteApiEndpoint: false,
  rootResourceId: resourceIdOf(spec.logicalId, "/"),
  tags: { "gatecrash:endpoint": endpoint },
});

export function restStageView(world: World, { spec }: DeployedRestApi): object {
  const { accessLog, webAcl } = spec;
  const settings = spec.throttles.map((one) => [settingKeyOf(one), settingOf(one)]);
  const where = `arn:aws:logs:${world.region}:${world.account}:log-group`;
  return {
    deploymentId: deploymentIdOf(spec),
    stageName: spec.stage,
    cacheClusterEnabled: false,
    cacheClusterStatus: "NOT_AVAILABLE",
    methodSettings: Object.fromEntries(settings),
    tracingEnabled: spec.tracing,
    createdDate: createdOf(world),
    lastUpdatedDate: createdOf(world),
    ...(accessLog === null
      ? {}
      : {
          accessLogSettings: {
            format: accessLog.format,
            destinationArn: `${where}:${accessLog.group}`,
          },
        }),
    ...(webAcl === null ? {} : { webAclArn: webAcl.arn }),
  };
}

/** A star for all, else the resource with `~1` for its slashes; then the method. */
function settingKeyOf({ path, method }: MethodThrottle): string {
  const resource = path === "/*" ? "*" : path.replaceAll("/", "~1");
  return `${resource}/${method}`;
}

const settingOf = ({ ratePerSecond, burst }: ThrottleSpec): object => ({
  metricsEnabled: false,
  loggingLevel: "OFF",
  dataTraceEnabled: false,
  throttlingBurstLimit: burst,
  throttlingRateLimit: ratePerSecond,
  cachingEnabled: false,
  cacheTtlInSeconds: 300,
  cacheDataEncrypted: false,
  requireAuthorizationForCacheControl: true,
  unauthorizedCacheControlHeaderStrategy: "SUCCEED_WITH_RESPONSE_HEADER",
});

/** Methods are whole where `embed=methods` asks for them, and named otherwise. */
export function resourceView(world: World, resource: RestResource, { query }: RestCall): object {
  const { api, id, parentId, path, methods } = resource;
  const isWhole = query.getAll("embed").includes("methods");
  const shown = methods.map((method) => [
    method.method,
    isWhole ? methodView(world, { api, method }) : {},
  ]);
  return {
    id,
    path,
    ...(parentId === null ? {} : { parentId, pathPart: path.slice(path.lastIndexOf("/") + 1) }),
    ...(methods.length === 0 ? {} : { resourceMethods: Object.fromEntries(shown) }),
  };
}

export interface ApiMethod {
  readonly api: RestApiSpec;
  readonly method: RestMethod;
}

export const methodView = (world: World, of: ApiMethod): object => ({
  httpMethod: of.method.method,
  authorizationType:
    of.method.iam === true ? "AWS_IAM" : of.method.authorizer === null ? "NONE" : "CUSTOM",
  ...(of.method.authorizer === null
    ? {}
    : { authorizerId: authorizerIdOf(of.api, of.method.authorizer) }),
  apiKeyRequired: of.method.apiKeyRequired,
  methodIntegration: restIntegrationView(world, of),
});

export const restIntegrationView = (world: World, { api, method }: ApiMethod): object => ({
  type: "AWS_PROXY",
  httpMethod: "POST",
  uri: invocationOf(world, method.functionName),
  passthroughBehavior: "WHEN_NO_MATCH",
  timeoutInMillis: method.timeoutMs,
  cacheNamespace: resourceIdOf(api.logicalId, method.path),
  cacheKeyParameters: [],
});

function invocationOf({ region, functions }: World, functionName: string): string {
  const lambda = `arn:aws:apigateway:${region}:lambda:path/2015-03-31`;
  return `${lambda}/functions/${functions.arn(functionName)}/invocations`;
}

const authorizerIdOf = ({ logicalId }: RestApiSpec, { name }: AuthorizerSpec): string =>
  stableId(`authorizer ${logicalId} ${name}`, 6);

export interface ApiAuthorizer {
  readonly api: RestApiSpec;
  readonly authorizer: AuthorizerSpec;
}

export const authorizerKeyOf = ({ api, authorizer }: ApiAuthorizer): string =>
  authorizerIdOf(api, authorizer);

export const authorizerView = (world: World, of: ApiAuthorizer): object => {
  const { name, type, functionName, identity, pattern, cacheS } = of.authorizer;
  const sources = identity.map((one) => `method.request.${one.in}.${one.name}`);
  return {
    id: authorizerKeyOf(of),
    name,
    type,
    authType: "custom",
    authorizerUri: invocationOf(world, functionName),
    identitySource: sources.join(","),
    ...(pattern === null ? {} : { identityValidationExpression: pattern }),
    authorizerResultTtlInSeconds: cacheS,
  };
};

/** Its value only where it is asked for. */
export const apiKeyView = (world: World, key: ApiKeySpec, { query }: RestCall): object => ({
  id: key.id,
  ...(["includeValue", "includeValues"].some((name) => query.get(name) === "true")
    ? { value: key.value }
    : {}),
  name: key.name,
  enabled: key.enabled,
  createdDate: createdOf(world),
  lastUpdatedDate: createdOf(world),
  stageKeys: [],
});

export function usagePlanView(_: World, { id, name, stages, throttle, quota }: UsagePlanSpec) {
  return {
    id,
    name,
    apiStages: stages.map(({ apiId, stage, throttles }) => ({
      apiId,
      stage,
      ...(throttles.length === 0
        ? {}
        : {
            throttle: Object.fromEntries(
              throttles.map((one) => [`${one.path}/${one.method}`, throttleView(one)]),
            ),
          }),
    })),
    ...(throttle === null ? {} : { throttle: throttleView(throttle) }),
    ...(quota === null ? {} : { quota }),
  };
}

const throttleView = ({ ratePerSecond, burst }: ThrottleSpec): object => ({
  burstLimit: burst,
  rateLimit: ratePerSecond,
});

export const planKeyView = (_: World, { id, name, value }: ApiKeySpec): object => ({
  ...{ id, type: "API_KEY", value, name },
});

export const restDomainView = (world: World, { name }: DomainSpec): object => ({
  domainName: name,
  domainNameArn: `arn:aws:apigateway:${world.region}::/domainnames/${name}`,
  regionalDomainName: gatewayDomainOf(name, world),
  endpointConfiguration: { types: ["REGIONAL"], ipAddressType: "ipv4" },
  domainNameStatus: "AVAILABLE",
  securityPolicy: "TLS_1_2",
});

/** What stands for the whole domain. */
export const basePathOf = ({ key }: DomainMapping): string => (key === "" ? "(none)" : key);

export const basePathView = (_: World, mapping: DomainMapping): object => ({
  basePath: basePathOf(mapping),
  restApiId: mapping.apiId,
  stage: mapping.stage,
});
