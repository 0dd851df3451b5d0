// Alarms of CloudWatch as they are now, by name: the stop conditions that somebody else watches.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import type { AlarmState } from "../core/facts.ts";

export interface AlarmNow {
  readonly name: string;
  readonly state: AlarmState;
  /** CloudWatch's own words for it. */
  readonly reason: string;
  /** What a period without data counts as: `missing`, `ignore`, `breaching`, `notBreaching`. */
  readonly missing: string;
}

/** AWS's most names for DescribeAlarms, and most alarms in its answer. */
const NAMES_MAX = 100;

/**
 * Metric and composite alarms of these names; one that does not exist is left out.
 * @throws GatecrashError `aws` when they cannot be read.
 */
export async function readAlarms(
  control: ControlPlane,
  names: readonly string[],
): Promise<AlarmNow[]> {
  const found: AlarmNow[] = [];
  for (let from = 0; from < names.length; from += NAMES_MAX)
    found.push(...(await described(control, names.slice(from, from + NAMES_MAX))));
  return found;
}

async function described(control: ControlPlane, names: readonly string[]): Promise<AlarmNow[]> {
  const AlarmTypes = ["MetricAlarm", "CompositeAlarm"];
  const input = { AlarmNames: [...names], AlarmTypes, MaxRecords: NAMES_MAX };
  try {
    const output = await control.call("cloudwatch", "DescribeAlarms", input);
    return [output.MetricAlarms, output.CompositeAlarms].flatMap(alarmsIn);
  } catch (thrown) {
    if (!(thrown instanceof AwsFailure)) throw thrown;
    throw new GatecrashError("aws", `alarms cannot be read: ${thrown.name}: ${thrown.message}`, {
      hint: "the identity for observing needs cloudwatch:DescribeAlarms",
      cause: thrown,
    });
  }
}

function alarmsIn(list: unknown): AlarmNow[] {
  if (!Array.isArray(list)) return [];
  return (list as { readonly [member: string]: unknown }[]).map((alarm) => ({
    name: String(alarm.AlarmName),
    state: stateOf(alarm.StateValue),
    reason: String(alarm.StateReason ?? ""),
    missing: String(alarm.TreatMissingData ?? "missing"),
  }));
}

/** A state that is not known to be good is none to go on in. */
const stateOf = (value: unknown): AlarmState =>
  value === "OK" || value === "INSUFFICIENT_DATA" ? value : "ALARM";
