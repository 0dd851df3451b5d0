// What is counted is of everything that was asked about, and of nothing else.
import { describe, expect, test } from "vitest";
import type { MetricPoint, RunEvent } from "../../src/core/facts.ts";
import { inFlightBySecond } from "../../src/report/in-flight.ts";
import { reportOf } from "../support/judged-run.ts";
import {
  type AttemptSpec,
  EPOCH_MS,
  planFor,
  plannedLoad,
  quietEvents,
  type RunSpec,
} from "../support/run-directory.ts";

const S = 1_000_000;

function run(accept: string[], more: Partial<RunSpec["plan"]> = {}): RunSpec {
  const attempts = Array.from({ length: 400 }, (_, index): AttemptSpec => {
    return { index, dueUs: index * 25_000 };
  });
  const plan = planFor(
    {
      loads: [plannedLoad({ name: "shopper" }), plannedLoad({ name: "other" })],
      criteria: { accept, steady: [], stop_when: [] },
      predicted: {
        arrivals: 400,
        in_flight: 90,
        cold_starts: null,
        throttles: null,
        service: null,
      },
      ...more,
    },
    attempts,
  );
  return { plan, attempts, events: quietEvents(10, attempts.length) };
}

/** A look of one slice at its own loads. */
function look(t: number, shopper: number, other = 0): RunEvent {
  const nothing = { sent: 0, dropped: 0, ok: 0, throttled: 0, errored: 0, unknown: 0 };
  const common = {
    kind: "health",
    lag_p99_us: 0,
    loop_us: 0,
    cpu: 0,
    connect_failures: 0,
  } as const;
  const loads = [
    { ...nothing, name: "shopper", in_flight: shopper },
    { ...nothing, name: "other", in_flight: other },
  ];
  return { t, ...common, loads };
}

describe("what is in flight", () => {
  test("is that of all slices together, in criteria and beside the forecast", async () => {
    const spec = run(["shopper.in-flight <= 100", "in-flight <= 130"], { slices: 4 });
    const events = [1, 2, 3].flatMap((second) =>
      [0, 1, 2, 3].map((slice) => look(second * S + slice * 1_000, 20 + second, 5)),
    );
    const ends = [0, 1, 2, 3].map((slice): RunEvent => {
      return { t: 10 * S, kind: "end", rows: [slice === 0 ? 400 : 0] };
    });
    const { criteria, measured } = await reportOf({ ...spec, events: [...events, ...ends] });
    expect(criteria.map(({ estimate, n, verdict }) => [estimate, n, verdict])).toEqual([
      [92, 3, "pass"],
      [112, 3, "pass"],
    ]);
    expect(measured.in_flight).toBe(112);
  });

  test("of one machine is the higher of two looks in a second, never their sum or mean", () => {
    const looks = [look(S, 10), look(1.9 * S, 30), look(2.9 * S, 20)] as never;
    const found = inFlightBySecond(looks, new Set(["shopper"]), 1);
    expect([...found]).toEqual([
      [1, 30],
      [2, 20],
    ]);
  });
});

describe("the account", () => {
  const depth: MetricPoint = {
    namespace: "AWS/SQS",
    metric: "ApproximateNumberOfMessagesVisible",
    dimensions: { QueueName: "jobs" },
    ...{ stat: "Maximum", period_s: 60, at: EPOCH_MS, value: 7 },
  };

  test("has no data where only a queue's metrics were published: never 0 throttles", async () => {
    const accept = ["account.throttles == 0", "account.concurrency.max <= 10", "jobs.depth <= 10"];
    const spec = { ...run(accept, { queues: { jobs: "jobs" } }), metrics: [depth] };
    const { criteria } = await reportOf(spec);
    expect(criteria.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ["inconclusive", "no metric points were read"],
      ["inconclusive", "no metric points were read"],
      ["pass", "7, at most 10 allowed"],
    ]);
  });
});

describe("a run that was stopped", () => {
  const stopped = (accept: string[]): RunSpec => {
    const spec = run(accept);
    const attempts = spec.attempts.map((one): AttemptSpec => {
      if (one.index >= 240) return { ...one, outcome: "dropped", reason: "stopped" };
      if (one.index % 80 === 1) return { ...one, outcome: "dropped", reason: "in-flight" };
      return one.index % 60 === 0 ? { ...one, outcome: "unknown", reason: "timeout" } : one;
    });
    const stop: RunEvent = { t: 6 * S, kind: "stop", why: "signal", detail: "SIGINT" };
    return { ...spec, attempts, events: quietEvents(10, 400, [stop]) };
  };

  test("counts as attempts by reason only what was attempted, the rest as never sent", async () => {
    const found = await reportOf(stopped(["dropped == 0"]));
    expect([found.errors, found.droppedBy]).toEqual([
      { timeout: 4 },
      { "in-flight": 3, stopped: 160 },
    ]);
    expect(found.counts).toMatchObject({ sent: 237, unknown: 4, dropped: 163 });
    expect(found.observedUs).toBe(6 * S);
  });

  test("says how much longer it should have lasted, by the rate until it was stopped", async () => {
    const { criteria } = await reportOf(stopped(["shopper.p50 <= 300ms"]));
    const [one] = criteria;
    const needs = Math.ceil((237 * 10) / 6);
    expect(one).toMatchObject({ verdict: "inconclusive", n: 237, blocks: 6, needs });
    expect(one!.longerUs).toBe(Math.ceil((6 * S * (needs - 237)) / 237));
    expect(one!.reason).toContain("about 4 s more at this rate to decide");
  });
});
