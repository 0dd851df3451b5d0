// The REST APIs of a template, the implicit one included, with methods from functions' events.
import { GatecrashError } from "../../core/error.ts";
import { ACCOUNT_BURST, ACCOUNT_RATE_PER_SECOND } from "../../model/request-throttle.ts";
import { accessLogOf } from "./access-logs.ts";
import type { DomainSpec } from "./api-types.ts";
import { METHODS, methodOf } from "./http-apis.ts";
import {
  apiIdOf,
  IMPLICIT_REST_API,
  IMPLICIT_STAGE,
  type Place,
  STACK,
  targetNameOf,
} from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type { MethodThrottle, RestApiSpec, RestMethod } from "./rest-types.ts";
import type { FunctionResource } from "./schema.ts";
import type { RestApiResource } from "./schema-rest.ts";

/** AWS's longest, which is also the default. */
const INTEGRATION_TIMEOUT_MS = 29_000;

/** What SAM adds for events without a `RestApiId`. */
const IMPLICIT: RestApiResource["Properties"] = { StageName: IMPLICIT_STAGE };

export interface RestApiContext extends Place {
  readonly source: TemplateSource;
  readonly scale: number;
  readonly domains: readonly DomainSpec[];
}

/** Throws a `scenario` error: an event without an API, an unknown method, a method given twice. */
export function restApisOf(
  declared: ReadonlyMap<string, RestApiResource>,
  functions: ReadonlyMap<string, FunctionResource>,
  context: RestApiContext,
): RestApiSpec[] {
  const apis = new Map([...declared].map(([id, { Properties }]) => [id, Properties]));
  if (hasImplicitApi(functions)) apis.set(IMPLICIT_REST_API, IMPLICIT);
  const methods = methodsOf(apis, functions, context.source);
  return [...apis].map(([logicalId, properties]): RestApiSpec => {
    const apiId = apiIdOf(logicalId);
    const at = ["Resources", logicalId, "Properties", "AccessLogSetting"];
    return {
      logicalId,
      apiId,
      name: properties.Name ?? STACK,
      stage: properties.StageName,
      methods: methods.get(apiId) ?? [],
      accessLog: accessLogOf(properties.AccessLogSetting, context.source, at),
      tracing: properties.TracingEnabled ?? false,
      binaryTypes: (properties.BinaryMediaTypes ?? []).map((type) => type.replaceAll("~1", "/")),
      throttles: throttlesOf(properties, context.scale),
      domains: context.domains
        .flatMap(({ mappings }) => mappings)
        .filter((mapping) => mapping.apiId === apiId),
      account: context.account,
      region: context.region,
    };
  });
}

const hasImplicitApi = (functions: ReadonlyMap<string, FunctionResource>): boolean =>
  [...functions.values()].some(({ Properties }) =>
    Object.values(Properties.Events ?? {}).some(
      (event) => event.Type === "Api" && event.Properties.RestApiId === undefined,
    ),
  );

/** By API id. */
function methodsOf(
  apis: ReadonlyMap<string, unknown>,
  functions: ReadonlyMap<string, FunctionResource>,
  source: TemplateSource,
): Map<string, RestMethod[]> {
  const methods = new Map([...apis.keys()].map((id): [string, RestMethod[]] => [apiIdOf(id), []]));
  for (const [logicalId, { Properties }] of functions)
    for (const [event, declared] of Object.entries(Properties.Events ?? {})) {
      if (declared.Type !== "Api") continue;
      const { Properties: wanted } = declared;
      const fail = (message: string): never => {
        const place = source.placeOf(["Resources", logicalId, "Properties", "Events", event]);
        throw new GatecrashError("scenario", `event ${event}: ${message}`, { place });
      };
      const into = methods.get(wanted.RestApiId ?? apiIdOf(IMPLICIT_REST_API));
      if (into === undefined) return fail("RestApiId names no REST API here");
      const method = methodOf(wanted.Method);
      const path = wanted.Path === "/" ? "/" : wanted.Path.replace(/\/$/, "");
      if (!METHODS.includes(method)) fail(`method ${method}`);
      if (into.some((other) => other.method === method && other.path === path))
        fail(`${method} ${path} is already taken`);
      const functionName = targetNameOf(logicalId, Properties);
      const timeoutMs = wanted.TimeoutInMillis ?? INTEGRATION_TIMEOUT_MS;
      into.push({ method, path, functionName, timeoutMs });
    }
  return methods;
}

/**
 * What is not said is the account's. A burst stays at least one request, or scaling down would
 * refuse everything.
 */
function throttlesOf(
  { MethodSettings: settings = [] }: RestApiResource["Properties"],
  scale: number,
): MethodThrottle[] {
  return settings.flatMap((setting): MethodThrottle[] => {
    const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = setting;
    if (rate === undefined && burst === undefined) return [];
    return [
      {
        method: methodOf(setting.HttpMethod) === "ANY" ? "*" : methodOf(setting.HttpMethod),
        path: setting.ResourcePath.replace(/^\/~1/, "/").replaceAll("~1", "/"),
        ratePerSecond: (rate ?? ACCOUNT_RATE_PER_SECOND) * scale,
        burst: scaledBurst(burst ?? ACCOUNT_BURST, scale),
      },
    ];
  });
}

const scaledBurst = (burst: number, scale: number): number =>
  burst === 0 ? 0 : Math.max(1, Math.round(burst * scale));
