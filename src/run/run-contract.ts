// What performRun is given and what it gives back.
import type { Criterion } from "../core/criterion.ts";
import type { FaultEvent, PlanFile, RunEvent } from "../core/facts.ts";
import type { Hide } from "../core/hiding.ts";
import type { BrakeSpec, Limits } from "../core/scenario.ts";
import type { EpochMs } from "../core/time.ts";
import type { AlarmPort } from "./alarm-watch.ts";
import type { RunClock } from "./clock.ts";
import type { ScheduledFault } from "./fault-runner.ts";
import type { UndoResult } from "./fault-schedule.ts";
import type { LiveView, Stop } from "./watch.ts";
import type { Share } from "./worker-contract.ts";
import type { WorkerGroup } from "./workers.ts";

export interface RunDeps {
  /** The run directory, made here. */
  readonly dir: string;
  readonly slice: Share;
  readonly scenarioYaml: string;
  /** Complete but for the epoch, which is known when all workers are ready. */
  readonly plan: Omit<PlanFile, "epoch_ms">;
  readonly limits: Pick<Limits, "durationUs" | "requests">;
  readonly steady: readonly Criterion[];
  readonly stopWhen: readonly Criterion[];
  /** Stops a load that goes wrong from the start; null or absent = none. */
  readonly brake?: BrakeSpec | null;
  /** Alarms of CloudWatch that stop the run; absent = none. */
  readonly alarms?: AlarmPort | undefined;
  readonly clock: RunClock;
  readonly startWorkers: () => Promise<WorkerGroup>;
  /** The faults, bound to where their events go. Called before anything is sent. */
  readonly faults: (emit: (event: FaultEvent) => void) => readonly ScheduledFault[];
  /** The first Ctrl-C or TERM: ends the load and undoes. A second one is the caller's to answer. */
  readonly signal: AbortSignal;
  /** Wall time at which the run's 0 shall be; null = as soon as all are ready. */
  readonly startAtMs: EpochMs | null;
  /** Keeps secret values out of the free texts of events; absent = there are none. */
  readonly hide?: Hide;
  /** Hears every event as it is written; must return at once and not throw. */
  readonly heard?: (event: RunEvent) => void;
  readonly progress: (view: LiveView & { readonly phase: string }) => void;
}

export interface RunSummary {
  readonly stoppedBy: Stop | null;
  readonly invalid: readonly string[];
  /** Null: not asked, for want of faults or of `steady:` criteria. */
  readonly steady: boolean | null;
  readonly undo: readonly UndoResult[];
  /** Rows of facts by worker. */
  readonly rows: readonly number[];
  readonly epochMs: EpochMs;
  /** An exception that ended the run (our bug, a full disk); all is undone all the same. */
  readonly failure: unknown;
}
