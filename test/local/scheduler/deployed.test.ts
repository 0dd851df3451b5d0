// A function's own schedule in a template: it is there, is due each minute, and calls the function.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { GetScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { expect, it, onTestFinished } from "vitest";
import { startLocalAws } from "../../../src/local/start.ts";
import { SkipClock } from "../../support/skip-clock.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

function templateWith(event: string): string {
  const folder = mkdtempSync(join(tmpdir(), "gatecrash-schedule-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "functions"));
  writeFileSync(
    join(folder, "functions/roll.mjs"),
    'export const handler = async (event) => console.log("rolled", event.why);\n',
  );
  const file = join(folder, "template.yaml");
  writeFileSync(
    file,
    "Transform: AWS::Serverless-2016-10-31\nResources:\n  Roll:\n" +
      "    Type: AWS::Serverless::Function\n    Properties:\n      Runtime: nodejs22.x\n" +
      "      Handler: roll.handler\n      CodeUri: functions\n      Events:\n" +
      `        Minutely: { Type: ScheduleV2, Properties: { ${event} } }\n`,
  );
  return file;
}

it("is called when it is due", async () => {
  const clock = new SkipClock();
  const event = `ScheduleExpression: rate(1 minute), Name: minutely, Input: '{"why":"due"}'`;
  const local = await startLocalAws({ template: templateWith(event) }, clock);
  onTestFinished(() => local.stop());
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
  const config = { endpoint: local.endpoint, region: "eu-west-1", credentials };
  const scheduler = new SchedulerClient(config);
  expect(await scheduler.send(new GetScheduleCommand({ Name: "minutely" }))).toMatchObject({
    ScheduleExpression: "rate(1 minute)",
    State: "ENABLED",
    Target: { Arn: "arn:aws:lambda:eu-west-1:000000000000:function:local-Roll" },
  });
  const logs = new CloudWatchLogsClient(config);
  const rolled = async (): Promise<number> => {
    const wanted = { logGroupName: "/aws/lambda/local-Roll", filterPattern: "rolled" };
    // There is no group before the first invocation.
    const answer = await logs.send(new FilterLogEventsCommand(wanted)).catch(() => null);
    const events = answer?.events ?? [];
    return events.filter(({ message }) => message?.includes("rolled due")).length;
  };
  expect(await rolled()).toBe(0);
  clock.skip(61_000);
  await expect.poll(rolled, { timeout: 20_000 }).toBe(1);
  clock.skip(60_000);
  await expect.poll(rolled, { timeout: 20_000 }).toBe(2);
  scheduler.destroy();
  logs.destroy();
}, 60_000);

it.each([
  ["a wrong expression", "ScheduleExpression: rate(1 fortnight)", "Invalid rate 1 fortnight"],
  ["input that is no JSON", "ScheduleExpression: rate(1 minute), Input: '{'", "not valid JSON"],
  ["a time zone", "ScheduleExpression: rate(1 minute), ScheduleExpressionTimezone: X", "Timezone"],
])("is refused before anything runs: %s", async (_, event, problem) => {
  const started = startLocalAws({ template: templateWith(event) });
  await expect(started).rejects.toThrow(new RegExp(problem, "i"));
});
