// A small plan: warmup 2 s, before 5 s, zero 5 s, after 5 s; one load with one route.
import type { PlanFile } from "../../src/core/facts.ts";

const S = 1_000_000;

export function plan(more: Partial<PlanFile> = {}): Omit<PlanFile, "epoch_ms"> {
  const phase = (name: string, from: number, to: number) => {
    return { name, start_us: from * S, end_us: to * S };
  };
  return {
    gatecrash: 1,
    run: "test-run",
    title: "A test",
    scenario: {
      file: "scenario.yaml",
      variant: null,
      environment: "local",
      blob: "0",
      commit: null,
      dirty: null,
    },
    command: ["gatecrash", "run"],
    version: "0.0.0",
    seed: 1,
    slices: 1,
    workers: 1,
    phases: [
      phase("warmup", 0, 2),
      phase("before", 2, 7),
      phase("zero", 7, 12),
      phase("after", 12, 17),
    ],
    loads: [
      {
        name: "shopper",
        routes: ["", "checkout"],
        planned: 1,
        planned_per_s: [1],
        start_us: 0,
        end_us: 17 * S,
        in_flight_max: 100,
        timeout_us: 3 * S,
        resend_attempts: 1,
      },
    ],
    arms: ["candidate"],
    faults: [],
    functions: {},
    criteria: { accept: [], steady: [], stop_when: [] },
    generator: { lag_p99_us: 20_000, dropped: 0, cpu: 0.9 },
    joins: false,
    quota: { concurrency: null },
    expect: "pass",
    notes: [],
    ...more,
  };
}
