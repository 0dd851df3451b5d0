// Muted alarms: the changes as data, and the conformance of every change that a run makes.
import { describe, expect, test } from "vitest";
import type { ControlPlane, Fields } from "../../src/core/change.ts";
import { commandOf } from "../../src/core/command.ts";
import { muteAlarms } from "../../src/faults/mute-alarms.ts";
import { alarmOf } from "../../src/local/template/data.ts";
import { faultConformance } from "../conformance/fault.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { memorySubject } from "../support/memory-subject.ts";

const FIELD = "Rule.Schedule.Expression";
const NOON = Date.UTC(2026, 10, 30, 12, 0, 42);
const DAYS_US = 10 * 86_400_000_000;

const made = (name: string, rule: string, fromMs = NOON, forUs = DAYS_US) =>
  muteAlarms({
    ...{ name, rule, region: "eu-west-1", account: "000000000000" },
    ...{ alarms: ["high", "low"], fromMs, forUs },
  });

/** Where virtual time begins: the rule is active in all of a test's. */
const startMs: number = new AutoClock().wallMs();
const at = (ms: number): string => `at(${new Date(ms).toISOString().slice(0, 16)})`;
const nameOf = (other?: "other"): string => (other === undefined ? "gatecrash-r1" : "gatecrash-r2");
const subjectOf = (name: string, other?: "other") => made(name, nameOf(other), startMs);

faultConformance({
  name: "mute-alarms",
  priors: [
    ["no rule", {}, 21],
    ["the fault's own rule", { [FIELD]: at(startMs) }, 13],
  ],
  start: () =>
    memorySubject({
      fault: (name) => subjectOf(name),
      other: (name) => subjectOf(name, "other"),
      foreign: { [FIELD]: "at(2030-01-01T00:00)" },
      before(world) {
        for (const AlarmName of ["high", "low"])
          world.alarms.add(alarmOf("A", alarm(AlarmName), 1), startMs);
      },
      async set(control: ControlPlane, fields: Fields, other?: "other") {
        const Name = nameOf(other);
        if (fields[FIELD] === undefined) {
          await control.call("cloudwatch", "DeleteAlarmMuteRule", { AlarmMuteRuleName: Name });
          return;
        }
        const Schedule = { Expression: fields[FIELD], Duration: "P10D" };
        await control.call("cloudwatch", "PutAlarmMuteRule", { Name, Rule: { Schedule } });
      },
    }),
});

const alarm = (AlarmName: string) => ({
  Type: "AWS::CloudWatch::Alarm" as const,
  Properties: {
    ...{ AlarmName, Namespace: "AWS/Lambda", MetricName: "Errors", Period: 60 },
    ...{ EvaluationPeriods: 1, Threshold: 0 },
    ComparisonOperator: "GreaterThanThreshold" as const,
  },
});

describe("the changes of muted alarms", () => {
  const fault = made("mute", "gatecrash-x", NOON, 61 * 60_000_000);

  test("are a rule of the run's own, over by itself, and its deletion", () => {
    const [inject] = fault.inject({});
    expect(inject?.input).toEqual({
      Name: "gatecrash-x",
      Rule: {
        Schedule: { Expression: "at(2026-11-30T12:00)", Duration: "PT62M", Timezone: "UTC" },
      },
      MuteTargets: { AlarmNames: ["high", "low"] },
    });
    const [undo] = fault.undo({});
    expect(commandOf(undo!, "eu-west-1", null)).toBe(
      "aws cloudwatch delete-alarm-mute-rule --alarm-mute-rule-name gatecrash-x --region eu-west-1",
    );
    expect(fault.resources).toEqual([
      "arn:aws:cloudwatch:eu-west-1:000000000000:alarm-mute-rule:gatecrash-x",
    ]);
  });

  test("leave a rule of that name alone that somebody else has made", () => {
    const other = { [FIELD]: "cron(0 2 * * *)" };
    expect(() => fault.inject(other)).toThrow(/there is an alarm mute rule gatecrash-x already/);
    expect(fault.inject(fault.faulted)).toEqual([]);
  });
});
