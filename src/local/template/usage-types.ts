// API keys and usage plans of a template; `scale` is applied.
import type { QuotaSpec } from "../../model/usage-quota.ts";
import type { MethodThrottle, ThrottleSpec } from "./rest-types.ts";

export interface ApiKeySpec {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly enabled: boolean;
}

export interface UsagePlanSpec {
  readonly id: string;
  readonly name: string;
  readonly stages: readonly {
    readonly apiId: string;
    readonly stage: string;
    /** Instead of the plan's own, for these methods. */
    readonly throttles: readonly MethodThrottle[];
  }[];
  readonly quota: QuotaSpec | null;
  /** For each key, over all of the plan. */
  readonly throttle: ThrottleSpec | null;
  readonly keys: readonly ApiKeySpec[];
}

export interface UsageSpec {
  readonly keys: readonly ApiKeySpec[];
  readonly plans: readonly UsagePlanSpec[];
}
