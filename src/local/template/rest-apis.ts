// The REST APIs of a template, with methods from functions' events.
import { GatecrashError } from "../../core/error.ts";
import { ACCOUNT_BURST, ACCOUNT_RATE_PER_SECOND } from "../../model/request-throttle.ts";
import { accessLogOf } from "./access-logs.ts";
import type { DomainSpec } from "./api-types.ts";
import { METHODS, methodOf } from "./http-apis.ts";
import { apiIdOf, IMPLICIT_REST_API, type Place, STACK, targetNameOf } from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";
import { authorizersOf } from "./rest-authorizers.ts";
import type {
  AuthorizerSpec,
  GatewayResponses,
  MethodThrottle,
  RestApiSpec,
  RestMethod,
} from "./rest-types.ts";
import type { FunctionResource } from "./schema.ts";
import type { RestApiResource } from "./schema-rest.ts";
import { scaledThrottle, throttledMethod } from "./usage-plans.ts";
import type { WebAclSpec } from "./waf-types.ts";

/** AWS's longest, which is also the default. */
const INTEGRATION_TIMEOUT_MS = 29_000;

export interface RestApiContext extends Place {
  readonly source: TemplateSource;
  readonly scale: number;
  readonly domains: readonly DomainSpec[];
  /** By stage ARN. */
  readonly webAcls: ReadonlyMap<string, WebAclSpec>;
  /** By API id. */
  readonly gatewayResponses: ReadonlyMap<string, GatewayResponses>;
}

/** Throws a `scenario` error: an event without an API, an unknown method, a method given twice. */
export function restApisOf(
  apis: ReadonlyMap<string, RestApiResource>,
  functions: ReadonlyMap<string, FunctionResource>,
  context: RestApiContext,
): RestApiSpec[] {
  const methods = methodsOf(apis, functions, context);
  return [...apis].map(([logicalId, { Properties: properties }]): RestApiSpec => {
    const apiId = apiIdOf(logicalId);
    const { region, account, scale, source } = context;
    const at = ["Resources", logicalId, "Properties", "AccessLogSetting"];
    const { StageName: stage } = properties;
    const stageArn = `arn:aws:apigateway:${region}::/restapis/${apiId}/stages/${stage}`;
    return {
      logicalId,
      apiId,
      name: properties.Name ?? STACK,
      stage,
      methods: methods.get(apiId) ?? [],
      accessLog: accessLogOf(properties.AccessLogSetting, source, at),
      tracing: properties.TracingEnabled ?? false,
      binaryTypes: (properties.BinaryMediaTypes ?? []).map((type) => type.replaceAll("~1", "/")),
      throttles: throttlesOf(properties, scale),
      webAcl: context.webAcls.get(stageArn) ?? null,
      gatewayResponses: context.gatewayResponses.get(apiId) ?? new Map(),
      domains: context.domains
        .flatMap(({ mappings }) => mappings)
        .filter((mapping) => mapping.apiId === apiId),
      account,
      region,
    };
  });
}

interface MethodDefaults {
  readonly into: RestMethod[];
  readonly apiKeyRequired: boolean;
  readonly authorizers: ReadonlyMap<string, AuthorizerSpec>;
  readonly authorizer: string | undefined;
}

/** By API id. */
function methodsOf(
  apis: ReadonlyMap<string, RestApiResource>,
  functions: ReadonlyMap<string, FunctionResource>,
  context: RestApiContext,
): Map<string, RestMethod[]> {
  const known = new Map(
    [...apis].map(([id, { Properties }]): [string, MethodDefaults] => [
      apiIdOf(id),
      {
        into: [],
        apiKeyRequired: Properties.Auth?.ApiKeyRequired ?? false,
        authorizers: authorizersOf(id, Properties, functions, context),
        authorizer: Properties.Auth?.DefaultAuthorizer,
      },
    ]),
  );
  for (const [logicalId, { Properties }] of functions)
    for (const [event, declared] of Object.entries(Properties.Events ?? {})) {
      if (declared.Type !== "Api") continue;
      const fail = (message: string): never => {
        const at = ["Resources", logicalId, "Properties", "Events", event];
        const place = context.source.placeOf(at);
        throw new GatecrashError("scenario", `event ${event}: ${message}`, { place });
      };
      const api =
        known.get(declared.Properties.RestApiId ?? apiIdOf(IMPLICIT_REST_API)) ??
        fail("RestApiId names no REST API here");
      const functionName = targetNameOf(logicalId, Properties);
      const made = restMethodOf(declared.Properties, functionName, api, fail);
      if (api.into.some(({ method, path }) => method === made.method && path === made.path))
        fail(`${made.method} ${made.path} is already taken`);
      api.into.push(made);
    }
  return new Map([...known].map(([id, { into }]) => [id, into]));
}

interface EventProperties {
  readonly Path: string;
  readonly Method: string;
  readonly Auth?:
    | { readonly ApiKeyRequired?: boolean | undefined; readonly Authorizer?: string | undefined }
    | undefined;
  readonly TimeoutInMillis?: number | undefined;
}

function restMethodOf(
  wanted: EventProperties,
  functionName: string,
  api: MethodDefaults,
  fail: (message: string) => never,
): RestMethod {
  const method = methodOf(wanted.Method);
  if (!METHODS.includes(method)) fail(`method ${method}`);
  const named = wanted.Auth?.Authorizer ?? api.authorizer ?? "NONE";
  return {
    method,
    path: wanted.Path === "/" ? "/" : wanted.Path.replace(/\/$/, ""),
    functionName,
    timeoutMs: wanted.TimeoutInMillis ?? INTEGRATION_TIMEOUT_MS,
    apiKeyRequired: wanted.Auth?.ApiKeyRequired ?? api.apiKeyRequired,
    ...(named === "AWS_IAM" ? { iam: true as const } : {}),
    authorizer:
      named === "NONE" || named === "AWS_IAM"
        ? null
        : (api.authorizers.get(named) ?? fail(`the API has no authorizer ${named}`)),
  };
}

/** What is not said is the account's. */
function throttlesOf(
  { MethodSettings: settings = [] }: RestApiResource["Properties"],
  scale: number,
): MethodThrottle[] {
  return settings.flatMap((setting): MethodThrottle[] => {
    const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = setting;
    if (rate === undefined && burst === undefined) return [];
    const given = {
      RateLimit: rate ?? ACCOUNT_RATE_PER_SECOND,
      BurstLimit: burst ?? ACCOUNT_BURST,
    };
    const path = setting.ResourcePath.replace(/^\/~1/, "/").replaceAll("~1", "/");
    const method = throttledMethod(setting.HttpMethod);
    return [{ method, path, ...scaledThrottle(given, scale) }];
  });
}
