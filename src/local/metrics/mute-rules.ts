// The account's alarm mute rules: which there are, and which alarms they keep quiet now.
import type { JsonInput } from "../wire/aws-json.ts";
import { timeOf, wrongMember } from "./metric-input.ts";
import { type MuteSchedule, muteSchedule } from "./mute-schedule.ts";

const ALARMS_MAX = 100;
const NAME_MAX = 255;

export interface MuteRule {
  readonly name: string;
  readonly description: string | null;
  readonly expression: string;
  readonly duration: string;
  /** null = not said, which is UTC. */
  readonly zone: string | null;
  readonly schedule: MuteSchedule;
  readonly alarms: readonly string[];
  readonly startMs: number | null;
  readonly expireMs: number | null;
  readonly updatedMs: number;
}

export type MuteStatus = "SCHEDULED" | "ACTIVE" | "EXPIRED";

export class MuteRules {
  readonly #byName = new Map<string, MuteRule>();

  put(rule: MuteRule): void {
    this.#byName.set(rule.name, rule);
  }

  get(name: string): MuteRule | undefined {
    return this.#byName.get(name);
  }

  /** Deleting what is not there is fine, as on AWS. */
  delete(name: string): boolean {
    return this.#byName.delete(name);
  }

  all(): MuteRule[] {
    return [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The rule that mutes this alarm's actions now; undefined = none does. */
  muting(alarm: string, nowMs: number): MuteRule | undefined {
    return this.all().find(
      (rule) => rule.alarms.includes(alarm) && statusOf(rule, nowMs) === "ACTIVE",
    );
  }
}

export function statusOf({ schedule, startMs, expireMs }: MuteRule, nowMs: number): MuteStatus {
  if (expireMs !== null && nowMs >= expireMs) return "EXPIRED";
  const window = schedule.window(nowMs);
  if (window === null) return "EXPIRED";
  const isOn = window.startMs <= nowMs && (startMs ?? 0) <= nowMs;
  return isOn ? "ACTIVE" : "SCHEDULED";
}

/** Throws CloudWatch's ValidationError. */
export function muteRuleOf(input: JsonInput, nowMs: number): MuteRule {
  const schedule = membersOf(membersOf(input.Rule).Schedule);
  const expression = textOf(schedule.Expression, "Rule.Schedule.Expression", 256);
  const duration = textOf(schedule.Duration, "Rule.Schedule.Duration", 50);
  const zone =
    schedule.Timezone === undefined
      ? null
      : textOf(schedule.Timezone, "Rule.Schedule.Timezone", 50);
  return {
    name: textOf(input.Name, "Name", NAME_MAX),
    description:
      input.Description === undefined ? null : textOf(input.Description, "Description", 1_024, 0),
    ...{ expression, duration, zone },
    schedule: muteSchedule(expression, duration, zone ?? "UTC"),
    alarms: alarmsOf(input.MuteTargets),
    startMs: input.StartDate === undefined ? null : timeOf(input, "StartDate"),
    expireMs: input.ExpireDate === undefined ? null : timeOf(input, "ExpireDate"),
    updatedMs: nowMs,
  };
}

function alarmsOf(targets: unknown): string[] {
  if (targets === undefined) return [];
  const { AlarmNames: names } = membersOf(targets);
  if (!Array.isArray(names) || names.length > ALARMS_MAX)
    throw wrongMember(`MuteTargets.AlarmNames must have at most ${ALARMS_MAX} members.`);
  return names.map((name) => textOf(name, "MuteTargets.AlarmNames", NAME_MAX));
}

function membersOf(value: unknown): { readonly [member: string]: unknown } {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Also for the operations that only name a rule. */
export function textOf(value: unknown, member: string, most: number, least = 1): string {
  if (typeof value === "string" && value.length >= least && value.length <= most) return value;
  throw wrongMember(`${member} must be a text of ${least} to ${most} characters.`);
}
