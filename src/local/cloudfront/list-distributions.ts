// ListDistributions: what CloudFront's control plane says; no distribution answers here.
import type { RestCall } from "../lambda/rest-call.ts";
import type { RestRoute } from "../rest-routes.ts";
import type { DistributionSpec } from "../template/edge-types.ts";
import { type XmlTree, xmlDocument } from "../wire/aws-query.ts";
import type { World } from "../world.ts";

const NAMESPACE = "http://cloudfront.amazonaws.com/doc/2020-05-31/";
const PAGE_MAX = 100;

/** A list as this API writes it: its length first, and no items element for none. */
const listed = (element: string, items: readonly (string | XmlTree)[]): XmlTree => ({
  Quantity: items.length,
  ...(items.length === 0 ? {} : { Items: { [element]: items } }),
});

function summaryOf({ account, deployment }: World, one: DistributionSpec): XmlTree {
  const behavior = (origin: string): XmlTree => ({
    TargetOriginId: origin,
    ViewerProtocolPolicy: "allow-all",
    Compress: false,
  });
  return {
    Id: one.id,
    ARN: `arn:aws:cloudfront::${account}:distribution/${one.id}`,
    Status: "Deployed",
    LastModifiedTime: new Date(deployment.createdMs).toISOString(),
    DomainName: one.host,
    Aliases: listed("CNAME", one.aliases),
    Origins: listed(
      "Origin",
      one.origins.map(({ id, host, path }) => ({ Id: id, DomainName: host, OriginPath: path })),
    ),
    DefaultCacheBehavior: behavior(one.defaultOrigin),
    CacheBehaviors: listed(
      "CacheBehavior",
      one.behaviors.map(({ pattern, origin }) => ({ PathPattern: pattern, ...behavior(origin) })),
    ),
    Comment: "",
    Enabled: true,
    WebACLId: one.webAcl,
  };
}

function listDistributions(world: World, { query }: RestCall) {
  const { distributions } = world.deployment.edges;
  const size = Math.min(PAGE_MAX, Math.max(1, Number(query.get("MaxItems")) || PAGE_MAX));
  const start = distributions.findIndex(({ id }) => id === query.get("Marker")) + 1;
  const page = distributions.slice(start, start + size);
  const isTruncated = start + size < distributions.length;
  const body = xmlDocument("DistributionList", NAMESPACE, {
    Marker: query.get("Marker") ?? "",
    ...(isTruncated ? { NextMarker: page.at(-1)!.id } : {}),
    MaxItems: size,
    IsTruncated: isTruncated,
    ...listed(
      "DistributionSummary",
      page.map((one) => summaryOf(world, one)),
    ),
  });
  return { status: 200, headers: { "content-type": "text/xml" }, body };
}

export const CLOUDFRONT_ROUTES: readonly RestRoute[] = [
  {
    service: "cloudfront",
    name: "ListDistributions",
    method: "GET",
    path: "/2020-05-31/distribution",
    operation: listDistributions,
    query: { Marker: "Marker", MaxItems: "MaxItems" },
  },
];
