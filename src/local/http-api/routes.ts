// Which route of an API serves a request: the most specific one, as API Gateway chooses.
import type { HttpApiRoute } from "../template/types.ts";

export interface Routed {
  /** Upper case, or `ANY`. */
  readonly method: string;
  readonly path: string;
}

export interface RouteMatch<R extends Routed = HttpApiRoute> {
  readonly route: R;
  /** `POST /checkout`, or `$default`. */
  readonly routeKey: string;
  /** Decoded values of `{name}` and `{name+}`. */
  readonly parameters: { readonly [name: string]: string };
}

const DEFAULT_ROUTE = "$default";
const PARAMETER = /^\{([^+}]+)(\+?)\}$/;

/** `path` without stage and query, still encoded. Null when nothing matches: 404. */
export function matchRoute<R extends Routed>(
  routes: readonly R[],
  method: string,
  path: string,
): RouteMatch<R> | null {
  let best: { match: RouteMatch<R>; rank: string } | null = null;
  for (const route of routes) {
    if (route.method !== "ANY" && route.method !== method) continue;
    const found = route.path === DEFAULT_ROUTE ? anything() : matchPath(route.path, path);
    if (found === null) continue;
    // Compared as text: segment by segment, then a named method before ANY.
    const rank = found.rank + (route.method === "ANY" ? "a" : "b");
    if (best !== null && rank <= best.rank) continue;
    const routeKey = route.path === DEFAULT_ROUTE ? DEFAULT_ROUTE : `${route.method} ${route.path}`;
    best = { match: { route, routeKey, parameters: found.parameters }, rank };
  }
  return best?.match ?? null;
}

interface PathMatch {
  readonly parameters: { [name: string]: string };
  /** A letter per segment: `3` literal, `2` parameter, `1` greedy; `0` for `$default`. */
  readonly rank: string;
}

const anything = (): PathMatch => ({ parameters: {}, rank: "0" });

function matchPath(pattern: string, path: string): PathMatch | null {
  const wanted = pattern.split("/").slice(1);
  const given = path.split("/").slice(1);
  const parameters: { [name: string]: string } = {};
  let rank = "";
  for (const [index, segment] of wanted.entries()) {
    const value = given[index];
    if (value === undefined) return null;
    const [, name, greedy] = PARAMETER.exec(segment) ?? [];
    if (name === undefined) {
      if (decodeText(value) !== segment) return null;
      rank += "3";
    } else if (greedy === "+") {
      const rest = given.slice(index).join("/");
      if (rest === "") return null;
      return { parameters: { ...parameters, [name]: decodeText(rest) }, rank: `${rank}1` };
    } else {
      if (value === "") return null;
      parameters[name] = decodeText(value);
      rank += "2";
    }
  }
  return given.length === wanted.length ? { parameters, rank } : null;
}

/** Percent-decoding that leaves malformed text as it came. */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
