// Distributions and load balancers of a template, as their control planes tell of them.
import { createHash } from "node:crypto";
import { GatecrashError } from "../../core/error.ts";
import type {
  BalancerSpec,
  DistributionSpec,
  EdgeSpecs,
  ListenerSpec,
  TargetGroupSpec,
} from "./edge-types.ts";
import type { NamedResource, Place } from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type {
  BalancerResource,
  DistributionResource,
  EDGE_RESOURCES,
  ListenerResource,
  ListenerRuleResource,
  TargetGroupResource,
} from "./schema-edges.ts";

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

const distributionIdOf = (id: string): string =>
  `E${hashOf(`distribution ${id}`).slice(0, 13).toUpperCase()}`;
const distributionHostOf = (id: string): string =>
  `d${hashOf(`host ${id}`).slice(0, 13)}.cloudfront.net`;

const elb = ({ region, account }: Place): string =>
  `arn:aws:elasticloadbalancing:${region}:${account}`;
const balancerName = (id: string, name: string | undefined): string => name ?? `local-${id}`;
const balancerPath = (id: string, name: string): string =>
  `app/${name}/${hashOf(`balancer ${id}`).slice(0, 16)}`;
const balancerHost = (id: string, name: string, scheme: string, { region }: Place): string => {
  const number = Number.parseInt(hashOf(`balancer host ${id}`).slice(0, 8), 16);
  const inside = scheme === "internal" ? "internal-" : "";
  return `${inside}${name}-${number}.${region}.elb.amazonaws.com`.toLowerCase();
};

/** What Ref and GetAtt give; null for another type. A listener's ARN names no balancer. */
export function edgeResource(
  id: string,
  type: string,
  nameAt: (property: string) => string | undefined,
  place: Place,
): NamedResource | null {
  switch (type) {
    case "AWS::CloudFront::Distribution": {
      const [name, DomainName] = [distributionIdOf(id), distributionHostOf(id)];
      return { type, name, attributes: { Id: name, DomainName } };
    }
    case "AWS::ElasticLoadBalancingV2::LoadBalancer": {
      const name = balancerName(id, nameAt("Name"));
      const arn = `${elb(place)}:loadbalancer/${balancerPath(id, name)}`;
      const host = balancerHost(id, name, nameAt("Scheme") ?? "", place);
      const attributes = { DNSName: host, LoadBalancerArn: arn, LoadBalancerName: name };
      return { type, name: arn, attributes };
    }
    case "AWS::ElasticLoadBalancingV2::TargetGroup": {
      const path = `${nameAt("Name") ?? `local-${id}`}/${hashOf(`group ${id}`).slice(0, 16)}`;
      const arn = `${elb(place)}:targetgroup/${path}`;
      return { type, name: arn, attributes: { TargetGroupArn: arn } };
    }
    case "AWS::ElasticLoadBalancingV2::Listener":
    case "AWS::ElasticLoadBalancingV2::ListenerRule": {
      const kind = type.endsWith("Rule") ? "listener-rule" : "listener";
      return {
        type,
        name: `${elb(place)}:${kind}/app/local/${hashOf(`${kind} ${id}`).slice(0, 16)}`,
      };
    }
    default:
      return null;
  }
}

type OfType = <T>(type: keyof typeof EDGE_RESOURCES) => ReadonlyMap<string, T>;

/** Throws a `scenario` error for a behaviour, listener or rule that points at nothing. */
export function edgesOf(ofType: OfType, place: Place, source: TemplateSource): EdgeSpecs {
  const parts = {
    distributions: ofType<DistributionResource>("AWS::CloudFront::Distribution"),
    balancers: ofType<BalancerResource>("AWS::ElasticLoadBalancingV2::LoadBalancer"),
    targetGroups: ofType<TargetGroupResource>("AWS::ElasticLoadBalancingV2::TargetGroup"),
    listeners: ofType<ListenerResource>("AWS::ElasticLoadBalancingV2::Listener"),
    rules: ofType<ListenerRuleResource>("AWS::ElasticLoadBalancingV2::ListenerRule"),
  };
  const arnOf = (id: string, { Type: type, Properties: own }: Typed): string => {
    const nameAt = (property: string) => own?.[property] as string | undefined;
    return edgeResource(id, type, nameAt, place)?.name ?? "";
  };
  const balancers = [...parts.balancers].map(([id, resource]): BalancerSpec => {
    const { Name, Scheme: scheme = "internet-facing" } = resource.Properties ?? {};
    const name = balancerName(id, Name);
    return { arn: arnOf(id, resource), name, host: balancerHost(id, name, scheme, place), scheme };
  });
  const targetGroups = [...parts.targetGroups].map(([id, resource]): TargetGroupSpec => {
    const { Name, TargetType: type, Targets = [] } = resource.Properties;
    const targets = Targets.map(({ Id }) => Id);
    return { arn: arnOf(id, resource), name: Name ?? `local-${id}`, type, targets };
  });
  const found: EdgeSpecs = {
    distributions: [...parts.distributions].map(([id, one]) => distributionOf(id, one, source)),
    balancers,
    listeners: [...parts.listeners].map(([id, resource]) => {
      const arn = arnOf(id, resource);
      const { LoadBalancerArn: balancer, Port: port, Protocol: protocol } = resource.Properties;
      const rules = [...parts.rules.values()].filter((one) => one.Properties.ListenerArn === arn);
      const actions = [
        ...resource.Properties.DefaultActions,
        ...rules.flatMap(({ Properties }) => Properties.Actions),
      ];
      const groups = [...new Set(actions.flatMap(({ TargetGroupArn: group }) => group ?? []))];
      return { arn, balancer, port, protocol, groups };
    }),
    targetGroups,
  };
  for (const [at, id] of [...parts.listeners.keys()].entries())
    refuseLoose(id, found.listeners[at]!, found, source);
  return found;
}

interface Typed {
  readonly Type: string;
  readonly Properties?: { readonly [property: string]: unknown } | undefined;
}

function refuseLoose(
  id: string,
  { balancer, groups }: ListenerSpec,
  { balancers, targetGroups }: EdgeSpecs,
  source: TemplateSource,
): void {
  const fail = (message: string, property: string): never => {
    const place = source.placeOf(["Resources", id, "Properties", property]);
    throw new GatecrashError("scenario", message, { place });
  };
  if (!balancers.some(({ arn }) => arn === balancer))
    fail(`${balancer} is no load balancer of this template`, "LoadBalancerArn");
  const loose = groups.find((group) => !targetGroups.some(({ arn }) => arn === group));
  if (loose !== undefined) fail(`${loose} is no target group of this template`, "DefaultActions");
}

function distributionOf(
  id: string,
  { Properties }: DistributionResource,
  source: TemplateSource,
): DistributionSpec {
  const config = Properties.DistributionConfig;
  const origins = config.Origins.map(({ Id, DomainName: host, OriginPath: path = "" }) => {
    return { id: Id, host, path };
  });
  const defaultOrigin = config.DefaultCacheBehavior.TargetOriginId;
  const behaviors = (config.CacheBehaviors ?? []).map((one) => {
    return { pattern: one.PathPattern, origin: one.TargetOriginId };
  });
  for (const wanted of [defaultOrigin, ...behaviors.map(({ origin }) => origin)])
    if (!origins.some((origin) => origin.id === wanted))
      throw new GatecrashError("scenario", `${wanted} is no origin of ${id}`, {
        place: source.placeOf(["Resources", id, "Properties", "DistributionConfig"]),
      });
  const named = { id: distributionIdOf(id), host: distributionHostOf(id) };
  const { Aliases: aliases = [], WebACLId: webAcl = "" } = config;
  return { ...named, aliases, webAcl, origins, defaultOrigin, behaviors };
}
