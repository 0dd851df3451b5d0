// API keys and usage plans: the template's own, and those that SAM makes for its APIs.
import { GatecrashError } from "../../core/error.ts";
import { keyIdOf, planIdOf, SHARED } from "./api-names.ts";
import { methodOf } from "./http-apis.ts";
import { apiIdOf, STACK, stableId } from "./names.ts";
import type { TemplateSource } from "./read-yaml.ts";
import type { RestApiSpec, ThrottleSpec } from "./rest-types.ts";
import type { RestApiResource } from "./schema-rest.ts";
import type { ApiKeyResource, UsagePlanKeyResource, UsagePlanResource } from "./schema-usage.ts";
import type { ApiKeySpec, UsagePlanSpec, UsageSpec } from "./usage-types.ts";

export interface UsageParts {
  readonly keys: ReadonlyMap<string, ApiKeyResource>;
  readonly plans: ReadonlyMap<string, UsagePlanResource>;
  readonly planKeys: ReadonlyMap<string, UsagePlanKeyResource>;
  readonly restApis: ReadonlyMap<string, RestApiResource>;
}

type PlanProperties = NonNullable<UsagePlanResource["Properties"]>;

/** Throws a `scenario` error: a plan of a stage, or a key of a plan, that is not there. */
export function usageOf(
  parts: UsageParts,
  apis: readonly RestApiSpec[],
  scale: number,
  source: TemplateSource,
): UsageSpec {
  const generated = samPlans(parts.restApis);
  const keys = [
    ...[...parts.keys].map(([id, { Properties }]) => apiKeyOf(id, Properties)),
    ...[...generated.keys()].map((owner) => apiKeyOf(`${owner}ApiKey`, undefined)),
  ];
  const plans = new Map([...parts.plans].map(([id, { Properties }]) => [id, Properties ?? {}]));
  for (const [owner, properties] of generated) plans.set(`${owner}UsagePlan`, properties);
  const members = new Map([...plans.keys()].map((id): [string, string[]] => [planIdOf(id), []]));
  for (const owner of generated.keys())
    members.get(planIdOf(`${owner}UsagePlan`))!.push(keyIdOf(`${owner}ApiKey`));
  for (const [id, { Properties }] of parts.planKeys) {
    const fail = failing(source, id);
    const of = members.get(Properties.UsagePlanId) ?? fail("UsagePlanId", "no usage plan here");
    if (!keys.some((key) => key.id === Properties.KeyId)) fail("KeyId", "no API key here");
    of.push(Properties.KeyId);
  }
  return {
    keys,
    plans: [...plans].map(([id, properties]) =>
      planOf(id, properties, scale, {
        keys: keys.filter((key) => members.get(planIdOf(id))!.includes(key.id)),
        stageExists: (apiId, stage) =>
          apis.some((api) => api.apiId === apiId && api.stage === stage) ||
          failing(source, id)("ApiStages", `no REST API ${apiId} here has a stage ${stage}`),
      }),
    ),
  };
}

const failing =
  (source: TemplateSource, id: string) =>
  (property: string, message: string): never => {
    const place = source.placeOf(["Resources", id, "Properties", property]);
    throw new GatecrashError("scenario", `${property}: ${message}`, { place });
  };

/** By owner: an API, or all that share a plan, whose settings are the first that are given. */
function samPlans(apis: ReadonlyMap<string, RestApiResource>): Map<string, PlanProperties> {
  const plans = new Map<string, PlanProperties>();
  for (const [id, { Properties }] of apis) {
    const plan = Properties.Auth?.UsagePlan;
    if (plan === undefined || plan.CreateUsagePlan === "NONE") continue;
    const owner = plan.CreateUsagePlan === "SHARED" ? SHARED : id;
    const { CreateUsagePlan: _how, ...settings } = plan;
    const { ApiStages: stages = [], ...before } = plans.get(owner) ?? {};
    const stage = { ApiId: apiIdOf(id), Stage: Properties.StageName };
    plans.set(owner, { ...settings, ...before, ApiStages: [...stages, stage] });
  }
  return plans;
}

/** A key without a value gets one that is the same at every start. */
const apiKeyOf = (id: string, given: ApiKeyResource["Properties"]): ApiKeySpec => ({
  id: keyIdOf(id),
  name: given?.Name ?? `${STACK}-${id}`,
  value: given?.Value ?? stableId(`value ${id}`, 40),
  enabled: given?.Enabled ?? true,
});

function planOf(
  id: string,
  given: PlanProperties,
  scale: number,
  { keys, stageExists }: { keys: ApiKeySpec[]; stageExists(apiId: string, stage: string): boolean },
): UsagePlanSpec {
  const { Quota: quota, Throttle: throttle, ApiStages: stages = [] } = given;
  return {
    id: planIdOf(id),
    name: given.UsagePlanName ?? `${STACK}-${id}`,
    keys,
    throttle: throttle === undefined ? null : scaledThrottle(throttle, scale),
    quota:
      quota === undefined
        ? null
        : {
            limit: Math.max(1, Math.round(quota.Limit * scale)),
            period: quota.Period,
            offset: Math.round((quota.Offset ?? 0) * scale),
          },
    stages: stages.map(({ ApiId: apiId, Stage: stage, Throttle: throttles = {} }) => {
      stageExists(apiId, stage);
      return {
        apiId,
        stage,
        throttles: Object.entries(throttles).map(([key, one]) => {
          const [, path = "/", method = "*"] = /^(.*)\/([^/]*)$/.exec(key) ?? [];
          return {
            method: throttledMethod(method),
            path: path || "/",
            ...scaledThrottle(one, scale),
          };
        }),
      };
    }),
  };
}

/** A method, or `*`. */
export const throttledMethod = (declared: string): string =>
  declared === "*" ? "*" : methodOf(declared);

/** A burst stays at least one request, or scaling down would refuse everything. */
export const scaledThrottle = (
  { RateLimit: rate, BurstLimit: burst }: { RateLimit: number; BurstLimit: number },
  scale: number,
): ThrottleSpec => ({
  ratePerSecond: rate * scale,
  burst: burst === 0 ? 0 : Math.max(1, Math.round(burst * scale)),
});
