// Logs that are in another account than the system: what is looked at before anything is sent.
import { AwsFailure } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import type { EnvironmentSpec, Scenario } from "../core/scenario.ts";
import { lookInto } from "../observe/log-events.ts";
import { groupsOf, type LogsElsewhere } from "../observe/log-groups.ts";
import type { System } from "./system-contract.ts";

export const readsLogs = ({ observe }: Scenario): boolean =>
  observe.reports.length > 0 || observe.accessLog !== null;

/** Null: no other account is asked for logs. */
export function elsewhereOf(
  scenario: Scenario,
  environment: EnvironmentSpec | null,
): LogsElsewhere | null {
  if (environment === null || environment.logs === null || !readsLogs(scenario)) return null;
  const { account, awsRegion: region, logs } = environment;
  return { ...logs, source: { account, region } };
}

/** What is read there: names, or ARNs of groups that are linked. Empty = nothing is. */
export async function groupsElsewhere(
  { observe }: Scenario,
  { control }: Pick<System, "control">,
  elsewhere: LogsElsewhere | null,
): Promise<string[]> {
  if (elsewhere === null) return [];
  const groups = await groupsOf(control, observe.reports, observe.accessLog, elsewhere);
  return groups.map(({ name }) => name);
}

const LOOK_BACK_MS = 60_000;

/**
 * Groups that are not there (yet), as warnings: of several, one may have had no line. Rejects with
 * GatecrashError `refused` when one may not be read, or none is there.
 */
export async function checkLogs(
  scenario: Scenario,
  system: System,
  nowMs: number,
): Promise<string[]> {
  const { control, elsewhere } = system.logs;
  const groups = await groupsElsewhere(scenario, system, elsewhere);
  const missing: string[] = [];
  for (const group of groups) {
    try {
      await lookInto(control, { group, fromMs: nowMs - LOOK_BACK_MS });
    } catch (cause) {
      if (!(cause instanceof AwsFailure)) throw cause;
      if (cause.name === "ResourceNotFoundException") missing.push(group);
      else throw denied(group, system, cause);
    }
  }
  if (groups.length > 0 && missing.length === groups.length) throw notThere(missing, system);
  return missing.map((group) => {
    return `log group ${group} is not there yet, as seen from account ${elsewhere?.account}`;
  });
}

const accountOf = ({ logs }: System): string =>
  `the logs are in account ${logs.elsewhere?.account}`;

const isLinked = ({ logs }: System): boolean => logs.elsewhere?.groups === "linked";

function denied(group: string, system: System, cause: AwsFailure): GatecrashError {
  const why = `log group ${group} cannot be read: ${cause.name}: ${cause.message}`;
  const link = isLinked(system) ? " and a link from the account under test" : "";
  return new GatecrashError("refused", `${accountOf(system)}, and ${why}`, {
    hint: `it takes logs:FilterLogEvents${link}; gatecrash bootstrap --logs prints the role`,
    cause,
  });
}

function notThere(groups: readonly string[], system: System): GatecrashError {
  const what = isLinked(system)
    ? "is the account under test linked to it"
    : "is this what a copy is called (logs.groups)";
  const none = `there is no log group ${groups.join(", nor ")}`;
  return new GatecrashError("refused", `${accountOf(system)}, and ${none}`, {
    hint: `${what}? a group appears with its first line: send one request`,
  });
}

/** `account 333333333333 eu-west-1, which monitors account 222222222222`; null = none is asked. */
export function logsText({ logs: { elsewhere } }: System): string | null {
  if (elsewhere === null) return null;
  const { account, awsRegion, groups, source } = elsewhere;
  const how =
    groups === "linked"
      ? `which monitors account ${source.account}`
      : `where a log group's copy is called ${groups}`;
  return `account ${account} ${awsRegion}, ${how}`;
}
