// Alarms are muted while a run breaks things: they still change state, and call nobody.

import type { Change, Fault, Fields } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import { partitionOf } from "../core/partition.ts";

export interface MuteAlarms {
  readonly name: string;
  /** Name of the rule, the run's own: nobody else's is ever touched. */
  readonly rule: string;
  readonly region: string;
  readonly account: string;
  /** Names, 1 to 100. */
  readonly alarms: readonly string[];
  /** From when on; ms since 1970. Its minute counts. */
  readonly fromMs: number;
  /** After so long the rule is over by itself, whatever becomes of the run. */
  readonly forUs: number;
}

export const MUTE_KIND = "mute-alarms";
const FIELD = "Rule.Schedule.Expression";
const MINUTE_US = 60_000_000;
const NO_RULE = ["ResourceNotFoundException", "ResourceNotFound"];

export function muteAlarms(spec: MuteAlarms): Fault {
  const { name, rule, alarms, fromMs, forUs } = spec;
  const named = { AlarmMuteRuleName: rule };
  const read = { action: "GetAlarmMuteRule", input: named, fields: [FIELD], absent: NO_RULE };
  const expression = `at(${new Date(fromMs).toISOString().slice(0, 16)})`;
  // The minute it begins in has partly passed.
  const minutes = Math.ceil(forUs / MINUTE_US) + 1;
  const change = (action: string, input: Change["input"]): Change => ({
    ...{ service: "cloudwatch", action, input, readBack: read },
  });
  const schedule = { Expression: expression, Duration: `PT${minutes}M`, Timezone: "UTC" };
  const put = change("PutAlarmMuteRule", {
    Name: rule,
    Rule: { Schedule: schedule },
    MuteTargets: { AlarmNames: [...alarms] },
  });
  const isOurs = (prior: Fields): boolean => {
    if (prior[FIELD] === undefined || prior[FIELD] === expression)
      return prior[FIELD] !== undefined;
    const text = `fault ${name}: there is an alarm mute rule ${rule} already`;
    throw new GatecrashError("refused", text, { hint: "delete it, if it is nobody's" });
  };
  return {
    kind: MUTE_KIND,
    name,
    resources: [muteRuleArn(spec)],
    read: { service: "cloudwatch", ...read },
    faulted: { [FIELD]: expression },
    inject: (prior) => (isOurs(prior) ? [] : [put]),
    undo: (prior) => (isOurs(prior) ? [] : [change("DeleteAlarmMuteRule", named)]),
    probe: {
      ...{ service: "cloudwatch", action: read.action, input: named },
      inForce: ({ error, output }) => error === "" && output.Status === "ACTIVE",
    },
  };
}

function muteRuleArn({ rule, region, account }: MuteAlarms): string {
  return `arn:${partitionOf(region)}:cloudwatch:${region}:${account}:alarm-mute-rule:${rule}`;
}
