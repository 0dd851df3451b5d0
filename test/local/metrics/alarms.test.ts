// Alarms: the tables of CloudWatch's user guide, and a threshold that is crossed and left again.
import { describe, expect, it } from "vitest";
import { stateOf } from "../../../src/local/metrics/alarm-state.ts";
import { AlarmTable } from "../../../src/local/metrics/alarm-table.ts";
import { addValue, MetricStore } from "../../../src/local/metrics/store.ts";
import type { AlarmSpec } from "../../../src/local/template/types.ts";

const ALARM: AlarmSpec = {
  name: "high",
  description: null,
  namespace: "AWS/Lambda",
  metric: "ConcurrentExecutions",
  dimensions: [],
  statistic: "Maximum",
  periodMs: 60_000,
  evaluationPeriods: 3,
  datapointsToAlarm: 3,
  threshold: 10,
  comparison: "GreaterThanThreshold",
  missing: "missing",
  actionsEnabled: true,
  actions: { alarm: [], ok: [], insufficientData: [] },
};

/** `0` holds, `X` breaches, `-` is missing; the latest is last, as in the guide. */
const pointsOf = (picture: string): (number | null)[] =>
  picture
    .split(" ")
    .map((one) => (one === "-" ? null : one === "X" ? 11 : 0))
    .reverse();

const NOW = "as it is";
const NO_DATA = "INSUFFICIENT_DATA";

describe("with three points of three", () => {
  it.each([
    ["0 - X - X", "OK", "OK", "OK", "OK"],
    ["- - - - 0", "OK", "OK", "OK", "OK"],
    ["- - - - -", NO_DATA, NOW, "ALARM", "OK"],
    ["0 X X - X", "ALARM", "ALARM", "ALARM", "ALARM"],
    ["- - X - -", "ALARM", NOW, "ALARM", "OK"],
  ])("%s is %s, %s, %s, %s", (picture, ...expected) => {
    expect(states(picture, 3)).toEqual(expected);
  });
});

describe("with two points of three", () => {
  it.each([
    ["0 - X - X", "ALARM", "ALARM", "ALARM", "ALARM"],
    ["0 0 X 0 X", "ALARM", "ALARM", "ALARM", "ALARM"],
    ["0 - X - -", "OK", "OK", "ALARM", "OK"],
    ["- - - - 0", "OK", "OK", "ALARM", "OK"],
    ["- - - X -", "ALARM", NOW, "ALARM", "OK"],
  ])("%s is %s, %s, %s, %s", (picture, ...expected) => {
    expect(states(picture, 2)).toEqual(expected);
  });
});

/** By what missing points count as: missing, ignore, breaching, notBreaching. */
function states(picture: string, datapointsToAlarm: number): string[] {
  return (["missing", "ignore", "breaching", "notBreaching"] as const).map((missing) => {
    const from = (current: "OK" | "ALARM"): string =>
      stateOf({ ...ALARM, datapointsToAlarm, missing }, pointsOf(picture), current);
    return from("OK") === from("ALARM") ? from("OK") : NOW;
  });
}

it("is not raised by one breaching minute out of two, and says what raised it", () => {
  const metrics = new MetricStore();
  const alarms = new AlarmTable(metrics);
  const startMs = Date.UTC(2026, 7, 28, 14, 29);
  alarms.add({ ...ALARM, evaluationPeriods: 2, datapointsToAlarm: 2, threshold: 700 }, startMs);
  const series = metrics.open("AWS/Lambda", "ConcurrentExecutions", [], "Count");
  const [alarm] = alarms.all();
  const seen = [940, 968, 340, 61].map((value, minute) => {
    const atMs = startMs + minute * 60_000;
    addValue(series, atMs + 30_000, value);
    alarms.evaluate(atMs + 59_999);
    alarms.evaluate(atMs + 60_000);
    return alarm?.state;
  });
  expect(seen).toEqual(["INSUFFICIENT_DATA", "ALARM", "OK", "OK"]);
  expect(alarm?.reason).toBe(
    "Threshold Crossed: 1 out of the last 2 datapoints [340.0 (28/08/26 14:31:00)] was not " +
      "greater than the threshold (700.0) (minimum 2 datapoints for ALARM -> OK transition).",
  );
  expect(alarm?.updatedEpochMs).toBe(startMs + 3 * 60_000);
});
