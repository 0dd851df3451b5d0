// One statement of a policy, and how operations and leases are called in it.
import { arnIn, partitionOf } from "../core/partition.ts";
import { LEASE_GROUP } from "../run/lease-record.ts";
import type { System } from "./system-contract.ts";

export interface Statement {
  readonly Effect: "Allow";
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: { readonly [operator: string]: { readonly [key: string]: string } };
}

export const allow = (
  Action: readonly string[],
  Resource: readonly string[],
  Condition?: NonNullable<Statement["Condition"]>,
): Statement => ({
  Effect: "Allow",
  Action,
  Resource,
  ...(Condition === undefined ? {} : { Condition }),
});

/** Operations whose permission has another name. */
const ACTIONS: { readonly [operation: string]: string } = {
  "lambda:Invoke": "lambda:InvokeFunction",
  "sqs:SendMessageBatch": "sqs:SendMessage",
  "s3:GetObject": "s3:GetObject",
  "s3:ListObjectsV2": "s3:ListBucket",
};

export const actionOf = (service: string, action: string): string =>
  ACTIONS[`${service}:${action}`] ?? `${service}:${action}`;

/** The role that Scheduler takes to put back; `gatecrash bootstrap` makes it. */
export const deadManRole = ({ region, account }: Pick<System, "region" | "account">): string =>
  `arn:${partitionOf(region)}:iam::${account}:role/gatecrash-dead-man`;

/** All leases of the account. */
export const schedules = (system: System): string =>
  arnIn(system, "scheduler", `schedule/${LEASE_GROUP}/*`);
