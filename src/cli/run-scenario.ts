// One run of one scenario, whole: open the system, plan, run, undo, observe, judge, write, close.
import { join, resolve } from "node:path";
import { builtFile } from "../core/built-file.ts";
import { GatecrashError, isOfTheMachine, messageOf } from "../core/error.ts";
import { EXIT, type ExitCode } from "../core/exit.ts";
import type { PlanFile } from "../core/facts.ts";
import { EDGES } from "../core/outcome.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import type { BrakeSpec, Load, Scenario } from "../core/scenario.ts";
import { writeRecorded } from "../observe/write-recorded.ts";
import { report } from "../report/report.ts";
import { edgesToPass } from "../report/turned-away.ts";
import type { Ended } from "../report/verdict.ts";
import { systemClock } from "../run/clock.ts";
import { performRun } from "../run/run.ts";
import type { RunDeps, RunSummary } from "../run/run-contract.ts";
import type { Share } from "../run/worker-contract.ts";
import { startWorkers } from "../run/workers.ts";
import { admit } from "./admit.ts";
import { beforeLoad } from "./before-load.ts";
import type { CommandContext } from "./context.ts";
import { refuseAuthCommands } from "./load-auth.ts";
import { loadPlace } from "./load-place.ts";
import { lookAfter } from "./look-after.ts";
import { type Notices, openNotices } from "./notices.ts";
import { planRun } from "./plan-run.ts";
import { createProgress } from "./progress.ts";
import { writeDerived } from "./report.ts";
import { runFaults } from "./run-faults.ts";
import type { RunRequest, RunResult, SliceResult } from "./run-request.ts";
import { newSession, runName, type Session } from "./run-session.ts";
import { secretValues, withHidden } from "./secrets.ts";
import { refuseSinks, runSinks } from "./sinks.ts";
import { stopAlarms } from "./stop-alarms.ts";
import { hostsAlone, openingOf, openSystem } from "./system.ts";
import type { System } from "./system-contract.ts";
import type { WorkerData } from "./worker.ts";

const WHOLE: Share = { index: 0, of: 1 };

/**
 * Rejects only when nothing was sent and nothing was changed; later trouble is in the exit code.
 */
export function runScenario(request: RunRequest, context: CommandContext): Promise<RunResult> {
  return perform(request, context, judge);
}

/** The same for one slice of several; its events say how it ended. */
export function runSlice(request: RunRequest, context: CommandContext): Promise<SliceResult> {
  return perform(request, context, async ({ dir }, { summary, notices }) => {
    await notices.drain();
    return { summary, dir };
  });
}

async function perform<R>(
  request: RunRequest,
  context: CommandContext,
  finish: (session: Session, played: Played) => Promise<R>,
): Promise<R> {
  const { scenario } = request;
  const clock = systemClock();
  const run = runName(clock.wallMs());
  const dir = resolve(request.out ?? join("runs", run));
  const endUs = scenario.loads.reduce((end, load) => Math.max(end, load.endUs), 0);
  const progress = createProgress(context, request.quiet, endUs);
  const known = secretValues(scenario, process.env);
  const over = new AbortController();
  const session = newSession({ request, context, progress, run, dir, clock, over }, known);
  const { hide } = session;
  if (request.yaml === undefined) progress.step(openingOf(scenario, request.endpoint));
  refuseSinks(scenario, request.allowExec);
  refuseAuthCommands(scenario, request.allowExec);
  const system =
    request.yaml === undefined
      ? await openSystem(scenario, run, request.endpoint, context.signal)
      : hostsAlone(run);
  let putBack = true;
  let notices: Notices | null = null;
  try {
    const played = await play(session, system);
    const { summary, afterwards } = played;
    notices = played.notices;
    const left = summary.undo.flatMap(({ failure }) => (failure === null ? [] : [failure]));
    putBack = left.length === 0;
    try {
      await afterwards();
      return await finish(session, played);
    } catch (error) {
      // Whatever goes wrong from here on, what is still changed is said.
      throw putBack ? error : new AggregateError([...left, error]);
    }
  } catch (error) {
    await notices?.drain();
    throw withHidden(error, hide);
  } finally {
    over.abort();
    progress.end();
    // What could not be put back has to stay reachable for `gatecrash heal`.
    if (putBack && system.local !== null) {
      await notices?.drain("eventbridge"); // its buses end with it
      await system.local.stop();
    }
  }
}

interface Played {
  readonly summary: RunSummary;
  readonly notices: Notices;
  /** Reads what only shows once the load is over. */
  afterwards(): Promise<void>;
}

async function play(session: Session, system: System): Promise<Played> {
  const { request, context, progress, clock, run, dir, hide } = session;
  const { scenario, proven, secretsIn: close } = await admit(session, system);
  const { plan, counted, yaml, plannedAtMs } = await planRun(session, system, { scenario, proven });
  const { slice = WHOLE } = request;
  const notices = await openNotices(session, system, { scenario, plan, close });
  const drivers = new Map(counted.map((one) => [one.load.name, one]));
  const sinks = runSinks({
    ...{ scenario, drivers, system, clock, hide, allowExec: request.allowExec, secretsIn: close },
    progress: (text) => progress.step(text),
  });
  await sinks.check();
  const faults = runFaults({
    ...{ scenario, counted, system, run, dir, clock, signal: context.signal },
    waitUs: request.waitUs ?? 0,
    say: (text) => progress.step(text),
    ...{ err: context.err, over: session.over.signal },
  });
  await faults.check();
  const warn = (text: string): void => context.err(`warning: ${text}\n`);
  const alarms = await stopAlarms(scenario, system, warn);
  context.signal.throwIfAborted();
  const aws = loadPlace(system, { runId: run, dir: scenario.dir });
  const data: WorkerData = { loads: scenario.loads, seed: scenario.seed, plannedAtMs, aws };
  const under = await beforeLoad(session, system, { scenario, proven, counted, aws });
  context.signal.throwIfAborted();
  const summary = await performRun({
    dir,
    slice,
    scenarioYaml: yaml,
    plan,
    ...watched(scenario),
    alarms,
    clock,
    startWorkers: async () => {
      await sinks.writeLedger(dir);
      await writeRecorded(dir, new Map([...drivers].filter(([, { load }]) => isReplay(load))));
      return startLoad(session, scenario, plan, data);
    },
    faults: faults.bind,
    signal: faults.signal,
    hide,
    heard: notices.heard,
    startAtMs: request.startAtMs ?? null,
    progress: (view) => progress.second(view),
  });
  return {
    ...{ summary, notices },
    afterwards: () =>
      lookAfter(session, system, {
        scenario,
        sinks,
        summary,
        close,
        under,
        fronts: plan.fronts ?? [],
      }),
  };
}

const isReplay = ({ driver }: Load): boolean => driver.kind === "replay";

/** What is held against the run while it lasts. */
function watched(scenario: Scenario): Pick<RunDeps, "limits" | "steady" | "stopWhen" | "brake"> {
  const { limits } = scenario;
  const steady = scenario.steady.map(({ text }) => parseCriterion(text));
  const stopWhen = scenario.stopWhen.map(({ text }) => parseCriterion(text));
  return { limits, steady, stopWhen, brake: brakeOf(scenario) };
}

/** A fault breaks on purpose: from then on the brake says nothing. */
function brakeOf({ brake = null, faults, ...scenario }: Scenario): BrakeSpec | null {
  if (brake === null) return null;
  const firstUs = faults.reduce((first, { startUs }) => Math.min(first, startUs), Infinity);
  const { accept, steady, stopWhen } = scenario;
  const judged = [...accept, ...steady, ...stopWhen].map(({ text }) => parseCriterion(text));
  const edges = edgesToPass(judged).length === EDGES.length;
  return { ...brake, withinUs: Math.min(brake.withinUs, firstUs), edges };
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

async function judge(
  { dir, context, request, hide }: Session,
  { summary, notices }: Played,
): Promise<RunResult> {
  notices.noteOpen();
  const { failure } = summary;
  if (failure !== null) context.err(hide(`error: the run was ended by: ${messageOf(failure)}\n`));
  const ended = endedBy(summary, hide);
  const judged = await report(dir, ended === null ? {} : { ended });
  if (request.kept !== false) await writeDerived(judged, context);
  notices.verdict(judged, judged.exitCode);
  return { report: judged, exit: judged.exitCode, told: () => notices.drain() };
}

/** Codes that the facts may not tell: what failed may be the very keeping of them. */
function endedBy({ failure, undo }: RunSummary, hide: (text: string) => string): Ended | null {
  const left = undo.flatMap((one) => (one.failure === null ? [] : [one.failure]));
  const codes: ExitCode[] = left.length > 0 ? [EXIT.undoNotVerified] : [];
  if (isOfTheMachine(failure)) codes.push(EXIT.invalid);
  else if (failure !== null && !(failure instanceof GatecrashError)) codes.push(EXIT.bug);
  if (codes.length === 0) return null;
  const why = failure === null ? messageOf(left[0]) : `ended by: ${messageOf(failure)}`;
  return { codes, why: hide(why) };
}
