// What a run changes around its faults: when it begins, and when it ends.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runFaults } from "../../src/cli/run-faults.ts";
import { hostsAlone } from "../../src/cli/system.ts";
import { alarmOf } from "../../src/local/template/data.ts";
import { readAlarms } from "../../src/observe/alarms.ts";
import type { RunClock } from "../../src/run/clock.ts";
import { readAccount } from "../../src/run/heal-account.ts";
import { askToAbort } from "../../src/run/lease-calls.ts";
import { paceOf } from "../../src/run/pace.ts";
import { readScenario } from "../../src/scenario/read.ts";
import { type MemoryAws, memoryAws } from "../support/memory-aws.ts";
import { SkipClock } from "../support/skip-clock.ts";

const SHORT = fileURLToPath(new URL("../fixtures/short/scenario.yaml", import.meta.url));
const ARN = "arn:aws:lambda:eu-west-1:000000000000:function:open";
const ENDPOINT = "http://127.0.0.1:1";
const MINUTE_MS = 60_000;
const ALARM = {
  Type: "AWS::CloudWatch::Alarm" as const,
  Properties: {
    ...{ AlarmName: "high", Namespace: "AWS/Lambda", MetricName: "Errors", Period: 60 },
    ...{ EvaluationPeriods: 1, Threshold: 0 },
    ComparisonOperator: "GreaterThanThreshold" as const,
  },
};

class SkippingClock extends SkipClock implements RunClock {
  readonly epochHrNs = 0n;
  startAt(): void {}
}

let clock: SkippingClock;
let aws: MemoryAws;
let home: string;
beforeEach(() => {
  clock = new SkippingClock();
  aws = memoryAws(clock, "open");
  aws.world.alarms.add(alarmOf("A", ALARM, 1), clock.wallMs());
  home = mkdtempSync(join(tmpdir(), "gatecrash-faults-"));
  vi.stubEnv("XDG_STATE_HOME", home);
});
afterEach(() => {
  aws.world.schedules[Symbol.dispose]();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

/** The faults of a run that mutes the alarm and takes `open` away. */
function faultsOf() {
  const read = readScenario(SHORT, { variant: null, environment: "local" });
  const [fault] = read.faults;
  const scenario = {
    ...read,
    loads: [],
    faults: [{ ...fault!, input: { function: ARN, to: 0 } }],
    allow: { hosts: [], change: [ARN], lose: [ARN] },
    muteAlarms: { alarms: ["high"], afterUs: 0, atMostUs: 10 * MINUTE_MS * 1_000, line: 1 },
  };
  const { control } = aws;
  const controls = { control, load: control, inject: control, restore: control };
  return runFaults({
    ...{ scenario, counted: [], run: "r1", dir: home, clock, waitUs: 0 },
    system: { ...hostsAlone("r1"), endpoint: ENDPOINT, ...controls },
    ...{ signal: new AbortController().signal, over: new AbortController().signal },
    ...{ say: () => {}, err: () => {} },
  });
}

async function rule(): Promise<unknown> {
  const input = { AlarmMuteRuleName: "gatecrash-r1" };
  return (await aws.control.call("cloudwatch", "GetAlarmMuteRule", input)).Status;
}

test("alarms are muted from the run on, however long it has waited for another one", async () => {
  const faults = faultsOf();
  await faults.check();
  await clock.skip(90 * MINUTE_MS);
  const [muted] = faults.bind(() => {});
  await muted?.runner.inject(AbortSignal.timeout(10_000));
  expect(await rule()).toBe("ACTIVE");
  await muted?.runner.restore();
});

test("whoever stops the run from another machine need not wait for alarms to be quiet", async () => {
  const faults = faultsOf();
  await faults.check();
  const [muted] = faults.bind(() => {});
  await muted?.runner.inject(AbortSignal.timeout(10_000));
  const state = { AlarmName: "high", StateValue: "ALARM", StateReason: "rehearsal" };
  await aws.control.call("cloudwatch", "SetAlarmState", state);
  const place = { endpoint: ENDPOINT, account: "000000000000", region: "eu-west-1" };
  const ports = { control: aws.control, clock, pace: paceOf(ENDPOINT) };
  const [lease] = (await readAccount({ ...ports, place })).leases;
  await askToAbort(lease!.held, "ops@laptop", aws.control);
  await muted?.runner.restore();
  const [alarm] = await readAlarms(aws.control, ["high"]);
  expect(alarm?.state).toBe("ALARM");
  await expect(rule()).rejects.toThrow(/gatecrash-r1/);
  expect(faults.signal.reason).toMatchObject({ message: "asked to by ops@laptop" });
});
