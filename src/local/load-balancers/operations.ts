// What the control plane of load balancers says; no load balancer answers here.
import { AwsError } from "../aws-error.ts";
import type { QueryCall, XmlTree } from "../wire/aws-query.ts";
import type { World } from "../world.ts";

export const LOAD_BALANCER_NAMESPACE = "http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/";
const PAGE_MAX = 400;

/** `LoadBalancerArns.member.1`, `.2`, …; null = none was given. */
function given({ form }: QueryCall, member: string): string[] | null {
  const pattern = new RegExp(`^${member}\\.member\\.\\d+$`);
  const found = [...form].filter(([key]) => pattern.test(key)).map(([, value]) => value);
  return found.length === 0 ? null : found;
}

function paged<T>(call: QueryCall, all: readonly T[], shown: (one: T) => XmlTree, name: string) {
  const start = Math.max(0, Math.floor(Number(call.form.get("Marker") ?? 0)) || 0);
  const size = Math.min(PAGE_MAX, Math.max(1, Number(call.form.get("PageSize")) || PAGE_MAX));
  const end = start + size;
  return {
    [name]: { member: all.slice(start, end).map(shown) },
    ...(end < all.length ? { NextMarker: String(end) } : {}),
  };
}

const notFound = (code: string, what: string): AwsError =>
  new AwsError(code, 400, `One or more ${what} not found`);

function describeLoadBalancers(world: World, call: QueryCall): XmlTree {
  const { balancers } = world.deployment.edges;
  const [arns, names] = [given(call, "LoadBalancerArns"), given(call, "Names")];
  const isKnown = balancers.filter(
    ({ arn, name }) => (arns?.includes(arn) ?? true) && (names?.includes(name) ?? true),
  );
  const asked = (arns ?? names ?? []).length;
  if (asked > isKnown.length) throw notFound("LoadBalancerNotFound", "load balancers");
  const shown = ({ arn, name, host, scheme }: (typeof balancers)[number]): XmlTree => ({
    LoadBalancerArn: arn,
    LoadBalancerName: name,
    DNSName: host,
    Scheme: scheme,
    Type: "application",
    State: { Code: "active" },
    CreatedTime: new Date(world.deployment.createdMs).toISOString(),
  });
  return paged(call, isKnown, shown, "LoadBalancers");
}

function describeListeners(world: World, call: QueryCall): XmlTree {
  const { balancers, listeners } = world.deployment.edges;
  const of = call.form.get("LoadBalancerArn");
  if (of !== null && !balancers.some(({ arn }) => arn === of))
    throw notFound("LoadBalancerNotFound", "load balancers");
  const mine = listeners.filter(({ balancer }) => of === null || balancer === of);
  const shown = (one: (typeof listeners)[number]): XmlTree => ({
    ListenerArn: one.arn,
    LoadBalancerArn: one.balancer,
    Port: one.port,
    Protocol: one.protocol,
    DefaultActions: {
      member: one.groups.slice(0, 1).map((arn) => ({ Type: "forward", TargetGroupArn: arn })),
    },
  });
  return paged(call, mine, shown, "Listeners");
}

function describeTargetGroups(world: World, call: QueryCall): XmlTree {
  const { listeners, targetGroups } = world.deployment.edges;
  const [of, arns] = [call.form.get("LoadBalancerArn"), given(call, "TargetGroupArns")];
  const balancersOf = (group: string): string[] => [
    ...new Set(
      listeners.filter(({ groups }) => groups.includes(group)).map(({ balancer }) => balancer),
    ),
  ];
  const mine = targetGroups.filter(
    ({ arn }) => (of === null || balancersOf(arn).includes(of)) && (arns?.includes(arn) ?? true),
  );
  if ((arns ?? []).length > mine.length) throw notFound("TargetGroupNotFound", "target groups");
  const shown = ({ arn, name, type }: (typeof targetGroups)[number]): XmlTree => ({
    TargetGroupArn: arn,
    TargetGroupName: name,
    TargetType: type,
    LoadBalancerArns: { member: balancersOf(arn) },
  });
  return paged(call, mine, shown, "TargetGroups");
}

function describeTargetHealth({ deployment }: World, { form }: QueryCall): XmlTree {
  const group = deployment.edges.targetGroups.find(({ arn }) => arn === form.get("TargetGroupArn"));
  if (group === undefined) throw notFound("TargetGroupNotFound", "target groups");
  const state = { State: "unavailable", Reason: "Target.HealthCheckDisabled" };
  const member = group.targets.map((id) => ({ Target: { Id: id }, TargetHealth: state }));
  return { TargetHealthDescriptions: { member } };
}

export const LOAD_BALANCER_OPERATIONS = {
  DescribeLoadBalancers: describeLoadBalancers,
  DescribeListeners: describeListeners,
  DescribeTargetGroups: describeTargetGroups,
  DescribeTargetHealth: describeTargetHealth,
};
