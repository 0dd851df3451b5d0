// What local AWS is started with, and the account that `scale` makes of it.
import type { AccountLimits } from "../model/limits.ts";

export interface LocalAwsOptions {
  /** SAM template. */
  readonly template: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Multiplies quotas, the unreserved minimum, reservations and buckets; never times. */
  readonly scale: number;
  readonly concurrency: number;
  readonly unreservedMinimum: number;
  readonly scalingBucket: number;
  readonly account: string;
  readonly region: string;
  /** A stack with the account's roles; absent = everybody may do everything. */
  readonly roles?: string;
  /** Another account that has copies of the logs, and monitors this one; absent = none. */
  readonly logsAccount?: string;
  /** What a copy of a group is called there; absent = the same name. */
  readonly logsGroups?: string;
  /** A stack with roles of that account. */
  readonly logsRoles?: string;
  /** For tests: most items in a page of any list; absent = as many as AWS gives. */
  readonly pageMost?: number;
}

export const DEFAULTS: Omit<LocalAwsOptions, "template"> = {
  port: 0,
  scale: 1,
  concurrency: 1_000,
  unreservedMinimum: 100,
  scalingBucket: 1_000,
  account: "000000000000",
  region: "eu-west-1",
};

/** Idle execution environments live "some minutes" on AWS, which gives no number. */
const IDLE_KEEP_US = 5 * 60 * 1_000_000;

export function accountLimits(options: LocalAwsOptions): AccountLimits {
  const scaled = (value: number, least: number): number =>
    Math.max(least, Math.round(value * options.scale));
  return {
    concurrency: scaled(options.concurrency, 1),
    unreservedMinimum: scaled(options.unreservedMinimum, 0),
    scalingBucket: scaled(options.scalingBucket, 1),
    idleKeepUs: IDLE_KEEP_US,
  };
}
