// One run in time: start line, phases, faults, watching, and an end at which everything is closed.
import { setMaxListeners } from "node:events";
import { GatecrashError, messageOf } from "../core/error.ts";
import { type EpochMs, epochMs, runUs, US_PER_MS, US_PER_S } from "../core/time.ts";
import { watchAlarms } from "./alarm-watch.ts";
import { FaultSchedule } from "./fault-schedule.ts";
import { assertLive } from "./live.ts";
import { machineText } from "./machine.ts";
import type { RunDeps, RunSummary } from "./run-contract.ts";
import { createRunDirectory, type RunDirectory } from "./run-directory.ts";
import { type Stop, type Untimed, Watch } from "./watch.ts";
import type { WorkerGroup } from "./workers.ts";

/** From ready to the run's 0: time for every thread to hear `go`. */
const START_LEAD_MS = 300;
/** After a stop and the longest timeout, workers that still run are not waited for. */
const OVERDUE_US = 10 * US_PER_S;

/**
 * Runs the plan. Rejects only before anything was sent (a worker that cannot start, a criterion
 * that cannot be followed, a directory that is taken); later failures are in the summary, since
 * what was injected has to be put back and reported first.
 */
export async function performRun(deps: RunDeps): Promise<RunSummary> {
  for (const one of [...deps.steady, ...deps.stopWhen]) assertLive(one, deps.plan.loads);
  using directory = createRunDirectory(deps.dir, deps.slice.index, deps.scenarioYaml);
  await using workers = await deps.startWorkers();
  const start = startLine(deps);
  if (deps.slice.index === 0) directory.writePlan({ ...deps.plan, epoch_ms: start.epochMs });
  deps.clock.startAt(start.epochHrNs);
  const run = new Run(deps, directory, workers);
  workers.go(start.epochHrNs);
  return { ...(await run.play()), epochMs: start.epochMs };
}

function startLine({ clock, startAtMs }: RunDeps): { epochHrNs: bigint; epochMs: EpochMs } {
  const wallMs = clock.wallMs();
  const leadMs = Math.max(START_LEAD_MS, (startAtMs ?? 0) - wallMs);
  const inUs = clock.nowUs() + leadMs * US_PER_MS;
  return {
    epochHrNs: clock.epochHrNs + BigInt(Math.round(inUs)) * 1_000n,
    epochMs: epochMs(wallMs + leadMs),
  };
}

class Run {
  readonly #deps: RunDeps;
  readonly #directory: RunDirectory;
  readonly #workers: WorkerGroup;
  readonly #watch: Watch;
  readonly #schedule: FaultSchedule;
  readonly #stopped = new AbortController();
  readonly #over = new AbortController();
  #stoppedBy: Stop | null = null;
  #failure: unknown = null;
  #steady: boolean | null = null;
  #phase = "";
  /** Load and faults are: nothing can be stopped any more. */
  #isOver = false;
  #rows: readonly number[] = [];

  constructor(deps: RunDeps, directory: RunDirectory, workers: WorkerGroup) {
    this.#deps = deps;
    this.#directory = directory;
    this.#workers = workers;
    setMaxListeners(0, this.#stopped.signal); // every fault and every wait listens
    const { clock, limits, stopWhen, plan } = deps;
    const emit = (event: Untimed): void => this.#emit(event);
    this.#watch = new Watch({
      ...{ clock, limits, stopWhen, emit, brake: deps.brake ?? null },
      names: plan.loads,
      sample: () => workers.sample(clock.nowUs()),
      selves: () => workers.selves(),
      stop: (stop) => this.#stop(stop),
      generator: plan.generator,
    });
    this.#schedule = new FaultSchedule(deps.faults(emit), {
      clock,
      stopped: this.#stopped.signal,
      gate: () => this.#isSteady(),
      failed: (name, error) => this.#faultFailed(name, error),
    });
  }

  async play(): Promise<Omit<RunSummary, "epochMs">> {
    const { signal, clock } = this.#deps;
    const onSignal = (): void => this.#stop(stopOf(signal));
    signal.addEventListener("abort", onSignal, { once: true });
    if (signal.aborted) onSignal();
    const watching = [this.#guarded(() => this.#look()), this.#guarded(() => this.#alarms())];
    await clock.sleepUntil(runUs(0), this.#stopped.signal).catch(() => {});
    this.#emit({ kind: "start", pid: process.pid, on: machineText() });
    await Promise.all([
      this.#guarded(() => this.#phases()),
      this.#guarded(() => this.#load()),
      this.#schedule.play(),
    ]);
    this.#isOver = true;
    await this.#schedule.release();
    this.#over.abort();
    await Promise.all(watching);
    this.#watch.checkOwnFailures();
    signal.removeEventListener("abort", onSignal);
    this.#emit({ kind: "end", rows: this.#rows });
    return {
      stoppedBy: this.#stoppedBy,
      invalid: this.#watch.invalid,
      steady: this.#steady,
      undo: await this.#schedule.results(),
      rows: this.#rows,
      failure: this.#failure,
    };
  }

  /** Facts that cannot be written end the run; whoever emits (undo above all) goes on. */
  #emit(event: Untimed): void {
    try {
      const written = { t: this.#deps.clock.nowUs(), ...this.#hidden(event) };
      // First: a disk that is full must not keep from anybody that something is not undone.
      this.#deps.heard?.(written);
      this.#directory.emit(written);
    } catch (error) {
      this.#failure ??= error;
      this.#stop({ why: "error", detail: `events cannot be written: ${messageOf(error)}` });
    }
  }

  #hidden(event: Untimed): Untimed {
    const { hide } = this.#deps;
    if (hide === undefined || !("detail" in event) || event.detail === undefined) return event;
    return { ...event, detail: hide(event.detail) };
  }

  /** The first reason counts; ends the load, and with it every wait but those of undo. */
  #stop(stop: Stop): void {
    if (this.#stoppedBy !== null || this.#isOver) return;
    this.#stoppedBy = stop;
    this.#workers.stop();
    this.#stopped.abort(new Error(stop.detail));
    this.#emit({ kind: "stop", ...stop });
  }

  /** An exception in one part ends the run in good order, and is told afterwards. */
  async #guarded(part: () => Promise<void>): Promise<void> {
    try {
      await part();
    } catch (error) {
      this.#failure ??= error;
      this.#stop({ why: "error", detail: messageOf(error) });
    }
  }

  async #phases(): Promise<void> {
    const { plan } = this.#deps;
    for (const { name, start_us, end_us } of plan.phases) {
      if (!(await this.#reaches(start_us))) return;
      this.#phase = name;
      this.#watch.mark(name);
      this.#emit({ kind: "phase", name, edge: "start" });
      await this.#reaches(end_us);
      this.#emit({ kind: "phase", name, edge: "end" });
    }
  }

  async #load(): Promise<void> {
    const ended = this.#workers.ended;
    try {
      this.#rows = await Promise.race([ended, this.#overdue()]);
    } catch (error) {
      this.#rows = this.#workers.selves().map((self) => self.rows);
      throw error;
    }
  }

  /** Rejects when workers run on although a stop and the longest timeout are over. */
  #overdue(): Promise<never> {
    const { clock, plan } = this.#deps;
    const longestUs = Math.max(0, ...plan.loads.map((load) => load.timeout_us));
    return new Promise((_, reject) => {
      const late = async (): Promise<void> => {
        await clock.sleepUntil(runUs(clock.nowUs() + longestUs + OVERDUE_US), this.#over.signal);
        reject(new Error("a worker did not end after the stop"));
      };
      this.#stopped.signal.addEventListener("abort", () => late().catch(() => {}), { once: true });
    });
  }

  /** Once a second from the first second on, through draining and undoing, until all is over. */
  async #look(): Promise<void> {
    const { clock, progress } = this.#deps;
    for (let second = 1; ; second++) {
      try {
        await clock.sleepUntil(runUs(second * US_PER_S), this.#over.signal);
      } catch {
        return;
      }
      second = Math.max(second, Math.floor(clock.nowUs() / US_PER_S));
      progress({ ...this.#watch.tick(), phase: this.#phase });
    }
  }

  async #alarms(): Promise<void> {
    const { clock, alarms } = this.#deps;
    if (alarms === undefined) return;
    const emit = (event: Untimed): void => this.#emit(event);
    const stop = (why: Stop): void => this.#stop(why);
    await watchAlarms({ alarms, clock, over: this.#over.signal, emit, stop });
  }

  /** Over the last phase that is over when the first fault begins, or the one it begins in. */
  #isSteady(): boolean {
    const { steady, plan, clock } = this.#deps;
    if (steady.length === 0) return true;
    const nowUs = clock.nowUs();
    const begun = plan.phases.filter((phase) => phase.start_us < nowUs);
    const before = begun.filter((phase) => phase.end_us <= nowUs).at(-1) ?? begun.at(-1);
    const results = this.#watch.since(before?.name ?? "", steady);
    const broken = results.filter((result) => result.holds !== true);
    this.#steady = broken.length === 0;
    const detail = (this.#steady ? results : broken).map((result) => result.text).join("; ");
    this.#emit({ kind: "steady", holds: this.#steady, detail });
    if (this.#steady) return true;
    this.#watch.invalid.push(`not steady, so nothing was injected: ${detail}`);
    this.#stop({ why: "condition", detail: `not steady: ${detail}` });
    return false;
  }

  #faultFailed(name: string, error: unknown): void {
    const detail = `fault ${name} could not be injected: ${messageOf(error)}`;
    this.#watch.markInvalid("fault", detail);
    if (!(error instanceof GatecrashError) && (error as Error)?.name !== "AbortError")
      this.#failure ??= error;
    this.#stop({ why: "error", detail });
  }

  async #reaches(atUs: number): Promise<boolean> {
    try {
      await this.#deps.clock.sleepUntil(runUs(atUs), this.#stopped.signal);
      return true;
    } catch {
      return false;
    }
  }
}

/** A signal of the system, or a GatecrashError: somebody else asked for an end. */
function stopOf({ reason }: AbortSignal): Stop {
  const why = reason instanceof GatecrashError ? "abort" : "signal";
  return { why, detail: messageOf(reason) };
}
