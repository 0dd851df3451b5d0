// Which method of a REST API a request is for.
import { matchRoute, type RouteMatch } from "../http-api/routes.ts";
import type { RestMethod } from "../template/rest-types.ts";
import type { RestRequest } from "./exchange.ts";

/** The resource is chosen by the path alone, and must then have the method. */
export function matchMethod(
  methods: readonly RestMethod[],
  { pathInStage, method }: RestRequest,
): RouteMatch<RestMethod> | null {
  if (pathInStage === null) return null;
  const path = pathInStage.replace(/(?<=.)\/+$/, "");
  const resources = methods.map((one) => ({ ...one, method: "ANY" }));
  const resource = matchRoute(resources, method, path)?.route.path;
  const there = methods.filter((one) => one.path === resource);
  return matchRoute(there, method, path);
}
