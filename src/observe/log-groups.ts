// The log groups of a run: one for each function, wherever it logs to, and the front's access log.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import type { LogsSpec } from "../core/scenario.ts";
import { functionName } from "./resource-names.ts";

/** Who reads log groups, and where. */
export interface LogReader {
  readonly control: ControlPlane;
  /** Null: in the account of the functions. */
  readonly elsewhere: LogsElsewhere | null;
}

export interface LogsElsewhere extends LogsSpec {
  /** The account under test. */
  readonly source: { readonly account: string; readonly region: string };
}

export interface Group {
  /** Or its ARN, where it is read from another account than its own. */
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
  elsewhere: LogsElsewhere | null,
): Promise<Group[]> {
  const arns = [...new Set(functions.map(unqualified))];
  const groups: Group[] = [];
  const add = (group: string, functionArn: string | null): void => {
    const name = elsewhere === null ? groupName(group) : nameThere(group, elsewhere);
    groups.push({ name, functionArn, latestMs: 0 });
  };
  if (accessLogGroup !== null) add(accessLogGroup, null);
  for (const functionArn of arns) {
    const group = await logGroupOf(control, functionArn);
    const [, partition, , region, account] = functionArn.split(":");
    const arn = `arn:${partition}:logs:${region}:${account}:log-group:${group}`;
    add(account === undefined ? group : arn, functionArn);
  }
  return groups;
}

/** Of a name or an ARN: what is asked for in the other account. */
function nameThere(group: string, { account, groups, source }: LogsElsewhere): string {
  const name = groupName(group);
  const [partition = "aws", of = source.account, region = source.region] = group.startsWith("arn:")
    ? [group.split(":")[1], group.split(":")[4], group.split(":")[3]]
    : [];
  if (of === account) return name;
  if (groups === "linked") return `arn:${partition}:logs:${region}:${of}:log-group:${name}`;
  const values = { logGroup: name, accountId: of, region };
  return groups.replace(/\$\{source\.(\w+)\}/g, (_, what: keyof typeof values) => values[what]);
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
