// Captured paths as the new system has them: an old stage taken off, beginnings replaced.
import type { HttpSpec } from "../core/scenario.ts";

/** The longest beginning that fits counts; without one the path stays as it is. */
export function rewritten(path: string, rewrites: HttpSpec["rewrites"] = []): string {
  const found = rewrites.find(({ from }) => startsPath(path, from));
  if (found === undefined) return path;
  const rest = path.slice(found.from.length);
  const slash = rest === "" || /^[/?]/.test(rest) ? "" : "/";
  const made = `${found.to.replace(/\/$/, "")}${slash}${rest}`;
  return made.startsWith("/") ? made : `/${made}`;
}

/** `/prod` begins `/prod`, `/prod/x` and `/prod?x`, not `/product`. */
const startsPath = (path: string, from: string): boolean =>
  path.startsWith(from) && (from.endsWith("/") || /^[/?]|^$/.test(path.slice(from.length)));
