// The HTTP APIs of a template, the implicit one included, with routes from functions' events.
import { GatecrashError } from "../../core/error.ts";
import { accessLogOf } from "./access-logs.ts";
import type { DomainSpec } from "./api-types.ts";
import { type HttpAuth, type HttpAuthorizerSpec, httpAuthOf } from "./http-authorizers.ts";
import { apiIdOf, functionNameOf, IMPLICIT_API, type Place, targetNameOf } from "./names.ts";
import { openApiRoutes } from "./open-api.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type { FunctionResource, HttpApiResource } from "./schema.ts";
import type { HttpApiRoute, HttpApiSpec } from "./types.ts";

/** Integrations end after 30 s at the latest; that is also what SAM leaves in force. */
const INTEGRATION_TIMEOUT_MS = 30_000;
export const METHODS = ["ANY", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Throws a `scenario` error: an event without an API, an unknown method, a route given twice. */
export function httpApisOf(
  apis: ReadonlyMap<string, HttpApiResource | null>,
  functions: ReadonlyMap<string, FunctionResource>,
  domains: readonly DomainSpec[],
  { source, ...place }: Place & { readonly source: TemplateSource },
): HttpApiSpec[] {
  const routes = new Map(
    [...apis].map(([id, api]) => [apiIdOf(id), definedRoutes(id, api, functions, source, place)]),
  );
  const names = functionsByArn(functions, place);
  const auths = new Map(
    [...apis].map(([id, api]): [string, HttpAuth] => [
      ...([apiIdOf(id), httpAuthOf(id, api?.Properties?.Auth, names, source)] as const),
    ]),
  );
  for (const [logicalId, { Properties }] of functions)
    for (const [event, declared] of Object.entries(Properties.Events ?? {})) {
      if (declared.Type !== "HttpApi") continue;
      const wanted = declared.Properties ?? {};
      const path = ["Resources", logicalId, "Properties", "Events", event];
      const fail = (message: string): never => {
        throw new GatecrashError("scenario", message, { place: source.placeOf(path) });
      };
      const into = routes.get(wanted.ApiId ?? apiIdOf(IMPLICIT_API));
      if (into === undefined) return fail(`event ${event}: ApiId names no HTTP API here`);
      const api = auths.get(wanted.ApiId ?? apiIdOf(IMPLICIT_API));
      const authorizer = authorizerOf(wanted.Auth, api, (message) =>
        fail(`event ${event}: ${message}`),
      );
      const route = {
        ...routeOf(wanted, targetNameOf(logicalId, Properties)),
        ...(authorizer === null ? {} : { authorizer }),
      };
      if (!METHODS.includes(route.method)) fail(`event ${event}: method ${route.method}`);
      if (into.some(({ method, path: at }) => method === route.method && at === route.path))
        fail(`event ${event}: ${route.method} ${route.path} is already taken`);
      into.push(route);
    }
  return [...apis].map(([logicalId, resource]) => ({
    logicalId,
    apiId: apiIdOf(logicalId),
    stage: resource?.Properties?.StageName ?? "$default",
    routes: routes.get(apiIdOf(logicalId)) ?? [],
    accessLog: accessLogOf(resource?.Properties?.AccessLogSettings, source, [
      ...["Resources", logicalId, "Properties", "AccessLogSettings"],
    ]),
    domains: domains
      .flatMap(({ mappings }) => mappings)
      .filter(({ apiId }) => apiId === apiIdOf(logicalId)),
    account: place.account,
    region: place.region,
  }));
}

/** SAM adds the routes of events to those of a DefinitionBody. */
function definedRoutes(
  logicalId: string,
  api: HttpApiResource | null,
  functions: ReadonlyMap<string, FunctionResource>,
  source: TemplateSource,
  place: Place,
): HttpApiRoute[] {
  const body = api?.Properties?.DefinitionBody;
  if (body === undefined) return [];
  const path = ["Resources", logicalId, "Properties", "DefinitionBody"];
  return openApiRoutes(body, functionsByArn(functions, place), source, path);
}

/** Also with the alias under which one is published. */
export const functionsByArn = (
  functions: ReadonlyMap<string, FunctionResource>,
  { region, account }: Place,
): ReadonlyMap<string, string> =>
  new Map(
    [...functions].flatMap(([id, { Properties }]) =>
      [functionNameOf(id, Properties.FunctionName), targetNameOf(id, Properties)].map(
        (name): [string, string] => [`arn:aws:lambda:${region}:${account}:function:${name}`, name],
      ),
    ),
  );

/** The event's, else the API's; scopes of the event stand instead of the authorizer's. */
function authorizerOf(
  wanted: EventAuth | undefined,
  api: HttpAuth | undefined,
  fail: (message: string) => never,
): HttpAuthorizerSpec | null {
  const name = wanted?.Authorizer ?? api?.byDefault ?? "NONE";
  if (name === "NONE") return null;
  const found = api?.authorizers.get(name) ?? fail(`the API has no authorizer ${name}`);
  const scopes = wanted?.AuthorizationScopes;
  return found.kind === "jwt" && scopes !== undefined ? { ...found, scopes } : found;
}

interface EventAuth {
  readonly Authorizer?: string | undefined;
  readonly AuthorizationScopes?: readonly string[] | undefined;
}

interface EventProperties {
  readonly Path?: string | undefined;
  readonly Method?: string | undefined;
  readonly PayloadFormatVersion?: "1.0" | "2.0" | undefined;
  readonly TimeoutInMillis?: number | undefined;
}

function routeOf(event: EventProperties, functionName: string): HttpApiRoute {
  const everything = event.Path === undefined && event.Method === undefined;
  return {
    method: methodOf(event.Method ?? "ANY"),
    path: everything ? "$default" : (event.Path ?? "/"),
    integration: {
      kind: "lambda",
      functionName,
      payloadVersion: event.PayloadFormatVersion ?? "2.0",
    },
    timeoutMs: event.TimeoutInMillis ?? INTEGRATION_TIMEOUT_MS,
  };
}

/** Upper case, or `ANY`. */
export function methodOf(declared: string): string {
  const method = declared.toUpperCase();
  return method === "*" || method === "X-AMAZON-APIGATEWAY-ANY-METHOD" ? "ANY" : method;
}
