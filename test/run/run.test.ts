// A whole run in virtual time: phases, faults, the steady gate, stops; undo is never skipped.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { GatecrashError } from "../../src/core/error.ts";
import type { FaultEvent, RunEvent } from "../../src/core/facts.ts";
import { parseCriterion } from "../../src/core/parse-criterion.ts";
import type { ScheduledFault } from "../../src/run/fault-runner.ts";
import { performRun } from "../../src/run/run.ts";
import type { RunDeps, RunSummary } from "../../src/run/run-contract.ts";
import { FakeFault, FakeWorkers, type FaultFailure } from "../support/fake-run.ts";
import { plan } from "../support/plans.ts";
import { TEST_EPOCH_MS, TestClock } from "../support/test-clock.ts";

const S = 1_000_000;
const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

interface Played {
  readonly summary: RunSummary;
  readonly events: RunEvent[];
  readonly dir: string;
}

/** One run of the small plan; `during` acts on it after it has started. */
function setUp(options: {
  faults?: (clock: TestClock, log: string[]) => { fault: FakeFault; from: number; to: number }[];
  more?: Partial<RunDeps>;
  endsUs?: number;
}) {
  const clock = new TestClock();
  const workers = new FakeWorkers(clock, options.endsUs);
  const log: string[] = [];
  const abort = new AbortController();
  const parent = mkdtempSync(join(tmpdir(), "gatecrash-"));
  dirs.push(parent);
  const dir = join(parent, "run");
  const faults = (emit: (event: FaultEvent) => void): ScheduledFault[] =>
    (options.faults?.(clock, log) ?? []).map(({ fault, from, to }) => {
      fault.emit = emit;
      return { spec: { name: fault.name, startUs: from * S, endUs: to * S }, runner: fault };
    });
  const play = async (): Promise<Played> => {
    let summary: RunSummary | undefined;
    let failure: unknown;
    performRun({
      dir,
      slice: { index: 0, of: 1 },
      scenarioYaml: "gatecrash: 1\n",
      plan: plan(),
      limits: { durationUs: 90 * S, requests: 10_000 },
      steady: [],
      stopWhen: [],
      clock,
      startWorkers: async () => workers,
      faults,
      signal: abort.signal,
      startAtMs: null,
      progress: () => {},
      ...options.more,
    }).then(
      (done) => {
        summary = done;
      },
      (error) => {
        failure = error;
      },
    );
    for (let ms = 0; ms < 120_000 && summary === undefined && failure === undefined; ms += 500)
      await clock.advance(500);
    if (failure !== undefined) throw failure;
    const lines = readFileSync(join(dir, "events", "0.jsonl"), "utf8")
      .trim()
      .split("\n");
    return { summary: summary!, events: lines.map((line) => JSON.parse(line) as RunEvent), dir };
  };
  /** Runs `act` at this moment of the run (its 0 is 300 ms from now). */
  const at = (ms: number, act: () => void) => clock.at(ms * 1_000 + 300_000, act);
  return { clock, workers, log, abort, play, at };
}

const zero = (more: FaultFailure = {}) => {
  return (clock: TestClock, log: string[]) => [
    { fault: new FakeFault("zero", clock, log, more), from: 7, to: 12 },
  ];
};
const steps = (events: RunEvent[]) =>
  events.flatMap((event) =>
    event.kind === "phase" ? [`${event.t / 1_000} ${event.name} ${event.edge}`] : [],
  );

describe("a run that goes well", () => {
  test("starts 300 ms after everybody is ready, and writes down that moment of the wall clock", async () => {
    const { play } = setUp({});
    const { summary, events, dir } = await play();
    const written = JSON.parse(readFileSync(join(dir, "plan.json"), "utf8"));
    expect(written).toEqual({ ...plan(), epoch_ms: TEST_EPOCH_MS + 300 });
    expect(summary.epochMs).toBe(TEST_EPOCH_MS + 300);
    expect(events[0]).toMatchObject({ t: 0, kind: "start" });
    expect(readFileSync(join(dir, "scenario.yaml"), "utf8")).toBe("gatecrash: 1\n");
  });

  test("starts at the wall time asked for", async () => {
    const startAtMs = (TEST_EPOCH_MS + 5_000) as NonNullable<RunDeps["startAtMs"]>;
    const { summary } = await setUp({ more: { startAtMs } }).play();
    expect(summary.epochMs).toBe(startAtMs);
  });

  test("writes phases at their times, health every second, and the end last", async () => {
    const { summary, events } = await setUp({}).play();
    expect(steps(events)).toEqual([
      "0 warmup start",
      "2000 warmup end",
      "2000 before start",
      "7000 before end",
      "7000 zero start",
      "12000 zero end",
      "12000 after start",
      "17000 after end",
    ]);
    const health = events.filter((event) => event.kind === "health");
    expect(health.map((event) => event.t)).toEqual(
      Array.from({ length: 16 }, (_, i) => (i + 1) * S),
    );
    expect(events.at(-1)).toEqual({ t: 17 * S, kind: "end", rows: [42] });
    expect(summary).toEqual({
      stoppedBy: null,
      invalid: [],
      steady: null,
      undo: [],
      rows: [42],
      epochMs: TEST_EPOCH_MS + 300,
      failure: null,
    });
  });

  test("injects and restores at the times of the plan", async () => {
    const { play, log, workers } = setUp({ faults: zero() });
    const { summary, events } = await play();
    expect(log).toEqual(["7000 inject zero", "12000 restore zero"]);
    expect(summary.undo).toEqual([{ name: "zero", state: "restored", failure: null }]);
    expect(events.find((event) => event.kind === "fault")).toEqual({
      t: 7 * S,
      kind: "fault",
      fault: "zero",
      step: "asked",
    });
    expect(workers.disposed).toBe(true);
  });

  test("waits for the undo of a fault that ends with the run", async () => {
    const faults = (clock: TestClock, log: string[]) => [
      { fault: new FakeFault("late", clock, log), from: 12, to: 17 },
    ];
    const { events, summary } = await setUp({ faults }).play();
    expect(summary.undo[0]!.state).toBe("restored");
    expect(events.at(-1)).toMatchObject({ t: 17 * S + 100_000, kind: "end" });
  });

  test("prepares a fault when the one before it is put back, and not merely over", async () => {
    const ahead = { prepared: true };
    const faults = (clock: TestClock, log: string[]) => [
      { fault: new FakeFault("first", clock, log, ahead), from: 7, to: 9 },
      { fault: new FakeFault("second", clock, log, ahead), from: 9, to: 12 },
      { fault: new FakeFault("third", clock, log, ahead), from: 14, to: 16 },
    ];
    const { play, log } = setUp({ faults });
    await play();
    expect(log.slice(1)).toEqual([
      ...["7000 inject first", "9000 restore first"],
      ...["9100 prepare second", "9100 inject second", "12000 restore second"],
      ...["12100 prepare third", "14000 inject third", "16000 restore third"],
    ]);
  });

  test("restores newest first where two faults end together", async () => {
    const faults = (clock: TestClock, log: string[]) => [
      { fault: new FakeFault("first", clock, log), from: 7, to: 12 },
      { fault: new FakeFault("second", clock, log), from: 9, to: 12 },
    ];
    const { play, log } = setUp({ faults });
    await play();
    expect(log.slice(2)).toEqual(["12000 restore second", "12100 restore first"]);
  });
});

describe("the steady gate", () => {
  const steady = [parseCriterion("shopper.errors.rate <= 1%")];

  test("lets the fault be injected when everything held in the phase before", async () => {
    const { play, log, workers, at } = setUp({ faults: zero(), more: { steady } });
    workers.outcome = "errored"; // in the warm-up, which is not judged
    at(1_900, () => {
      workers.outcome = "ok";
    });
    const { summary, events } = await play();
    expect(log).toHaveLength(2);
    expect(summary.steady).toBe(true);
    expect(events.find((event) => event.kind === "steady")).toMatchObject({
      t: 7 * S,
      holds: true,
    });
  });

  test("otherwise nothing is injected, nothing undone, and the run is stopped", async () => {
    const { play, log, workers } = setUp({ faults: zero(), more: { steady } });
    workers.outcome = "errored";
    const { summary, events } = await play();
    expect(log).toEqual([]);
    expect(summary.steady).toBe(false);
    expect(summary.stoppedBy?.why).toBe("condition");
    expect(summary.undo).toEqual([{ name: "zero", state: "idle", failure: null }]);
    expect(summary.invalid).toEqual([
      "not steady, so nothing was injected: shopper.errors.rate <= 1%: found 100.00 %",
    ]);
    expect(events.find((event) => event.kind === "steady")).toMatchObject({ holds: false });
  });

  test("a criterion that cannot be followed is refused before a directory is made", async () => {
    const wrong = [parseCriterion("shopper.warm.p99 <= 300ms")];
    const { play, workers } = setUp({ more: { steady: wrong } });
    await expect(play()).rejects.toThrow("cannot be followed");
    expect(existsSync(join(dirs[0]!, "run"))).toBe(false);
    expect(workers.disposed).toBe(false);
  });
});

describe("however a run ends, what was injected is put back", () => {
  test("on the first signal: at once, and the load ends", async () => {
    const { play, log, abort, at } = setUp({ faults: zero() });
    at(8_250, () => abort.abort(new Error("SIGINT")));
    const { summary, events } = await play();
    expect(log).toEqual(["7000 inject zero", "8250 restore zero"]);
    expect(summary.stoppedBy).toEqual({ why: "signal", detail: "SIGINT" });
    expect(steps(events).slice(-2)).toEqual(["7000 zero start", "8250 zero end"]);
    expect(events.at(-1)).toMatchObject({ t: 9_250_000, kind: "end" });
  });

  test("during the inject: it is told to stop, and put back all the same", async () => {
    const { play, log, abort, at } = setUp({ faults: zero() });
    at(7_100, () => abort.abort(new Error("SIGTERM")));
    const { summary } = await play();
    expect(log).toEqual(["7000 inject zero", "7100 restore zero"]);
    expect(summary.undo[0]!.state).toBe("restored");
    expect(summary.failure).toBeNull();
  });

  test("a signal before the fault injects nothing", async () => {
    const { play, log, abort, at } = setUp({ faults: zero() });
    at(3_000, () => abort.abort(new Error("SIGINT")));
    const { summary } = await play();
    expect(log).toEqual([]);
    expect(summary.undo[0]!.state).toBe("idle");
  });

  test("on a stop condition", async () => {
    const stopWhen = [parseCriterion("shopper.errors.rate > 20%")];
    const { play, log, workers, at } = setUp({ faults: zero(), more: { stopWhen } });
    at(7_400, () => {
      workers.outcome = "errored";
    });
    const { summary } = await play();
    expect(summary.stoppedBy).toEqual({
      why: "condition",
      detail: "shopper.errors.rate > 20%: found 22.22 %",
    });
    expect(log.at(-1)).toBe("9000 restore zero");
  });

  test("when a worker breaks: the bug is told after the undo", async () => {
    const { play, log, workers, at } = setUp({ faults: zero() });
    at(9_000, () => workers.fail(new Error("a bug in a target")));
    const { summary, events } = await play();
    expect(log.at(-1)).toBe("9000 restore zero");
    expect(summary.failure).toEqual(new Error("a bug in a target"));
    expect(summary.stoppedBy).toEqual({ why: "error", detail: "a bug in a target" });
    expect(events.at(-1)).toMatchObject({ kind: "end", rows: [7] });
  });

  test("when a fault cannot be injected: the others are put back too", async () => {
    const refused = new GatecrashError("refused", "somebody holds the lease");
    const faults = (clock: TestClock, log: string[]) => [
      { fault: new FakeFault("first", clock, log), from: 7, to: 12 },
      { fault: new FakeFault("second", clock, log, { inject: refused }), from: 8, to: 12 },
    ];
    const { play, log } = setUp({ faults });
    const { summary } = await play();
    expect(log.slice(2)).toEqual(["8200 restore second", "8300 restore first"]);
    expect(summary.stoppedBy?.detail).toContain("somebody holds the lease");
    expect(summary.invalid).toHaveLength(1);
    expect(summary.failure).toBeNull();
  });

  test("one undo that is stuck or fails does not keep the other from being made", async () => {
    const failed = new GatecrashError("undo", "AccessDenied");
    const faults = (clock: TestClock, log: string[]) => [
      { fault: new FakeFault("first", clock, log, { restore: failed }), from: 7, to: 12 },
      { fault: new FakeFault("stuck", clock, log, { stuck: true }), from: 8, to: 12 },
    ];
    const { play, log, abort, at } = setUp({ faults });
    at(9_000, () => abort.abort(new Error("SIGINT")));
    const { summary } = await play();
    expect(log.slice(2)).toEqual(["9000 restore stuck", "11000 restore first"]);
    expect(summary.undo).toEqual([
      { name: "first", state: "failed", failure: failed },
      { name: "stuck", state: "restored", failure: null },
    ]);
  });

  test("when workers do not end after a stop, they are not waited for for ever", async () => {
    const { play, workers, abort, at } = setUp({ endsUs: 9_999 * S });
    workers.stop = () => {};
    at(4_000, () => abort.abort(new Error("SIGINT")));
    const { summary, events } = await play();
    expect(String(summary.failure)).toContain("did not end");
    expect(events.at(-1)).toMatchObject({ t: 17 * S, kind: "end" });
  });
});

test("a directory that already holds a run is refused and left as it is", async () => {
  const { play } = setUp({});
  const { dir } = await play();
  const before = readFileSync(join(dir, "events", "0.jsonl"), "utf8");
  const again = setUp({ more: { dir } });
  await expect(again.play()).rejects.toThrow("cannot make the run directory");
  expect(readFileSync(join(dir, "events", "0.jsonl"), "utf8")).toBe(before);
});
