// The Lambda authorizers of a template's REST APIs.
import { GatecrashError } from "../../core/error.ts";
import { functionsByArn } from "./http-apis.ts";
import type { Place } from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type { AuthorizerSpec } from "./rest-types.ts";
import type { FunctionResource } from "./schema.ts";
import type { RestApiResource, RestAuthorizer } from "./schema-rest.ts";

/** As SAM leaves it in force. */
const CACHE_S = 300;

/** By name. Throws a `scenario` error: not a function of this template, not an expression. */
export function authorizersOf(
  logicalId: string,
  { Auth: auth }: RestApiResource["Properties"],
  functions: ReadonlyMap<string, FunctionResource>,
  { source, ...place }: Place & { readonly source: TemplateSource },
): ReadonlyMap<string, AuthorizerSpec> {
  const names = functionsByArn(functions, place);
  return new Map(
    Object.entries(auth?.Authorizers ?? {}).map(([name, given]) => {
      const fail = (message: string): never => {
        const at = ["Resources", logicalId, "Properties", "Auth", "Authorizers", name];
        const place = source.placeOf(at);
        throw new GatecrashError("scenario", `authorizer ${name}: ${message}`, { place });
      };
      const functionName =
        names.get(given.FunctionArn) ?? fail("FunctionArn is no function of this template");
      const cacheS = given.Identity?.ReauthorizeEvery ?? CACHE_S;
      const own = identityOf(given, fail);
      if (own.identity.length === 0 && cacheS > 0)
        fail("without Headers or QueryStrings it needs ReauthorizeEvery: 0");
      const type = given.FunctionPayloadType;
      return [name, { name, type, functionName, ...own, cacheS }];
    }),
  );
}

function identityOf(
  given: RestAuthorizer,
  fail: (message: string) => never,
): Pick<AuthorizerSpec, "identity" | "pattern"> {
  if (given.FunctionPayloadType === "TOKEN") {
    const { Header: header = "Authorization", ValidationExpression: pattern = null } =
      given.Identity ?? {};
    if (pattern !== null && !isExpression(pattern)) fail(`ValidationExpression ${pattern}`);
    return { identity: [{ in: "header", name: header.toLowerCase() }], pattern };
  }
  const { Headers: headers = [], QueryStrings: parameters = [] } = given.Identity ?? {};
  const identity = [
    ...headers.map((name) => ({ in: "header" as const, name: name.toLowerCase() })),
    ...parameters.map((name) => ({ in: "querystring" as const, name })),
  ];
  return { identity, pattern: null };
}

function isExpression(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
