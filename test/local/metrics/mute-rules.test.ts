// Alarm mute rules through the real client: alarms still change state, and nobody is called.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CloudWatchClient,
  DeleteAlarmMuteRuleCommand,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  GetAlarmMuteRuleCommand,
  ListAlarmMuteRulesCommand,
  PutAlarmMuteRuleCommand,
  SetAlarmStateCommand,
  type StateValue,
} from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { muteSchedule } from "../../../src/local/metrics/mute-schedule.ts";
import { type LocalAws, startLocalAws } from "../../../src/local/start.ts";
import { SkipClock } from "../../support/skip-clock.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const at = (text: string): number => Date.parse(text);

describe("a mute rule's schedule", () => {
  it.each([
    ["at(2026-05-10T14:00)", "PT1H", "UTC", "2026-05-10T14:00Z", true],
    ["at(2026-05-10T14:00)", "PT1H", "UTC", "2026-05-10T13:59:59Z", false],
    ["at(2026-05-10T14:00)", "PT1H", "UTC", "2026-05-10T15:00Z", false],
    ["at(2026-05-10T14:00)", "PT1H", "America/New_York", "2026-05-10T18:30Z", true],
    ["cron(0 2 * * SUN)", "PT4H", "UTC", "2026-05-10T05:59Z", true],
    ["cron(0 2 * * SUN)", "PT4H", "UTC", "2026-05-11T03:00Z", false],
    ["cron(0 0 * * *)", "P1D", "UTC", "2026-05-11T03:00Z", true],
    ["cron(0 1 1 * *)", "P2DT12H", "Europe/London", "2026-05-03T11:00Z", true],
  ])("%s for %s in %s mutes at %s: %s", (expression, duration, zone, moment, expected) => {
    const window = muteSchedule(expression, duration, zone).window(at(moment));
    expect(window !== null && window.startMs <= at(moment)).toBe(expected);
  });

  it.each([
    ["rate(1 minute)", "PT1H", "UTC"],
    ["at(2026-05-10T14:00:00)", "PT1H", "UTC"],
    ["at(2026-13-10T14:00)", "PT1H", "UTC"],
    ["cron(0 2 * * ? *)", "PT1H", "UTC"],
    ["cron(0/5 2 * * *)", "PT1H", "UTC"],
    ["cron(99 2 * * *)", "PT1H", "UTC"],
    ["at(2026-05-10T14:00)", "PT30S", "UTC"],
    ["at(2026-05-10T14:00)", "P16D", "UTC"],
    ["at(2026-05-10T14:00)", "P", "UTC"],
    ["at(2026-05-10T14:00)", "PT1H", "Mars/Olympus"],
  ])("%s for %s in %s is refused", (expression, duration, zone) => {
    expect(() => muteSchedule(expression, duration, zone)).toThrow(/is not valid/);
  });
});

const TEMPLATE = `AWSTemplateFormatVersion: '2010-09-09'
Transform: AWS::Serverless-2016-10-31
Resources:
  Pager:
    Type: AWS::Serverless::Function
    Properties: { FunctionName: pager, Runtime: nodejs20.x, Handler: index.handler, CodeUri: functions/ }
  High:
    Type: AWS::CloudWatch::Alarm
    Properties:
      AlarmName: high
      Namespace: AWS/Lambda
      MetricName: Errors
      Statistic: Sum
      Period: 86400
      EvaluationPeriods: 1
      Threshold: 0
      ComparisonOperator: GreaterThanThreshold
      AlarmActions: [!GetAtt Pager.Arn, "arn:aws:sns:eu-west-1:000000000000:oncall"]
`;

let clock: SkipClock;
let folder: string;
let local: LocalAws;
let client: CloudWatchClient;
let logs: CloudWatchLogsClient;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatecrash-mute-"));
  mkdirSync(join(folder, "functions"));
  writeFileSync(
    join(folder, "functions", "index.mjs"),
    "export const handler = async (event) => console.log('paged', JSON.stringify(event));\n",
  );
  writeFileSync(join(folder, "template.yaml"), TEMPLATE);
  clock = new SkipClock();
  local = await startLocalAws({ template: join(folder, "template.yaml") }, clock);
  const { endpoint } = local;
  const credentials = { accessKeyId: "LOCAL", secretAccessKey: "local" };
  client = new CloudWatchClient({ endpoint, region: "eu-west-1", credentials, maxAttempts: 1 });
  logs = new CloudWatchLogsClient({ endpoint, region: "eu-west-1", credentials });
});
afterEach(async () => {
  client.destroy();
  logs.destroy();
  await local.stop();
  rmSync(folder, { recursive: true });
});

const Name = "quiet";
const minute = (): string => new Date(clock.wallMs()).toISOString().slice(0, 16);
const mute = (more: object = {}, alarms = ["high"]) =>
  client.send(
    new PutAlarmMuteRuleCommand({
      Name,
      Rule: { Schedule: { Expression: `at(${minute()})`, Duration: "PT10M", Timezone: "UTC" } },
      MuteTargets: { AlarmNames: alarms },
      ...more,
    }),
  );
const unmute = () => client.send(new DeleteAlarmMuteRuleCommand({ AlarmMuteRuleName: Name }));
const set = (StateValue: StateValue) =>
  client.send(
    new SetAlarmStateCommand({ AlarmName: "high", StateValue, StateReason: "a rehearsal" }),
  );
const get = () => client.send(new GetAlarmMuteRuleCommand({ AlarmMuteRuleName: Name }));
async function state(): Promise<string | undefined> {
  const { MetricAlarms } = await client.send(new DescribeAlarmsCommand({ AlarmNames: ["high"] }));
  return MetricAlarms?.[0]?.StateValue;
}
async function history(): Promise<(string | undefined)[]> {
  const input = { AlarmName: "high", ScanBy: "TimestampAscending" } as const;
  const { AlarmHistoryItems } = await client.send(new DescribeAlarmHistoryCommand(input));
  return AlarmHistoryItems?.map(({ HistorySummary }) => HistorySummary) ?? [];
}
async function pages(): Promise<string[]> {
  const input = { logGroupName: "/aws/lambda/pager", filterPattern: "paged" };
  const answer = await logs.send(new FilterLogEventsCommand(input)).catch(() => null);
  return answer?.events?.map(({ message = "" }) => message) ?? [];
}

const PAGER = "arn:aws:lambda:eu-west-1:000000000000:function:pager";
const SNS = "arn:aws:sns:eu-west-1:000000000000:oncall";

describe("an alarm", () => {
  it("that no rule mutes calls its function, and says what it cannot do", async () => {
    await set("ALARM");
    const [page = ""] = await vi.waitFor(async () => {
      const found = await pages();
      expect(found).toHaveLength(1);
      return found;
    });
    expect(JSON.parse(page.slice(page.indexOf("{")))).toMatchObject({
      source: "aws.cloudwatch",
      alarmArn: "arn:aws:cloudwatch:eu-west-1:000000000000:alarm:high",
      alarmData: {
        alarmName: "high",
        state: { value: "ALARM", reason: "a rehearsal" },
        previousState: { value: "INSUFFICIENT_DATA" },
      },
    });
    expect(new Set(await history())).toEqual(
      new Set([
        "Alarm updated from INSUFFICIENT_DATA to ALARM",
        `Successfully executed action ${PAGER}`,
        `Action ${SNS} was not executed: local AWS calls functions only`,
      ]),
    );
  });

  it("that is muted changes its state, calls nobody, and its history says so", async () => {
    await mute();
    expect(await get()).toMatchObject({
      Name,
      AlarmMuteRuleArn: "arn:aws:cloudwatch:eu-west-1:000000000000:alarm-mute-rule:quiet",
      Rule: { Schedule: { Duration: "PT10M", Timezone: "UTC" } },
      MuteTargets: { AlarmNames: ["high"] },
      ...{ Status: "ACTIVE", MuteType: "ONE_TIME", LastUpdatedTimestamp: expect.any(Date) },
    });
    await set("ALARM");
    expect(await state()).toBe("ALARM");
    expect(await history()).toEqual([
      "Alarm updated from INSUFFICIENT_DATA to ALARM",
      `Action ${PAGER} was muted by alarm mute rule quiet`,
      `Action ${SNS} was muted by alarm mute rule quiet`,
    ]);
    await set("OK");
    await unmute();
    await unmute(); // idempotent
    await expect(get()).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    expect(await history()).not.toContain(`Successfully executed action ${PAGER}`);
    expect(await pages()).toEqual([]);
  });

  it.each(["is deleted", "has expired"])("that still rings calls when its rule %s", async (how) => {
    await mute();
    await set("ALARM");
    if (how === "is deleted") await unmute();
    else await clock.skip(11 * 60_000);
    await vi.waitFor(async () => {
      expect(await history()).toContain(`Successfully executed action ${PAGER}`);
    });
    if (how === "has expired") expect((await get()).Status).toBe("EXPIRED");
  });
});

describe("mute rules", () => {
  it("are listed by alarm and status, in pages", async () => {
    await mute();
    await mute({ Name: "later", StartDate: new Date(clock.wallMs() + 60_000) });
    await mute({ Name: "over", ExpireDate: new Date(clock.wallMs() - 60_000) }, []);
    const list = async (input: object) => {
      const answer = await client.send(new ListAlarmMuteRulesCommand(input));
      return answer.AlarmMuteRuleSummaries?.map(({ AlarmMuteRuleArn = "", Status }) => [
        AlarmMuteRuleArn.split(":").at(-1),
        Status,
      ]);
    };
    expect(await list({})).toEqual([
      ["later", "SCHEDULED"],
      ["over", "EXPIRED"],
      ["quiet", "ACTIVE"],
    ]);
    expect(await list({ AlarmName: "high", Statuses: ["ACTIVE"] })).toEqual([["quiet", "ACTIVE"]]);
    expect(await list({ MaxRecords: 2, NextToken: "2" })).toEqual([["quiet", "ACTIVE"]]);
  });

  it("of alarms that do not exist, or of no sense, are refused", async () => {
    await expect(mute({}, ["hihg"])).rejects.toMatchObject({ name: "ValidationException" });
    await expect(
      mute({ Rule: { Schedule: { Expression: "now", Duration: "PT1M" } } }),
    ).rejects.toMatchObject({ name: "ValidationException" });
    const many = Array.from({ length: 101 }, () => "high");
    await expect(mute({}, many)).rejects.toThrow(/at most 100/);
  });
});
