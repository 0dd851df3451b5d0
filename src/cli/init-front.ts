// Which front, route and function of a deployed template a first scenario is about.

import { LOCAL_ENDPOINT_TAG } from "../aws/api-proof.ts";
import { createControlPlane } from "../aws/control-plane.ts";
import { LOCAL } from "./system.ts";

export interface Route {
  readonly method: string;
  /** As declared, without the stage. */
  readonly path: string;
  /** Of the function behind it, its alias included; null = none. */
  readonly functionArn: string | null;
}

export interface Front {
  /** The output that holds its URL. */
  readonly output: string;
  /** The output's value, slashes at its end included. */
  readonly url: string;
  readonly routes: readonly Route[];
  /** What the route answers to one GET; null = it was not asked. */
  readonly status: number | null;
  /** The route that is asked: the first that reads. */
  readonly chosen: Route | null;
  /** The other routes that read, and what each answered. */
  readonly others: readonly { readonly route: Route; readonly status: number | null }[];
}

type Item = { readonly [key: string]: unknown };
interface Listed {
  readonly endpoint: string;
  readonly routes: readonly Route[];
}

/** Null where no output is the URL of anything that listens. */
export async function deployedFront(
  endpoint: string,
  outputs: { readonly [name: string]: string },
): Promise<Front | null> {
  const isFront = ([, value]: [string, string]): boolean =>
    /^http:\/\/127\.0\.0\.1:\d+/.test(value) && !value.startsWith(`${endpoint}/`);
  const fronts = Object.entries(outputs).filter(isFront);
  const listed = await listFronts(endpoint);
  const withRoutes = fronts.map(([output, value]) => {
    const { routes = [] } = listed.find((front) => value.startsWith(front.endpoint)) ?? {};
    return { output, url: value, routes };
  });
  const front = withRoutes.find(({ routes }) => routes.length > 0) ?? withRoutes[0];
  if (front === undefined) return null;
  const reading = front.routes.filter(({ method }) => method === "GET" || method === "ANY");
  const [chosen = null, ...rest] = reading;
  const asked = front.routes.length === 0 || chosen !== null;
  const status = asked ? await statusOf(front.url + pathAfter(front.url, chosen)) : null;
  const others: Front["others"][number][] = [];
  for (const route of rest)
    others.push({ route, status: await statusOf(front.url + pathAfter(front.url, route)) });
  return { ...front, chosen, status, others };
}

/** `/orders/{id}` → `/orders/1`, for behind the URL of its front. */
export function pathAfter(url: string, route: Route | null): string {
  if (route === null || route.path === "/" || route.path === "$default") return "";
  const path = route.path.replaceAll(/\{[^}]+\}/g, "1");
  return url.endsWith("/") ? path.slice(1) : path;
}

async function statusOf(url: string): Promise<number | null> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(30_000), redirect: "manual" });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return null; // a first scenario can do without
  }
}

async function listFronts(endpoint: string): Promise<Listed[]> {
  const control = createControlPlane({
    endpoint,
    region: LOCAL.region,
    account: null,
    runId: "init",
  });
  const items = async (service: string, action: string, input = {}): Promise<Item[]> => {
    const answer = await control.call(service, action, input);
    return (answer.Items ?? answer.items ?? []) as Item[];
  };
  const http = (await items("apigatewayv2", "GetApis")).map(async (api): Promise<Listed> => {
    const of = { ApiId: String(api.ApiId) };
    const integrations = await items("apigatewayv2", "GetIntegrations", of);
    const routes = (await items("apigatewayv2", "GetRoutes", of)).map(({ RouteKey, Target }) => {
      const [method = "ANY", path = "$default"] = String(RouteKey).split(" ");
      const behind = integrations.find(({ IntegrationId: id }) => Target === `integrations/${id}`);
      const isDefault = method === "$default";
      const where = isDefault ? { method: "ANY", path: "$default" } : { method, path };
      return { ...where, functionArn: functionIn(behind?.IntegrationUri) };
    });
    return { endpoint: String(api.ApiEndpoint), routes };
  });
  const rest = (await items("apigateway", "GetRestApis")).map(async (api): Promise<Listed> => {
    const wanted = { restApiId: String(api.id), embed: ["methods"] };
    const routes = (await items("apigateway", "GetResources", wanted)).flatMap(methodsOf);
    return { endpoint: String((api.tags as Item)[LOCAL_ENDPOINT_TAG]), routes };
  });
  return Promise.all([...http, ...rest]);
}

function methodsOf({ path, resourceMethods }: Item): Route[] {
  const methods = Object.entries((resourceMethods ?? {}) as { [method: string]: Item });
  return methods.map(([method, { methodIntegration }]) => {
    const functionArn = functionIn((methodIntegration as Item | undefined)?.uri);
    return { method, path: String(path), functionArn };
  });
}

/** Also out of the URI by which API Gateway invokes it. */
const functionIn = (uri: unknown): string | null =>
  /arn:aws[a-z-]*:lambda:[^/]+:function:[^/]+/.exec(String(uri ?? ""))?.[0] ?? null;
