// The stage's throttles of a REST API: each method has a bucket of its own, whoever set its size.
import { type RequestThrottle, requestThrottle } from "../../model/request-throttle.ts";
import type { MethodThrottle, RestMethod } from "../template/rest-types.ts";

/** null: no setting fits, so that only the account's throttle is left. */
export type ThrottleOf = (method: RestMethod) => RequestThrottle | null;

export function methodThrottles(throttles: readonly MethodThrottle[]): ThrottleOf {
  const buckets = new Map<RestMethod, RequestThrottle | null>();
  return (method) => {
    const found = buckets.get(method);
    if (found !== undefined) return found;
    const setting = mostSpecific(throttles, method);
    const made = setting === null ? null : requestThrottle(setting.ratePerSecond, setting.burst);
    buckets.set(method, made);
    return made;
  };
}

/** A resource before `/*`, a method before `*`. */
export function mostSpecific(
  throttles: readonly MethodThrottle[],
  { method, path }: RestMethod,
): MethodThrottle | null {
  const rank = (one: MethodThrottle): number =>
    (one.path === path ? 2 : 0) + (one.method === method ? 1 : 0);
  const fitting = throttles.filter(
    (one) =>
      (one.path === path || one.path === "/*") && (one.method === method || one.method === "*"),
  );
  return fitting.sort((a, b) => rank(b) - rank(a))[0] ?? null;
}
