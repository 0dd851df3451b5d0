// The quotas that admission enforces, and its answers.

/** Lambda's `Reason` of a throttle. */
export type ThrottleReason =
  | "ConcurrentInvocationLimitExceeded"
  | "ReservedFunctionConcurrentInvocationLimitExceeded"
  | "FunctionInvocationRateLimitExceeded"
  | "ReservedFunctionInvocationRateLimitExceeded";

/** One account in one region; `scale` already applied. */
export interface AccountLimits {
  readonly concurrency: number;
  /** What reserving must always leave to everybody else (AWS: 100, small accounts 10). */
  readonly unreservedMinimum: number;
  /** New execution environments per function at once; refilled at a tenth of it per second. */
  readonly scalingBucket: number;
  /** An execution environment idle this long is gone. */
  readonly idleKeepUs: number;
}

export interface FunctionLimits {
  /** null = unset, which differs from any number. */
  readonly reserved: number | null;
  /** Provisioned environments over all versions and aliases. */
  readonly provisioned: number;
}

/** `environment` identifies the execution environment until it is discarded or expires. */
export type Admission =
  | { readonly ok: true; readonly environment: number; readonly start: Start }
  | { readonly ok: false; readonly reason: ThrottleReason };
export type Start = "warm" | "new" | "provisioned";

/** Requests per second for each unit of concurrency in force (AWS: synchronous invokes). */
export const REQUESTS_PER_CONCURRENCY = 10;

export interface Concurrency {
  readonly function: number;
  readonly account: number;
  readonly unreserved: number;
  /** Unreserved in use plus all reserved or provisioned: what AWS counts against the quota. */
  readonly claimed: number;
}
