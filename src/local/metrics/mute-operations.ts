// Put-, Get-, List- and DeleteAlarmMuteRule.
import { AwsError } from "../aws-error.ts";
import type { JsonInput } from "../wire/aws-json.ts";
import { pageStart, said } from "../wire/said.ts";
import { audit, type World } from "../world.ts";
import { wrongMember } from "./metric-input.ts";
import { type MuteRule, muteRuleOf, statusOf, textOf } from "./mute-rules.ts";

const PAGE = 50;
const PAGE_MAX = 100;

const arnOf = ({ region, account }: World, name: string): string =>
  `arn:aws:cloudwatch:${region}:${account}:alarm-mute-rule:${name}`;

/** An existing rule of that name is replaced. */
export function putAlarmMuteRule(world: World, input: JsonInput): object {
  const rule = muteRuleOf(input, world.clock.wallMs());
  const known = world.alarms.all().map(({ spec }) => spec.name);
  const unknown = rule.alarms.find((name) => !known.includes(name));
  if (unknown !== undefined) throw wrongMember(`Alarm '${unknown}' does not exist.`);
  world.alarms.mutes.put(rule);
  audit(world, "PutAlarmMuteRule", rule.name, { ...input });
  world.alarms.evaluate(world.clock.wallMs());
  return {};
}

export function getAlarmMuteRule(world: World, input: JsonInput): object {
  const name = textOf(input.AlarmMuteRuleName, "AlarmMuteRuleName", 255);
  const rule = world.alarms.mutes.get(name);
  if (rule === undefined) throw noRule(name);
  const { description, expression, duration, zone, alarms, startMs } = rule;
  return {
    Name: name,
    ...(description === null ? {} : { Description: description }),
    Rule: {
      Schedule: {
        ...{ Expression: expression, Duration: duration },
        ...(zone === null ? {} : { Timezone: zone }),
      },
    },
    MuteTargets: { AlarmNames: alarms },
    ...(startMs === null ? {} : { StartDate: startMs / 1_000 }),
    ...summaryOf(world, rule),
  };
}

export function listAlarmMuteRules(world: World, input: JsonInput): object {
  const { AlarmName: alarm, Statuses: statuses, MaxRecords: most = PAGE } = input;
  if (typeof most !== "number" || !(most >= 1 && most <= PAGE_MAX))
    throw wrongMember(`MaxRecords must be between 1 and ${PAGE_MAX}.`);
  const nowMs = world.clock.wallMs();
  const found = world.alarms.mutes
    .all()
    .filter(({ alarms }) => alarm === undefined || alarms.includes(said(alarm)))
    .filter((rule) => !Array.isArray(statuses) || statuses.includes(statusOf(rule, nowMs)));
  const start = pageStart(input.NextToken);
  const next = start + Math.floor(most);
  return {
    AlarmMuteRuleSummaries: found.slice(start, next).map((rule) => summaryOf(world, rule)),
    ...(next < found.length ? { NextToken: String(next) } : {}),
  };
}

/** What it has kept quiet is heard at once, if it still rings. */
export function deleteAlarmMuteRule(world: World, input: JsonInput): object {
  const name = textOf(input.AlarmMuteRuleName, "AlarmMuteRuleName", 255);
  if (world.alarms.mutes.delete(name)) audit(world, "DeleteAlarmMuteRule", name);
  world.alarms.evaluate(world.clock.wallMs());
  return {};
}

function summaryOf(world: World, rule: MuteRule): object {
  const { name, schedule, expireMs, updatedMs } = rule;
  return {
    AlarmMuteRuleArn: arnOf(world, name),
    ...(expireMs === null ? {} : { ExpireDate: expireMs / 1_000 }),
    Status: statusOf(rule, world.clock.wallMs()),
    MuteType: schedule.kind,
    LastUpdatedTimestamp: updatedMs / 1_000,
  };
}

const noRule = (name: string): AwsError =>
  new AwsError("ResourceNotFoundException", 404, `Alarm mute rule '${name}' does not exist.`, {
    queryCode: "ResourceNotFoundException",
  });
