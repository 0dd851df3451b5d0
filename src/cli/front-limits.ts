// What stands before the system and lets less through than the plan sends: as `plan` warns of it.
import { type ApiStage, listed, type ProofPlace } from "../aws/proof-contract.ts";
import { AwsFailure } from "../core/change.ts";
import { formatNumber } from "../core/format.ts";
import type { Scenario } from "../core/scenario.ts";
import { WAYS_PAST } from "../report/layers.ts";
import type { LintFinding } from "../scenario/lint-types.ts";
import type { ProvenLoad } from "./check-account.ts";
import type { CountedLoad } from "./count-loads.ts";

interface Sent {
  readonly load: string;
  readonly worstPerSecond: number;
  readonly arrivals: number;
}

/** Warnings only: whose key a load sends is a secret, so which usage plan it meets is not known. */
export async function frontFindings(
  { loads }: Scenario,
  counted: readonly CountedLoad[],
  proven: readonly ProvenLoad[],
  place: ProofPlace,
): Promise<LintFinding[]> {
  const found: LintFinding[] = [];
  for (const { load: name, proof } of proven) {
    const line = loads.find((load) => load.name === name)?.line ?? 1;
    const sent = sentOf(name, counted);
    const firewalls = proof?.firewalls ?? [];
    const texts = [
      ...firewalls.map((arn) => `load ${name}: a firewall (${aclName(arn)}) ${STANDS}`),
      ...(await Promise.all(
        (proof?.apis ?? [])
          .filter(({ kind }) => kind === "REST API")
          .map((one) => limits(one, sent, place)),
      )),
    ].flat();
    found.push(...texts.map((message) => ({ line, severity: "warning" as const, message })));
  }
  return found;
}

const STANDS = `stands before it: ${WAYS_PAST.waf}; load that it refuses makes the run INVALID`;

/** `arn:aws:wafv2:…:regional/webacl/shop/1a2b` → `shop`; an older firewall has only an id. */
const aclName = (arn: string): string => /webacl\/([^/]+)/.exec(arn)?.[1] ?? arn;

function sentOf(name: string, counted: readonly CountedLoad[]): Sent {
  const one = counted.find(({ load }) => load.name === name);
  const worst = one?.counts.perSecond.reduce((most, count) => Math.max(most, count), 0);
  return { load: name, worstPerSecond: worst ?? 0, arrivals: one?.facts.planned ?? 0 };
}

type Item = { readonly [key: string]: unknown };

async function limits(rest: ApiStage, sent: Sent, place: ProofPlace): Promise<string[]> {
  try {
    return [...(await stageLimits(rest, sent, place)), ...(await planLimits(rest, sent, place))];
  } catch (error) {
    if (!(error instanceof AwsFailure)) throw error;
    const what = `load ${sent.load}: what stage ${rest.stage} lets through is not known`;
    return [`${what}: ${error.name}`];
  }
}

async function stageLimits({ apiId, stage }: ApiStage, sent: Sent, { control }: ProofPlace) {
  const input = { restApiId: apiId, stageName: stage };
  const { methodSettings = {} } = await control.call("apigateway", "GetStage", input);
  const all = ((methodSettings as Item)["*/*"] ?? {}) as Item;
  return tooFast(`stage ${stage}`, all.throttlingRateLimit, sent);
}

async function planLimits({ apiId, stage }: ApiStage, sent: Sent, place: ProofPlace) {
  const plans = await listed(place, "apigateway:GetUsagePlans");
  return plans
    .filter(({ apiStages }) =>
      ((apiStages ?? []) as readonly Item[]).some(
        (one) => one.apiId === apiId && one.stage === stage,
      ),
    )
    .flatMap((plan) => {
      const [throttle, quota] = [plan.throttle, plan.quota].map((of) => (of ?? {}) as Item);
      const name = `usage plan ${String(plan.name)}`;
      return [
        ...tooFast(name, throttle!.rateLimit, sent),
        ...tooMany(name, quota!.limit, String(quota!.period ?? "").toLowerCase(), sent),
      ];
    });
}

function tooFast(what: string, limit: unknown, { load, worstPerSecond }: Sent): string[] {
  if (typeof limit !== "number" || limit < 0 || worstPerSecond <= limit) return [];
  const worst = `its worst second has ${formatNumber(worstPerSecond)}`;
  return [`load ${load}: ${what} lets ${formatNumber(limit)}/s through, ${worst}`];
}

function tooMany(what: string, limit: unknown, period: string, { load, arrivals }: Sent): string[] {
  if (typeof limit !== "number" || arrivals <= limit) return [];
  const many = `it has ${formatNumber(arrivals)} arrivals`;
  return [`load ${load}: ${what} lets ${formatNumber(limit)} a ${period} through, ${many}`];
}
