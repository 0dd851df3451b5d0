// API keys and usage plans at work, for all REST APIs of the account.
import { type RequestThrottle, requestThrottle } from "../../model/request-throttle.ts";
import { type UsageQuota, usageQuota } from "../../model/usage-quota.ts";
import { headerOf } from "../http-api/gateway-request.ts";
import type { RestApiSpec, RestMethod, ThrottleSpec } from "../template/rest-types.ts";
import type { ApiKeySpec, UsagePlanSpec, UsageSpec } from "../template/usage-types.ts";
import { gatewayResponse } from "./answer.ts";
import type { Gate } from "./exchange.ts";
import { mostSpecific } from "./method-throttles.ts";

/** What one key has left of one plan. */
interface Allowance {
  readonly throttle: RequestThrottle | null;
  readonly quota: UsageQuota | null;
  /** By method, where the plan throttles it apart. */
  readonly methods: Map<RestMethod, RequestThrottle>;
}

/** A gate for each API; what keys use up is shared. */
export function usageGates({ plans }: UsageSpec): (api: RestApiSpec) => Gate {
  const allowances = new Map<UsagePlanSpec, Map<string, Allowance>>();
  return (api) => {
    const here = plans.filter(({ stages }) => stages.some((stage) => isOf(stage, api)));
    return (exchange) => {
      const { request, match, seen } = exchange;
      if (!match.route.apiKeyRequired) return null;
      const value = headerOf(request, "x-api-key");
      const [plan, key] = planOf(here, value) ?? [];
      if (plan === undefined || key === undefined) return gatewayResponse("INVALID_API_KEY");
      seen["identity.apiKey"] = masked(value);
      seen["identity.apiKeyId"] = key.id;
      exchange.apiKey = { id: key.id, value };
      const allowance = allowanceOf(allowances, plan, key);
      const throttle = throttleOf(allowance, plan, api, match.route);
      if (throttle?.take(request.atEpochMs) === false) return gatewayResponse("THROTTLED");
      return allowance.quota?.take(request.atEpochMs) === false
        ? gatewayResponse("QUOTA_EXCEEDED")
        : null;
    };
  };
}

const isOf = (
  { apiId, stage }: { readonly apiId: string; readonly stage: string },
  api: RestApiSpec,
): boolean => apiId === api.apiId && stage === api.stage;

function planOf(
  plans: readonly UsagePlanSpec[],
  value: string,
): readonly [UsagePlanSpec, ApiKeySpec] | null {
  for (const plan of plans) {
    const key = plan.keys.find((one) => one.enabled && one.value === value);
    if (key !== undefined) return [plan, key];
  }
  return null;
}

/** As access logs show it. */
const masked = (value: string): string =>
  `${"*".repeat(Math.max(0, value.length - 6))}${value.slice(-6)}`;

function allowanceOf(
  allowances: Map<UsagePlanSpec, Map<string, Allowance>>,
  plan: UsagePlanSpec,
  key: ApiKeySpec,
): Allowance {
  const ofPlan = allowances.get(plan) ?? new Map<string, Allowance>();
  allowances.set(plan, ofPlan);
  const found = ofPlan.get(key.id);
  if (found !== undefined) return found;
  const made: Allowance = {
    throttle: plan.throttle === null ? null : bucketOf(plan.throttle),
    quota: plan.quota === null ? null : usageQuota(plan.quota),
    methods: new Map(),
  };
  ofPlan.set(key.id, made);
  return made;
}

/** A method's own throttle stands instead of the plan's. */
function throttleOf(
  allowance: Allowance,
  plan: UsagePlanSpec,
  api: RestApiSpec,
  method: RestMethod,
): RequestThrottle | null {
  const throttles = plan.stages.find((stage) => isOf(stage, api))?.throttles ?? [];
  const setting = mostSpecific(throttles, method);
  if (setting === null) return allowance.throttle;
  const bucket = allowance.methods.get(method) ?? bucketOf(setting);
  allowance.methods.set(method, bucket);
  return bucket;
}

const bucketOf = ({ ratePerSecond, burst }: ThrottleSpec): RequestThrottle =>
  requestThrottle(ratePerSecond, burst);
