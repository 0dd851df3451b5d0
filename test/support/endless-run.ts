// A process that runs for a minute unless it is killed: `node endless-run.js <run directory>`.
import { builtFile } from "../../src/core/built-file.ts";
import { systemClock } from "../../src/run/clock.ts";
import { performRun } from "../../src/run/run.ts";
import { startWorkers } from "../../src/run/workers.ts";
import { plan } from "./plans.ts";
import type { TickData } from "./tick-worker.ts";

const dir = process.argv[2]!;
const slice = { index: 0, of: 1 };
await performRun({
  dir,
  slice,
  scenarioYaml: "",
  plan: plan({ phases: [{ name: "only", start_us: 0, end_us: 60_000_000 }] }),
  limits: { durationUs: 60_000_000, requests: 1_000_000 },
  steady: [],
  stopWhen: [],
  clock: systemClock(),
  startWorkers: () =>
    startWorkers<TickData>({
      entry: builtFile("./tick-worker.js", import.meta.url),
      data: { perSecond: 1_000, count: 60_000, serviceMs: 1, fail: "never" },
      ...{ count: 1, slice, dir, seed: 1, pacing: "thread", shape: [2] },
    }),
  faults: () => [],
  signal: new AbortController().signal,
  startAtMs: null,
  progress: () => {},
});
