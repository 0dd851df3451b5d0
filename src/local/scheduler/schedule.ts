// One schedule as it was sent, checked by the service's limits.
import { said } from "../wire/said.ts";
import { invalid } from "./errors.ts";
import { parseExpression } from "./expression.ts";

export interface Target {
  readonly Arn: string;
  readonly RoleArn: string;
  /** JSON text. */
  readonly Input?: string;
  readonly RetryPolicy?: {
    readonly MaximumEventAgeInSeconds?: number;
    readonly MaximumRetryAttempts?: number;
  };
}

/** Members with AWS's names: this is also what GetSchedule answers. */
export interface Schedule {
  readonly Name: string;
  readonly GroupName: string;
  readonly ScheduleExpression: string;
  readonly ScheduleExpressionTimezone: string;
  readonly Description?: string;
  readonly State: "ENABLED" | "DISABLED";
  readonly Target: Target;
  readonly FlexibleTimeWindow: { readonly Mode: string };
  readonly ActionAfterCompletion: "NONE" | "DELETE";
}

/** Lengths and ranges of the API model. */
const DESCRIPTION_MAX = 512;
const NAME = /^[0-9a-zA-Z-_.]{1,64}$/;
const AGE_S = { least: 60, most: 86_400 };
const ATTEMPTS_MAX = 185;
const READ_ONLY =
  /^(get|describe|list|poll|receive|search|scan|query|select|read|lookup|batchGet)[A-Z]?/;

type Input = { readonly [member: string]: unknown };

/** Throws ValidationException. An absent member has its default: an update keeps nothing. */
export function scheduleOf(name: string, input: Input): Schedule {
  if (!NAME.test(name)) throw invalid(`Value '${name}' at 'name' failed to satisfy constraint.`);
  const text = (member: string, otherwise: string): string => said(input[member] ?? otherwise);
  const expression = text("ScheduleExpression", "");
  parseExpression(expression);
  const zone = text("ScheduleExpressionTimezone", "UTC");
  if (zone !== "UTC") throw invalid(`Time zone ${zone} is not modelled by local AWS.`);
  if (typeof input.FlexibleTimeWindow !== "object" || input.FlexibleTimeWindow === null)
    throw invalid("FlexibleTimeWindow must not be null.");
  const description = text("Description", "");
  if (description.length > DESCRIPTION_MAX)
    throw invalid("Value at 'description' failed to satisfy constraint: length at most 512.");
  return {
    Name: name,
    GroupName: text("GroupName", "default"),
    ScheduleExpression: expression,
    ScheduleExpressionTimezone: zone,
    ...(description === "" ? {} : { Description: description }),
    State: text("State", "ENABLED") === "DISABLED" ? "DISABLED" : "ENABLED",
    Target: targetOf(input.Target),
    FlexibleTimeWindow: input.FlexibleTimeWindow as { Mode: string },
    ActionAfterCompletion: text("ActionAfterCompletion", "NONE") === "DELETE" ? "DELETE" : "NONE",
  };
}

function targetOf(given: unknown): Target {
  if (typeof given !== "object" || given === null) throw invalid("Target must not be null.");
  const target = given as Target;
  const [arn, role] = [target.Arn ?? "", target.RoleArn ?? ""].map(said) as [string, string];
  const retry = target.RetryPolicy ?? {};
  if (!/^arn:aws[a-z-]*:iam::\d{12}:role\//.test(role)) throw invalid(`Invalid RoleArn ${role}.`);
  const universal = universalOf(arn);
  const isFunction = /^arn:aws[a-z-]*:lambda:[a-z0-9-]+:\d{12}:function:/.test(arn);
  if (universal === null && !isFunction)
    throw invalid(`Target ${arn} is not modelled by local AWS.`);
  if (universal !== null && READ_ONLY.test(universal.action))
    throw invalid(`Read-only action ${universal.action} is not supported as a target.`);
  const ageS = retry.MaximumEventAgeInSeconds ?? AGE_S.most;
  if (ageS < AGE_S.least || ageS > AGE_S.most)
    throw invalid("MaximumEventAgeInSeconds is between 60 and 86400.");
  if ((retry.MaximumRetryAttempts ?? 0) > ATTEMPTS_MAX)
    throw invalid("MaximumRetryAttempts is at most 185.");
  try {
    JSON.parse(target.Input ?? "{}");
  } catch {
    throw invalid("Target input is not valid JSON.");
  }
  return target;
}

/** `arn:aws:scheduler:::aws-sdk:lambda:putFunctionConcurrency`; null = another kind of target. */
export function universalOf(
  arn: string,
): { readonly service: string; readonly action: string } | null {
  const found = /^arn:aws[a-z-]*:scheduler:::aws-sdk:(\w+):(\w+)$/.exec(arn);
  return found === null ? null : { service: found[1]!, action: found[2]! };
}

/** How long and how often a failed target is called again. */
export function retriesOf({ RetryPolicy: retry = {} }: Target): { ageMs: number; tries: number } {
  return {
    ageMs: (retry.MaximumEventAgeInSeconds ?? AGE_S.most) * 1_000,
    tries: (retry.MaximumRetryAttempts ?? ATTEMPTS_MAX) + 1,
  };
}
