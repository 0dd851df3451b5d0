// Whose control planes are asked for the hosts of a scenario's loads, besides API Gateway's.
import { isLoopback } from "../core/loopback.ts";
import type { Load } from "../core/scenario.ts";

const API = /\.(?:execute-api|lambda-url)\.[a-z0-9-]+\.(?:amazonaws\.com|on\.aws)(?:\.cn)?$/;
const BALANCER = /\.elb\.amazonaws\.com(?:\.cn)?$/;

/** A domain of one's own may be a distribution's, and that may stand before a load balancer. */
export function frontsOf(loads: readonly Load[]) {
  const hosts = loads.flatMap(({ target }) => {
    if (target.kind !== "http" || !URL.canParse(target.url) || isLoopback(target.url)) return [];
    return [new URL(target.url).hostname];
  });
  const distributions = hosts.some((host) => !API.test(host) && !BALANCER.test(host));
  return { distributions, balancers: distributions || hosts.some((host) => BALANCER.test(host)) };
}

/** IAM's actions of their reads; none of them can be held to a resource. */
export function frontReads(loads: readonly Load[]): string[] {
  const { distributions, balancers } = frontsOf(loads);
  const kinds = balancers ? ["LoadBalancers", "Listeners", "TargetGroups", "TargetHealth"] : [];
  return [
    ...(distributions ? ["cloudfront:ListDistributions"] : []),
    ...kinds.map((kind) => `elasticloadbalancing:Describe${kind}`),
  ];
}
