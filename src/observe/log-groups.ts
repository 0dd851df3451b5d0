// The log groups of a run: one for each function, wherever it logs to, and the front's access log.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { functionName } from "./resource-names.ts";

export interface Group {
  readonly name: string;
  /** Null for the access log. */
  readonly functionArn: string | null;
  /** Time of its latest event so far. */
  latestMs: number;
}

/** The access log first: its lines lead from an answer to a REPORT line. */
export async function groupsOf(
  control: ControlPlane,
  functions: readonly string[],
  accessLogGroup: string | null,
): Promise<Group[]> {
  const arns = [...new Set(functions.map(unqualified))];
  const groups: Group[] = [];
  if (accessLogGroup !== null)
    groups.push({ name: groupName(accessLogGroup), functionArn: null, latestMs: 0 });
  for (const functionArn of arns)
    groups.push({ name: await logGroupOf(control, functionArn), functionArn, latestMs: 0 });
  return groups;
}

/** A function may log to a group of its own; without the right to ask, the default is used. */
async function logGroupOf(control: ControlPlane, arn: string): Promise<string> {
  const input = { FunctionName: arn };
  const fallback = `/aws/lambda/${functionName(arn)}`;
  try {
    const output = await control.call("lambda", "GetFunctionConfiguration", input);
    const logging = output.LoggingConfig as { readonly LogGroup?: unknown } | undefined;
    return typeof logging?.LogGroup === "string" ? logging.LogGroup : fallback;
  } catch (thrown) {
    if (thrown instanceof AwsFailure) return fallback;
    throw thrown;
  }
}

/** `arn:aws:lambda:r:a:function:name:alias` → without the alias; a plain name stays. */
function unqualified(arn: string): string {
  return arn.startsWith("arn:") ? arn.split(":").slice(0, 7).join(":") : arn;
}

/** A log group's ARN, with or without `:*`, or its name. */
function groupName(group: string): string {
  return group.startsWith("arn:") ? (group.split(":")[6] ?? group) : group;
}
