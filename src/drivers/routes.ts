// Matches a request's method and raw path with the routes of a load: `METHOD /path/{param}`.
import type { Load } from "../core/scenario.ts";

/** Route code of a request: 1 + its position in the load's list, 0 = none of them. */
export type MatchRoute = (method: string, path: string) => number;

/** The first route that matches wins. `{name}` is one segment, `{name+}` is all that is left. */
export function routeMatcher(routes: Load["routes"]): MatchRoute {
  const patterns = routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  const known = new Map<string, number>();
  return (method, path) => {
    const mark = path.indexOf("?");
    const plain = mark < 0 ? path : path.slice(0, mark);
    const key = `${method} ${plain}`;
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    const code =
      1 + patterns.findIndex((one) => accepts(one.method, method) && one.pattern.test(plain));
    if (known.size < 50_000) known.set(key, code);
    return code;
  };
}

const accepts = (wanted: string, method: string): boolean =>
  wanted === method || wanted === "ANY" || wanted === "*";

function patternOf(path: string): RegExp {
  const source = path
    .split("/")
    .map((segment) => {
      if (/^\{[^}]+\+\}$/.test(segment)) return ".+";
      if (/^\{[^}]+\}$/.test(segment)) return "[^/]+";
      return segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    })
    .join("/");
  return new RegExp(`^${source}$`);
}
