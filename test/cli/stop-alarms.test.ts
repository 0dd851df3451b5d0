// Alarms as stop conditions of whole runs: the built command against a local AWS of the test's.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CloudWatchClient, SetAlarmStateCommand } from "@aws-sdk/client-cloudwatch";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LocalAws, startLocalAws } from "../../src/local/start.ts";
import { Workplace } from "../support/command-line.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";
import { SkipClock } from "../support/skip-clock.ts";

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";

const place = new Workplace("gatecrash-alarms-");
afterAll(() => place[Symbol.asyncDispose]());

const ALARMS = `
  Refused:
    Type: AWS::CloudWatch::Alarm
    Properties:
      AlarmName: open-is-refused
      Namespace: AWS/Lambda
      MetricName: Throttles
      Dimensions: [{ Name: FunctionName, Value: !Ref Open }]
      Statistic: Sum
      Period: 60
      EvaluationPeriods: 1
      Threshold: 0
      ComparisonOperator: GreaterThanThreshold
      TreatMissingData: notBreaching

  Quiet:
    Type: AWS::CloudWatch::Alarm
    Properties:
      AlarmName: nobody-comes
      Namespace: AWS/Lambda
      MetricName: Invocations
      Dimensions: [{ Name: FunctionName, Value: !Ref Open }]
      Statistic: Sum
      Period: 60
      EvaluationPeriods: 1
      Threshold: 1
      ComparisonOperator: LessThanThreshold
      TreatMissingData: breaching

Outputs:
  RefusedArn:
    Value: !GetAtt Refused.Arn
`;

/** The short scenario with a fault of half a minute, these alarms in its template, and this key. */
function scenario(stopWhen: string): string {
  const folder = place.scenario({
    "gone: 2500ms": "gone: 25s",
    "limits: { duration: 30s": "limits: { duration: 90s",
    "accept:\n": `stop-when: [${stopWhen}]\naccept:\n`,
  });
  const template = join(folder, "template.yaml");
  writeFileSync(template, readFileSync(template, "utf8").replace("\nOutputs:\n", ALARMS));
  return folder;
}

let clock: SkipClock;
let local: LocalAws;
let folder: string;
const run = (scenarioFolder: string, out: string) =>
  place.start(["run", scenarioFolder, "--endpoint", local.endpoint, "--out", out]);

async function setAlarm(AlarmName: string, StateValue: "OK" | "ALARM"): Promise<void> {
  const credentials = { accessKeyId: "LOCAL", secretAccessKey: "local" };
  const { endpoint } = local;
  const client = new CloudWatchClient({ endpoint, region: "eu-west-1", credentials });
  const StateReason = "a rehearsal";
  await client.send(new SetAlarmStateCommand({ AlarmName, StateValue, StateReason }));
  client.destroy();
}

const eventsOf = (out: string): string => readFileSync(join(out, "events", "0.jsonl"), "utf8");
const PATIENT = { timeout: 120_000 };

describe("an alarm of stop-when", PATIENT, () => {
  beforeEach(async () => {
    clock = new SkipClock();
    clock.holdWall(); // an alarm is evaluated when its minute is over: when the test says so
    folder = scenario('{ alarm: "{{outputs.RefusedArn}}" }');
    local = await startLocalAws({ template: join(folder, "template.yaml") }, clock);
  });
  afterEach(() => local.stop());

  it("that the fault sets off ends the run: undone, exit 5, in events and report", async () => {
    const out = join(place.dir, "set-off");
    const running = run(folder, out);
    await running.until(() => eventsIf(out).includes('"onset"'));
    await clock.skip(61_000); // its minute is over
    const ended = await running.ended;
    expect(ended.code, ended.out + ended.err).toBe(5);
    expect(ended.out).toMatch(/stopped by condition: alarm open-is-refused is in ALARM: Threshold/);
    expect(ended.out).toMatch(/alarms +open-is-refused: (OK|INSUFFICIENT_DATA) at .*ALARM at/);
    expect(ended.out).toMatch(/1 of 1 undone and verified/);
    const result = RESULT_SCHEMA.parse(JSON.parse(readFileSync(join(out, "result.json"), "utf8")));
    expect(result.alarms?.map(({ state }) => state).at(-1)).toBe("ALARM");
    expect(result.faults[0]).toMatchObject({ injected: true, undone: true, verified: true });
    const rows = eventsOf(out)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; alarm?: string; state?: string });
    expect(rows.filter(({ kind }) => kind === "alarm").at(-1)).toMatchObject({
      alarm: "open-is-refused",
      state: "ALARM",
      detail: expect.stringMatching(/^Threshold Crossed: 1 out of the last 1 datapoints/),
    });
    const plan = JSON.parse(readFileSync(join(out, "plan.json"), "utf8"));
    expect(plan.criteria.stop_when).toEqual([`alarm ${local.outputs.RefusedArn}`]);
  });

  it("that rings already lets no run begin, and the plan says so", async () => {
    await setAlarm("open-is-refused", "ALARM");
    const out = join(place.dir, "ringing");
    const ended = await run(folder, out).ended;
    expect(ended.code, ended.err).toBe(64);
    expect(ended.err).toMatch(
      /scenario\.yaml:\d+: alarm open-is-refused is in ALARM already: a rehearsal\n.*nothing was sent/,
    );
    const planned = await place.run("plan", folder, "--endpoint", local.endpoint);
    expect(planned.code).toBe(64);
    expect(planned.out).toMatch(/STOPS +at alarm open-is-refused \(now ALARM\)/);
    expect(planned.out).toMatch(/error: .*a run would be refused/);
    const audit = await fetch(new URL("/_local/audit", local.endpoint));
    expect(await audit.json()).toEqual({ writes: [] });
  });

  it("that is none, or of another account, is said with its line before anything is sent", async () => {
    const other = "arn:aws:cloudwatch:eu-west-1:111111111111:alarm:open-is-refused";
    for (const [alarm, says] of [
      ["open-is-refusd", "there is no alarm open-is-refusd in account 000000000000, eu-west-1"],
      [`"${other}"`, `${other} is no alarm of account 000000000000 in eu-west-1`],
    ] as const) {
      const ended = await run(scenario(`{ alarm: ${alarm} }`), join(place.dir, "none")).ended;
      expect([ended.code, ended.err]).toEqual([64, expect.stringContaining(says)]);
      expect(ended.err).toMatch(/scenario\.yaml:\d+: /);
    }
  });

  it("that a quiet system sets off is warned of", async () => {
    const out = join(place.dir, "quiet");
    const running = run(scenario("{ alarm: nobody-comes }"), out);
    await running.until(() => eventsIf(out).includes('"kind":"alarm"'));
    await setAlarm("nobody-comes", "ALARM");
    const ended = await running.ended;
    expect(ended.code, ended.out + ended.err).toBe(5);
    expect(ended.err).toContain("warning: alarm nobody-comes treats missing data as breaching");
    expect(ended.out).toContain("alarm nobody-comes is in ALARM: a rehearsal");
  });
});

it("leaves no process behind", () => place.quiet(), 70_000);

function eventsIf(out: string): string {
  try {
    return eventsOf(out);
  } catch {
    return ""; // not there yet
  }
}
