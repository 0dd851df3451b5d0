// The alarms of `stop-when`: found, and not ringing, before anything is sent; then for the run.
import { AWS_ENDPOINT } from "../aws/endpoint.ts";
import type { ControlPlane } from "../core/change.ts";
import { type ErrorPlace, GatecrashError } from "../core/error.ts";
import type { Scenario } from "../core/scenario.ts";
import { US_PER_S } from "../core/time.ts";
import { type AlarmNow, readAlarms } from "../observe/alarms.ts";
import type { AlarmPort } from "../run/alarm-watch.ts";
import type { System } from "./system-contract.ts";

/** CloudWatch evaluates once a minute, and takes nine DescribeAlarms a second of an account. */
const LOOK_US = { local: US_PER_S, aws: 5 * US_PER_S };

export interface FoundAlarm extends AlarmNow {
  readonly place: ErrorPlace;
}

/**
 * The alarms that a resolved scenario names, as they are now.
 * @throws GatecrashError `scenario` for one that does not exist here, `aws` if they cannot be read.
 */
export async function findAlarms(
  { stopAlarms, file }: Scenario,
  { control, region, account }: Pick<System, "control" | "region" | "account">,
): Promise<FoundAlarm[]> {
  if (stopAlarms.length === 0) return [];
  const wanted = stopAlarms.map((stop) => {
    const place = { file, line: stop.line };
    return { name: alarmName(stop.alarm, { region, account, place }), place };
  });
  const found = await readAlarms(control, [...new Set(wanted.map(({ name }) => name))]);
  return wanted.map(({ name, place }) => {
    const alarm = found.find((one) => one.name === name);
    if (alarm !== undefined) return { ...alarm, place };
    const message = `there is no alarm ${name} in account ${account}, ${region}`;
    const hint = "aws cloudwatch describe-alarms lists those that there are";
    throw new GatecrashError("scenario", message, { hint, place });
  });
}

const ARN = /^arn:[^:]+:cloudwatch:([^:]*):([^:]*):alarm:(.+)$/;

/** Of a name or an ARN. Throws GatecrashError("scenario") for one of somewhere else. */
export function alarmName(
  alarm: string,
  { region, account, place }: { region: string; account: string; place: ErrorPlace },
): string {
  const [, itsRegion, itsAccount, name] = ARN.exec(alarm) ?? [];
  if (name === undefined && !alarm.startsWith("arn:")) return alarm;
  if (name !== undefined && itsRegion === region && itsAccount === account) return name;
  const message = `${alarm} is no alarm of account ${account} in ${region}`;
  const hint = "name an alarm of the account and region that the scenario runs in";
  throw new GatecrashError("scenario", message, { hint, place });
}

/**
 * What the run looks at; undefined = the scenario names no alarm. `warn` hears of alarms that a
 * quiet system sets off.
 * @throws GatecrashError `refused` when one is in ALARM already.
 */
export async function stopAlarms(
  scenario: Scenario,
  system: Pick<System, "control" | "region" | "account" | "endpoint">,
  warn: (text: string) => void,
): Promise<AlarmPort | undefined> {
  const found = await findAlarms(scenario, system);
  if (found.length === 0) return undefined;
  for (const { name, state, reason, place } of found) {
    if (state !== "ALARM") continue;
    throw new GatecrashError("refused", `alarm ${name} is in ALARM already: ${reason}`, {
      hint: "nothing was sent: start when it is OK again, or take it out of stop-when",
      place,
    });
  }
  for (const { name, missing } of found) if (missing === "breaching") warn(quietText(name));
  return portOf(found, system);
}

export const quietText = (name: string): string =>
  `alarm ${name} treats missing data as breaching: a system without traffic will stop the run ` +
  "(notBreaching does not)";

function portOf(
  found: readonly FoundAlarm[],
  { control, endpoint }: { control: ControlPlane; endpoint: string },
): AlarmPort {
  const names = [...new Set(found.map(({ name }) => name))];
  return {
    names,
    everyUs: endpoint === AWS_ENDPOINT ? LOOK_US.aws : LOOK_US.local,
    read: () => readAlarms(control, names),
  };
}
