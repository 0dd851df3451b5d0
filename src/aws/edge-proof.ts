// Whose a distribution or a load balancer is, and what it hands on to.
import {
  behindOf,
  type Item,
  listed,
  nowhere,
  type Proof,
  type ProofPlace,
  type Traced,
} from "./proof-contract.ts";

/** Traces the host that a distribution hands on to. */
export type TraceOrigin = (url: URL) => Promise<Traced>;

const BALANCING = "elasticloadbalancingv2";

/** A bucket's own host: nothing proves whose it is, and no function answers there. */
const BUCKET = /\.s3(?:[.-][a-z0-9-]+)*\.amazonaws\.com(?:\.cn)?$/;

/** By its own host, or by a name that it alone has; null where the account has none such. */
export async function traceDistribution(
  url: URL,
  place: ProofPlace,
  traceOrigin: TraceOrigin,
): Promise<Traced | null> {
  const { hostname } = url;
  const distribution = (await distributions(place)).find(
    (one) => one.DomainName === hostname || listIn(one.Aliases).includes(hostname),
  );
  if (distribution === undefined) return null;
  const id = String(distribution.Id);
  const proofs: Proof[] = [];
  const buckets: string[] = [];
  for (const origin of originsUsed(distribution)) {
    const host = String(origin.DomainName).toLowerCase();
    if (BUCKET.test(host)) {
      buckets.push(host);
      continue;
    }
    const path = `${String(origin.OriginPath ?? "")}${url.pathname}`;
    const traced = await traceOrigin(new URL(`https://${host}${path}`));
    if (!("proof" in traced))
      return { ...traced, why: `distribution ${id} hands on to ${host}: ${traced.why}` };
    proofs.push(traced.proof);
  }
  return { proof: wholeOf(distribution, hostname, proofs, buckets, place) };
}

/** The answer holds the list in a list. */
async function distributions(place: ProofPlace): Promise<Item[]> {
  const found: Item[] = [];
  let Marker: string | undefined;
  do {
    const input = Marker === undefined ? {} : { Marker };
    const answer = await place.control.call("cloudfront", "ListDistributions", input);
    const list = (answer.DistributionList ?? {}) as Item;
    found.push(...((list.Items ?? []) as readonly Item[]));
    Marker = list.IsTruncated === true ? String(list.NextMarker) : undefined;
  } while (Marker !== undefined);
  return found;
}

const listIn = (list: unknown): readonly unknown[] =>
  ((list as Item | undefined)?.Items ?? []) as readonly unknown[];

/** The default one first; which of them a path leads to is not looked at: all must be ours. */
function originsUsed({ Origins, DefaultCacheBehavior, CacheBehaviors }: Item): Item[] {
  const origins = listIn(Origins) as readonly Item[];
  const behaviors = [DefaultCacheBehavior, ...listIn(CacheBehaviors)] as readonly Item[];
  const wanted = new Set(behaviors.map(({ TargetOriginId }) => TargetOriginId));
  return [...wanted].flatMap((id) => origins.filter((origin) => origin.Id === id));
}

function wholeOf(
  { Id, Aliases, WebACLId }: Item,
  hostname: string,
  proofs: readonly Proof[],
  buckets: readonly string[],
  place: ProofPlace,
): Proof {
  const chains = [...proofs.map(({ steps }) => steps.join(" → ")), ...buckets];
  const firewalls = proofs.flatMap((proof) => proof.firewalls ?? []);
  if (typeof WebACLId === "string" && WebACLId !== "") firewalls.unshift(WebACLId);
  return {
    steps: [hostname, `distribution ${String(Id)}`, chains.join(", ")],
    functions: [...new Set(proofs.flatMap(({ functions }) => functions))],
    names: [
      ...listIn(Aliases).map((alias) => ["alias", String(alias)] as const),
      ...proofs.flatMap(({ names }) => names),
      ...buckets.map((bucket) => ["origin", bucket] as const),
    ],
    apis: proofs.flatMap(({ apis = [] }) =>
      apis.map((api) => ({ ...api, behind: `distribution ${String(Id)}` })),
    ),
    firewalls: [...new Set(firewalls)],
    // Nothing answers for a distribution in a rehearsal: its origin does.
    ...(proofs[0]?.connectTo === undefined ? nowhere(place) : { connectTo: proofs[0].connectTo }),
  };
}

/** By its DNS name. */
export async function traceBalancer(url: URL, place: ProofPlace): Promise<Traced> {
  const { account, region } = place;
  const host = url.hostname.replace(/^dualstack\./, "");
  const all = await listed(place, `${BALANCING}:DescribeLoadBalancers`);
  const balancer = all.find(({ DNSName }) => String(DNSName).toLowerCase() === host);
  if (balancer === undefined)
    return { why: `account ${account} has no load balancer with this name in ${region}` };
  const [name, arn] = [String(balancer.LoadBalancerName), String(balancer.LoadBalancerArn)];
  const of = { LoadBalancerArn: arn };
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const listeners = await listed(place, `${BALANCING}:DescribeListeners`, of);
  if (!listeners.some(({ Port }) => Port === port))
    return { why: `load balancer ${name} has no listener on port ${port}` };
  // Of all its listeners and their rules: which of them a path leads to is not looked at.
  const groups = await listed(place, `${BALANCING}:DescribeTargetGroups`, of);
  const targets = await Promise.all(groups.map((group) => targetsOf(group, place)));
  const { functions, names, foreign } = behindOf(targets.flat(), account);
  if (foreign !== null)
    return { why: `load balancer ${name} hands on to ${foreign}`, foreign: true };
  const others = groups
    .filter(({ TargetType }) => TargetType !== "lambda")
    .map(({ TargetGroupName }) => `target group ${String(TargetGroupName)}`);
  const behind = [...names, ...others];
  return {
    proof: {
      steps: [
        url.hostname,
        `load balancer ${name}`,
        ...(behind.length > 0 ? [behind.join(", ")] : []),
      ],
      functions,
      names: [
        ["load balancer", name] as const,
        ...groups.map((one) => ["target group", String(one.TargetGroupName)] as const),
        ...names.map((one) => ["target", one] as const),
      ],
      ...nowhere(place),
    },
  };
}

/** Functions by ARN; addresses and instances say nothing here. */
async function targetsOf({ TargetGroupArn, TargetType }: Item, place: ProofPlace) {
  if (TargetType !== "lambda") return [];
  const input = { TargetGroupArn: String(TargetGroupArn) };
  const answer = await place.control.call(BALANCING, "DescribeTargetHealth", input);
  const targets = (answer.TargetHealthDescriptions ?? []) as readonly Item[];
  return targets.map(({ Target }) => String((Target as Item | undefined)?.Id ?? ""));
}
