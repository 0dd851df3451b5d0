// The operations of REST JSON services: how a request finds its own, and a call makes a request.
import type { RestCall, RestOperation } from "./lambda/rest-call.ts";

export interface RestRoute {
  /** As in a universal target: `lambda`, `scheduler`, … */
  readonly service: string;
  /** API operation, e.g. `PutFunctionConcurrency`. */
  readonly name: string;
  readonly method: string;
  /** With `{Member}` for each part that names something; a trailing slash is ignored. */
  readonly path: string;
  readonly operation: RestOperation;
  /** Member of the input → key of the query. */
  readonly query?: { readonly [member: string]: string };
  /** What the query always has, where another operation has the same path without it. */
  readonly fixed?: { readonly [key: string]: string };
  /** Member of the input → header. */
  readonly headers?: { readonly [member: string]: string };
  /** Member that is the whole body. */
  readonly payload?: string;
}

export interface RouteMatch {
  readonly route: RestRoute;
  readonly labels: { readonly [member: string]: string };
}

/** The operation that a method and path ask for, its labels percent-decoded; null = none. */
export function routeMatcher(
  routes: readonly RestRoute[],
): (method: string, path: string, query: URLSearchParams) => RouteMatch | null {
  const compiled = routes.map((route) => ({
    route,
    members: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, member]) => member!),
    pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "([^/]+)")}/?$`),
  }));
  return (method, path, query) => {
    for (const { route, members, pattern } of compiled) {
      const { method: wanted, fixed = {} } = route;
      if (wanted !== method) continue;
      if (Object.entries(fixed).some(([key, value]) => query.get(key) !== value)) continue;
      const found = pattern.exec(path);
      if (found === null) continue;
      const labels = members.map((member, at) => [member, decoded(found[at + 1]!)]);
      return { route, labels: Object.fromEntries(labels) as RouteMatch["labels"] };
    }
    return null;
  };
}

/** A label that is no percent-encoding stays as it came, and names nothing. */
function decoded(label: string): string {
  try {
    return decodeURIComponent(label);
  } catch {
    return label;
  }
}

/** What an SDK would send for this input, without a wire in between. */
export function restCall(
  route: RestRoute,
  input: { readonly [member: string]: unknown },
): RestCall {
  const labels: { [member: string]: string } = {};
  const headers: { [name: string]: string } = {};
  const query = new URLSearchParams(route.fixed);
  const body: { [member: string]: unknown } = {};
  let payload = "";
  for (const [member, value] of Object.entries(input)) {
    const key = route.query?.[member];
    const header = route.headers?.[member];
    if (route.path.includes(`{${member}}`)) labels[member] = String(value);
    else if (key !== undefined) query.set(key, String(value));
    else if (header !== undefined) headers[header] = String(value);
    else if (member === route.payload) payload = String(value);
    else body[member] = value;
  }
  const text = route.payload === undefined ? JSON.stringify(body) : payload;
  const segment = Object.values(labels)[0] ?? "";
  return { segment, labels, query, headers, body: Buffer.from(text) };
}

/** What the API calls the members that a request carries; a payload is none of them. */
export function restInput(
  { query = {}, payload }: RestRoute,
  call: RestCall,
): { readonly [member: string]: unknown } {
  const asked = Object.entries(query).map(([member, key]) => [member, call.query.get(key)]);
  return {
    ...(payload === undefined ? parsed(call.body) : {}),
    ...Object.fromEntries(asked.filter(([, value]) => value !== null)),
    ...call.labels,
  };
}

function parsed(body: Buffer): object {
  try {
    const value: unknown = body.length === 0 ? {} : JSON.parse(body.toString());
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {}; // the operation itself says what is wrong with it
  }
}
