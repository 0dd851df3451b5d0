// Parameters of a service integration: fixed text, or parts of the request.
import { type GatewayRequest, headerOf } from "./gateway-request.ts";
import type { RouteMatch } from "./routes.ts";

type Mapping = { readonly [name: string]: string };

/** The parameters with `$request.…` filled in; one whose part is missing is left out. */
export function filled(parameters: Mapping, request: GatewayRequest, match: RouteMatch): Mapping {
  const found: { [name: string]: string } = {};
  for (const [name, expression] of Object.entries(parameters)) {
    const value = expanded(expression, request, match);
    if (value !== null) found[name] = value;
  }
  return found;
}

/** `$request.body` alone, or text with `${request.body.name}` in it. */
function expanded(expression: string, request: GatewayRequest, match: RouteMatch): string | null {
  if (/^\$(request|context)\./.test(expression)) return partOf(expression.slice(1), request, match);
  return expression.replaceAll(
    /\$\{((?:request|context)\.[^}]+)\}/g,
    (_, path: string) => partOf(path, request, match) ?? "",
  );
}

function partOf(path: string, request: GatewayRequest, match: RouteMatch): string | null {
  const [root, part = "", ...rest] = path.split(".");
  const name = rest.join(".");
  if (root === "context") return contextOf([part, ...rest].join("."), request, match);
  switch (part) {
    case "body":
      return name === "" ? request.body.toString("utf8") : memberOf(request.body, rest);
    case "header":
      return headerOf(request, name.toLowerCase()) || null;
    case "querystring":
      return new URLSearchParams(request.query).get(name);
    case "path":
      return name === "" ? request.path : (match.parameters[name] ?? null);
    default:
      return null;
  }
}

function contextOf(name: string, request: GatewayRequest, match: RouteMatch): string | null {
  const known: Mapping = {
    requestId: request.requestId,
    httpMethod: request.method,
    path: request.path,
    routeKey: match.routeKey,
    requestTimeEpoch: String(request.atEpochMs),
    "identity.sourceIp": request.sourceIp,
  };
  return known[name] ?? null;
}

/** A member of a JSON body: texts as they are, everything else as JSON. */
function memberOf(body: Buffer, path: readonly string[]): string | null {
  let at: unknown;
  try {
    at = JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return null;
    at = (at as { [key: string]: unknown })[key];
  }
  return typeof at === "string" ? at : JSON.stringify(at);
}
