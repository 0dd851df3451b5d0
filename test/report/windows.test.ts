// Windows from plan and observed fault times.
import { describe, expect, test } from "vitest";
import type { FaultTimes } from "../../src/core/change.ts";
import { runUs } from "../../src/core/time.ts";
import { windowsOf } from "../../src/report/windows.ts";

const S = 1_000_000;
const phases = [
  { name: "before", start_us: 0, end_us: 20 * S },
  { name: "zero", start_us: 20 * S, end_us: 35 * S },
  { name: "after", start_us: 35 * S, end_us: 50 * S },
];
const fault = (name: string, during: string | null) => ({
  ...{ name, kind: "reserved-concurrency", during, resources: [] },
  start_us: 20 * S,
  end_us: 35 * S,
});
const times = (
  name: string,
  [asked, onset, restore, cleared]: readonly (number | null)[],
): FaultTimes => {
  const us = (s: number | null | undefined) => (s == null ? null : runUs(s * S));
  return {
    name,
    askedUs: us(asked),
    onsetUs: us(onset),
    restoreAskedUs: us(restore),
    clearedUs: us(cleared),
  };
};
const span = (windows: ReturnType<typeof windowsOf>, name: string) => {
  const window = windows.during.get(name)!;
  return [window.startUs / S, window.endUs / S];
};

describe("during a phase", () => {
  test("without a fault is the phase as planned", () => {
    const windows = windowsOf({ phases, faults: [] }, [], 50 * S);
    expect(phases.map(({ name }) => span(windows, name))).toEqual([
      [0, 20],
      [20, 35],
      [35, 50],
    ]);
  });

  test("with a fault runs from its onset to the moment its undo was asked", () => {
    const seen = [times("f", [20, 20.5, 35, 36.8])];
    const windows = windowsOf({ phases, faults: [fault("f", "zero")] }, seen, 50 * S);
    expect(span(windows, "zero")).toEqual([20.5, 35]);
    expect(windows.during.get("zero")!.coverage).toBeCloseTo(14.5 / 15, 9);
    expect(span(windows, "after")).toEqual([36.8, 50]); // ramp-out belongs to no phase
    expect(span(windows, "before")).toEqual([0, 20]);
  });

  test("with two faults is where both are in force, and the next starts when both cleared", () => {
    const faults = [fault("a", "zero"), fault("b", "zero")];
    const seen = [times("a", [20, 21, 34, 35]), times("b", [20, 22, 35, 38])];
    const windows = windowsOf({ phases, faults }, seen, 50 * S);
    expect(span(windows, "zero")).toEqual([22, 34]);
    expect(span(windows, "after")).toEqual([38, 50]);
  });

  test("is empty and uncovered when the fault never set in", () => {
    const seen = [times("f", [20, null, 35, null])];
    const windows = windowsOf({ phases, faults: [fault("f", "zero")] }, seen, 50 * S);
    expect(windows.during.get("zero")).toMatchObject({ coverage: 0 });
  });

  test("ends where the run was last observed", () => {
    const windows = windowsOf({ phases, faults: [] }, [], 42.5 * S);
    expect(span(windows, "after")).toEqual([35, 42.5]);
    expect(windows.during.get("after")!.coverage).toBe(0.5);
  });
});

describe("a fault", () => {
  test("has a ramp-in, a span of its own and a ramp-out", () => {
    const seen = [times("f", [20, 20.5, 35, 36.8])];
    const { faults } = windowsOf({ phases, faults: [fault("f", null)] }, seen, 50 * S);
    const { rampIn, during, rampOut } = faults.get("f")!;
    expect([rampIn, during, rampOut].map((w) => [w.startUs / S, w.endUs / S])).toEqual([
      [20, 20.5],
      [20.5, 35],
      [35, 36.8],
    ]);
  });

  test("with explicit times leaves the phases alone", () => {
    const seen = [times("f", [20, 20.5, 35, 36.8])];
    const windows = windowsOf({ phases, faults: [fault("f", null)] }, seen, 50 * S);
    expect(span(windows, "after")).toEqual([35, 50]);
  });
});

describe("within a time after", () => {
  test("starts at the observed clearing", () => {
    const seen = [times("f", [20, 20.5, 35, 36.8])];
    const windows = windowsOf({ phases, faults: [fault("f", "zero")] }, seen, 50 * S);
    const window = windows.resolve({ kind: "within", us: 10 * S, after: "zero" })!;
    expect([window.startUs / S, window.endUs / S, window.coverage]).toEqual([36.8, 46.8, 1]);
  });

  test("covers only what was observed, and nothing when it never cleared", () => {
    const plan = { phases, faults: [fault("f", "zero")] };
    const cut = windowsOf(plan, [times("f", [20, 20.5, 35, 36])], 41 * S);
    expect(cut.resolve({ kind: "within", us: 10 * S, after: "zero" })!.coverage).toBe(0.5);
    const never = windowsOf(plan, [times("f", [20, 20.5, 35, null])], 50 * S);
    expect(never.resolve({ kind: "within", us: 10 * S, after: "zero" })!.coverage).toBe(0);
  });

  test("an unknown name is unknown", () => {
    const windows = windowsOf({ phases, faults: [] }, [], 50 * S);
    expect(windows.resolve({ kind: "within", us: S, after: "nope" })).toBeNull();
    expect(windows.resolve({ kind: "during", name: "nope" })).toBeNull();
  });
});
