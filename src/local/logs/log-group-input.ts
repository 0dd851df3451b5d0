// What the operations of CloudWatch Logs have in common: finding the group, and their errors.

import { AwsError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { said } from "../wire/said.ts";
import type { World } from "../world.ts";
import { seenGroup } from "./seen-groups.ts";
import type { LogGroup } from "./store.ts";

interface Found {
  readonly group: LogGroup;
  /** As its caller sees it. */
  readonly arn: string;
}

const PATTERNS = { logGroupName: /^[\w\-/.#]+$/, logGroupIdentifier: /^[\w#+=/:,.@-]+$/ };
const ARN = /^arn:[^:]+:logs:([^:]*):([^:]*):log-group:([^:]+)$/;

/**
 * By `logGroupName`, or by `logGroupIdentifier`: a name or an ARN, which may be that of an account
 * that the caller's monitors. Throws AwsError.
 */
export function groupOf(world: World, input: JsonInput, caller: string): Found {
  const given = (["logGroupName", "logGroupIdentifier"] as const).filter((key) => {
    return input[key] !== undefined && input[key] !== null;
  });
  const [key] = given;
  const identifier = key === undefined ? "" : input[key];
  if (key === undefined || given.length > 1 || typeof identifier !== "string" || identifier === "")
    throw invalidLogs("Exactly one of logGroupName or logGroupIdentifier is required");
  if (!PATTERNS[key].test(identifier))
    throw invalidLogs(
      `1 validation error detected: Value '${identifier}' at '${key}' failed to satisfy ` +
        `constraint: Member must satisfy regular expression pattern: ${PATTERNS[key].source}`,
    );
  const [, region = world.region, account = caller, name = identifier] = ARN.exec(identifier) ?? [];
  const group = region === world.region ? seenGroup(world, caller, { account, name }) : undefined;
  if (group !== undefined) return { group, arn: groupArn(world, account, name) };
  const message = "The specified log group does not exist.";
  throw new AwsError("ResourceNotFoundException", 400, message);
}

export const invalidLogs = (message: string): AwsError =>
  new AwsError("InvalidParameterException", 400, message);

export const groupArn = ({ region }: World, account: string, name: string): string =>
  `arn:aws:logs:${region}:${account}:log-group:${name}`;

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
