// Muted alarms in whole runs: they ring and stop the run, nobody is called, nothing is left.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createControlPlane } from "../../src/aws/control-plane.ts";
import type { ControlPlane, Json } from "../../src/core/change.ts";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";
import { Workplace } from "../support/command-line.ts";
import { asked, called, enforce, withRoles } from "../support/permissions.ts";
import { STAGING } from "../support/rehearsal.ts";
import { SkipClock } from "../support/skip-clock.ts";

const place = new Workplace("gatecrash-mute-");
afterAll(() => place[Symbol.asyncDispose]());

const ALARM = `
  Refused:
    Type: AWS::CloudWatch::Alarm
    Properties:
      AlarmName: open-is-refused
      Namespace: AWS/Lambda
      MetricName: Throttles
      Dimensions: [{ Name: FunctionName, Value: !Ref Open }]
      Statistic: Sum
      Period: 86400
      EvaluationPeriods: 1
      Threshold: 0
      ComparisonOperator: GreaterThanThreshold
      AlarmActions: [!GetAtt Kept.Arn]

Outputs:
`;

function scenario(more: string): string {
  const folder = place.scenario({
    ...{ "gone: 2500ms": "gone: 20s", "limits: { duration: 30s": "limits: { duration: 60s" },
    "accept:\n": `${more}\naccept:\n`,
  });
  const template = join(folder, "template.yaml");
  writeFileSync(template, readFileSync(template, "utf8").replace("\nOutputs:\n", ALARM));
  return folder;
}

const MUTE = "mute-alarms: [open-is-refused]";
const STOP = "stop-when: [{ alarm: open-is-refused }]";
const PATIENT = { timeout: 240_000 };

let local: LocalAws;
let clock: SkipClock;
let control: ControlPlane;
const call = (action: string, input: { [key: string]: Json }) =>
  control.call("cloudwatch", action, input);
const set = (StateValue: string) =>
  call("SetAlarmState", { AlarmName: "open-is-refused", StateValue, StateReason: "rehearsal" });
const rules = async (): Promise<unknown[]> =>
  (await call("ListAlarmMuteRules", {})).AlarmMuteRuleSummaries as unknown[];
async function history(): Promise<string[]> {
  const { AlarmHistoryItems: items } = await call("DescribeAlarmHistory", {});
  return (items as { HistorySummary: string }[]).map(({ HistorySummary }) => HistorySummary);
}
const eventsIf = (out: string): string => {
  try {
    return readFileSync(join(out, "events", "0.jsonl"), "utf8");
  } catch {
    return "";
  }
};

describe("a run that mutes alarms", PATIENT, () => {
  beforeEach(async () => {
    clock = new SkipClock();
    const folder = scenario(MUTE);
    local = await startLocalAws({ template: join(folder, "template.yaml") }, clock);
    const where = { endpoint: local.endpoint, region: "eu-west-1", account: null, runId: "t" };
    control = createControlPlane(where);
  });
  afterEach(() => local.stop());
  const run = (folder: string, out: string) =>
    place.start(["run", folder, "--endpoint", local.endpoint, "--out", out]);

  test("is stopped by one of them all the same, waits until it is quiet, and leaves no rule", async () => {
    const out = join(place.dir, "stopped");
    const running = run(scenario(`${MUTE}\n${STOP}`), out);
    await running.until(() => eventsIf(out).match(/"onset"/g)?.length === 2);
    expect(await rules()).toHaveLength(1);
    await set("ALARM");
    await running.until(() => running.err.includes("waiting until these alarms are out of ALARM"));
    expect(await rules()).toHaveLength(1);
    await set("OK");
    const ended = await running.ended;
    expect(ended.code, ended.out + ended.err).toBe(5);
    expect(ended.out).toMatch(/stopped by condition: alarm open-is-refused is in ALARM: rehearsal/);
    expect(ended.out.replaceAll(/\s+/g, " ")).toMatch(
      /2 of 2 undone and verified .*muted unset → at/,
    );
    expect(await rules()).toEqual([]);
    expect(await history()).toContainEqual(expect.stringMatching(/was muted by alarm mute rule/));
    expect((await history()).filter((text) => text.startsWith("Successfully"))).toEqual([]);
  });

  test("and is cancelled unmutes at once; one that is killed is unmuted by heal", async () => {
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const out = join(place.dir, signal);
      const running = run(scenario(MUTE), out);
      await running.until(() => eventsIf(out).match(/"onset"/g)?.length === 2);
      running.kill(signal);
      const ended = await running.ended;
      if (signal === "SIGINT") expect(ended.code, ended.out + ended.err).toBe(130);
      else {
        expect(await rules()).toHaveLength(1);
        const healed = await place.run("heal", "--verify-clean");
        expect([healed.code, healed.out]).toEqual([
          0,
          expect.stringMatching(/Rule\.Schedule\.Expression at\(.*\) → unset/),
        ]);
      }
      expect(await rules()).toEqual([]);
    }
  });

  test("shows it in the plan and asks for its rights; a wrong alarm is said before", async () => {
    const folder = scenario(MUTE);
    const planned = await place.run("plan", folder, "--endpoint", local.endpoint);
    expect(planned.out).toMatch(/CHANGES +mute-alarms \(mute-alarms\)/);
    expect(planned.out).toContain("aws cloudwatch delete-alarm-mute-rule");
    const wrong = scenario("mute-alarms: [open-is-refusd]");
    const ended = await run(wrong, join(place.dir, "wrong")).ended;
    expect(ended.code).toBe(64);
    expect(ended.err).toMatch(/scenario\.yaml:\d+: there is no alarm open-is-refusd/);
    expect(await rules()).toEqual([]);
  });
});

test(
  "in an account the rights that plan --iam tells are enough, and are enforced",
  PATIENT,
  async () => {
    const folder = scenario(`${MUTE}\nnotify: [{ eventbridge: { bus: default } }]`);
    const template = join(folder, "template.yaml");
    const running = place.start(["local", "--template", template, "--account", STAGING, "--json"]);
    await running.until(() => running.out.includes("\n"));
    const { endpoint } = JSON.parse(running.out);
    const file = join(folder, "scenario.yaml");
    const yaml = readFileSync(file, "utf8")
      // A load over HTTP needs no rights, so there is no role for it.
      .replace("template: template.yaml\n", withRoles(endpoint).replace(/load: \{.*?\}, /, ""))
      .replace("gone: 20s", "gone: 6s")
      .replace(MUTE, "mute-alarms: { alarms: [open-is-refused], after: 0s }");
    writeFileSync(file, yaml);
    const stack = await place.run("bootstrap", folder, "--env", "stg");
    expect(stack.code, stack.err).toBe(0);
    await enforce(endpoint, stack.out);
    const ended = await place.run("run", folder, "--env", "stg", "--out", join(place.dir, "roles"));
    expect(ended.out, ended.err).toMatch(/faults\s+2 of 2 undone and verified/);
    expect(ended.out).toMatch(/told\s+eventbridge 1: 5 of 5/);
    const refused = Object.values(await asked(endpoint)).flatMap((role) => role.refused);
    expect(refused).toEqual([]);
    const { inject = [] } = await called(endpoint);
    expect(inject).toContain("AWSEvents:PutEvents");
    running.kill("SIGTERM");
    await running.ended;
  },
);

test("leaves no process behind", () => place.quiet(), 70_000);
