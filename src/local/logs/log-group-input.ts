// What the operations of CloudWatch Logs have in common: finding the group, and their errors.

import { AwsError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import type { LogGroup } from "./store.ts";

/** By `logGroupName`, or `logGroupIdentifier` (name or ARN). */
export function groupOf(world: World, input: JsonInput): LogGroup {
  const identifier = input.logGroupName ?? input.logGroupIdentifier;
  if (typeof identifier !== "string" || identifier === "")
    throw invalidLogs("Exactly one of logGroupName or logGroupIdentifier is required");
  const name = /^arn:[^:]+:logs:[^:]*:[^:]*:log-group:([^:]+)/.exec(identifier)?.[1] ?? identifier;
  const group = world.logs.groups.get(name);
  if (group !== undefined) return group;
  const message = "The specified log group does not exist.";
  throw new AwsError("ResourceNotFoundException", 400, message);
}

export const invalidLogs = (message: string): AwsError =>
  new AwsError("InvalidParameterException", 400, message);

export const groupArn = (world: World, name: string): string =>
  `arn:aws:logs:${world.region}:${world.account}:log-group:${name}`;

/** A number of the input within its bounds, or its default. */
export function numberOf(
  input: JsonInput,
  key: string,
  { low, high, otherwise }: { low: number; high: number; otherwise: number },
): number {
  const value = input[key];
  if (value === undefined || value === null) return otherwise;
  if (typeof value !== "number" || value < low || value > high)
    throw invalidLogs(
      `1 validation error detected: Value '${said(value)}' at '${key}' failed to satisfy ` +
        `constraint: Member must have value between ${low} and ${high}`,
    );
  return value;
}
