// One run of one scenario, whole: open the system, plan, run, undo, observe, judge, write, close.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { builtFile } from "../core/built-file.ts";
import { GatecrashError, messageOf } from "../core/error.ts";
import { EXIT, type ExitCode, strongestExit } from "../core/exit.ts";
import type { PlanFile } from "../core/facts.ts";
import { type Hide, hiding } from "../core/hiding.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import type { Scenario } from "../core/scenario.ts";
import { epochMs } from "../core/time.ts";
import { report } from "../report/report.ts";
import { type RunClock, systemClock } from "../run/clock.ts";
import { performRun } from "../run/run.ts";
import type { RunSummary } from "../run/run-contract.ts";
import type { Share } from "../run/worker-contract.ts";
import { startWorkers } from "../run/workers.ts";
import { resolveScenario } from "../scenario/resolve.ts";
import type { CommandContext } from "./context.ts";
import { crossCheck } from "./cross-check.ts";
import { complainBriefly, prospectFindings } from "./lint-plan.ts";
import { makePlan } from "./make-plan.ts";
import { observeRun } from "./observe-run.ts";
import { createProgress, type Progress } from "./progress.ts";
import { writeDerived } from "./report.ts";
import { runFaults } from "./run-faults.ts";
import type { RunRequest, RunResult, SliceResult } from "./run-request.ts";
import { checkSecrets, secretValues, withHidden } from "./secrets.ts";
import { type RunSinks, refuseSinks, runSinks } from "./sinks.ts";
import { stopAlarms } from "./stop-alarms.ts";
import { checkHosts, hostsAlone, openingOf, openSystem, type System } from "./system.ts";
import type { WorkerData } from "./worker.ts";

const WHOLE: Share = { index: 0, of: 1 };

interface Session {
  readonly request: RunRequest;
  readonly context: CommandContext;
  readonly progress: Progress;
  readonly run: string;
  readonly dir: string;
  readonly clock: RunClock;
  readonly hide: Hide;
  /** Aborted at the very end. */
  readonly over: AbortController;
}

/**
 * Rejects only when nothing was sent and nothing was changed; later trouble is in the exit code.
 */
export function runScenario(request: RunRequest, context: CommandContext): Promise<RunResult> {
  return perform(request, context, judge);
}

/** The same for one slice of several; its events say how it ended. */
export function runSlice(request: RunRequest, context: CommandContext): Promise<SliceResult> {
  return perform(request, context, async ({ dir }, summary) => ({ summary, dir }));
}

async function perform<R>(
  request: RunRequest,
  context: CommandContext,
  finish: (session: Session, summary: RunSummary) => Promise<R>,
): Promise<R> {
  const { scenario } = request;
  const clock = systemClock();
  const run = runName(clock.wallMs());
  const dir = resolve(request.out ?? join("runs", run));
  const endUs = scenario.loads.reduce((end, load) => Math.max(end, load.endUs), 0);
  const progress = createProgress(context, request.quiet, endUs);
  const hide = hiding(secretValues(scenario, process.env));
  const over = new AbortController();
  const session: Session = { request, context, progress, run, dir, clock, hide, over };
  if (request.yaml === undefined) progress.step(openingOf(scenario, request.endpoint));
  refuseSinks(scenario, request.allowExec);
  const system =
    request.yaml === undefined
      ? await openSystem(scenario, run, request.endpoint)
      : hostsAlone(run);
  let putBack = true;
  try {
    const { summary, afterwards } = await play(session, system);
    const left = summary.undo.flatMap(({ failure }) => (failure === null ? [] : [failure]));
    putBack = left.length === 0;
    try {
      await afterwards();
      return await finish(session, summary);
    } catch (error) {
      // Whatever goes wrong from here on, what is still changed is said.
      throw putBack ? error : new AggregateError([...left, error]);
    }
  } catch (error) {
    throw withHidden(error, hide);
  } finally {
    over.abort();
    progress.end();
    // What could not be put back has to stay reachable for `gatecrash heal`.
    if (putBack) await system.local?.stop();
  }
}

interface Played {
  readonly summary: RunSummary;
  /** Reads what only shows once the load is over. */
  afterwards(): Promise<void>;
}

async function play(session: Session, system: System): Promise<Played> {
  const { request, context, progress, clock, run, dir, hide } = session;
  const { outputs } = system;
  const scenario = resolveScenario(request.scenario, { outputs, env: process.env });
  if (request.yaml === undefined) checkHosts(scenario);
  checkSecrets(scenario);
  const yaml = request.yaml ?? (await readFile(scenario.file, "utf8"));
  progress.step("planning");
  const plannedAtMs = clock.wallMs();
  const { command, workers } = request;
  const { slice = WHOLE } = request;
  const slices = slice.of;
  const input = { run, scenario, yaml, command, outputs, workers, slices, plannedAtMs, hide };
  const { plan, counted, prospects } = await makePlan(input);
  const drivers = new Map(counted.map((one) => [one.load.name, one]));
  const sinks = runSinks({
    ...{ scenario, drivers, system, clock, hide, allowExec: request.allowExec },
    progress: (text) => progress.step(text),
  });
  await sinks.check();
  complainBriefly(scenario, prospectFindings(scenario, prospects), context);
  const faults = runFaults({
    ...{ scenario, system, run, dir, clock, signal: context.signal },
    waitUs: request.waitUs ?? 0,
    say: (text) => progress.step(text),
    ...{ err: context.err, over: session.over.signal },
  });
  await faults.check();
  const alarms = await stopAlarms(scenario, system, (text) => context.err(`warning: ${text}\n`));
  context.signal.throwIfAborted();
  const { endpoint, region } = system;
  const { loads, seed } = scenario;
  const data: WorkerData = { loads, seed, plannedAtMs, aws: { endpoint, region } };
  const summary = await performRun({
    dir,
    slice,
    scenarioYaml: yaml,
    plan,
    limits: scenario.limits,
    steady: scenario.steady.map(({ text }) => parseCriterion(text)),
    stopWhen: scenario.stopWhen.map(({ text }) => parseCriterion(text)),
    alarms,
    clock,
    startWorkers: async () => {
      await sinks.writeLedger(dir);
      return startLoad(session, scenario, plan, data);
    },
    faults: faults.bind,
    signal: faults.signal,
    hide,
    startAtMs: request.startAtMs ?? null,
    progress: (view) => progress.second(view),
  });
  return { summary, afterwards: () => lookAfter(session, system, { scenario, sinks, summary }) };
}

interface Loaded {
  readonly scenario: Scenario;
  readonly sinks: RunSinks;
  readonly summary: RunSummary;
}

async function lookAfter(
  session: Session,
  system: System,
  { scenario, sinks, summary }: Loaded,
): Promise<void> {
  const { dir, clock, context, progress } = session;
  const { signal } = context;
  await sinks.settle(dir, signal);
  await observe(session, system, scenario, summary);
  const say = (text: string): void => progress.step(text);
  await crossCheck({ dir, scenario, summary, clock, signal, progress: say });
}

function startLoad(
  { dir, request }: Session,
  scenario: Scenario,
  plan: Omit<PlanFile, "epoch_ms">,
  data: WorkerData,
): ReturnType<typeof startWorkers> {
  return startWorkers({
    entry: builtFile("./worker.js", import.meta.url),
    data,
    count: request.workers,
    slice: request.slice ?? WHOLE,
    dir,
    seed: scenario.seed,
    pacing: "thread",
    shape: plan.loads.map((load) => load.routes.length),
  });
}

/** Lines that cannot be read do not undo the run: what they would have told stays unknown. */
async function observe(
  session: Session,
  system: System,
  scenario: Scenario,
  summary: RunSummary,
): Promise<void> {
  const { dir, clock, context, progress, hide } = session;
  const span = { fromMs: summary.epochMs, toMs: epochMs(clock.wallMs() + 1_000) };
  const write = (text: string): void => progress.step(text);
  try {
    const { signal } = context;
    await observeRun({ dir, scenario, system, clock, ...span, signal, progress: write });
  } catch (error) {
    context.err(hide(`warning: the platform's lines could not be read: ${messageOf(error)}\n`));
  }
}

async function judge(
  { dir, context, request, hide }: Session,
  summary: RunSummary,
): Promise<RunResult> {
  const judged = await report(dir);
  if (request.kept !== false) await writeDerived(judged, context);
  const codes: ExitCode[] = [judged.exitCode];
  if (summary.failure !== null) {
    const ours = !(summary.failure instanceof GatecrashError);
    context.err(hide(`error: the run was ended by: ${messageOf(summary.failure)}\n`));
    if (ours) codes.push(EXIT.bug);
  }
  if (summary.undo.some(({ failure }) => failure !== null)) codes.push(EXIT.undoNotVerified);
  return { report: judged, exit: strongestExit(codes) };
}

/** `2026-11-30T19-02Z-k4x`: sorts by time, differs within a minute. */
function runName(wallMs: number): string {
  const minute = new Date(wallMs).toISOString().slice(0, 16).replace(":", "-");
  return `${minute}Z-${randomBytes(2).toString("hex")}`;
}
