// The faults of a run: checked before anything is sent, then bound to their records and leases.
import type { Fault } from "../core/change.ts";
import { quote } from "../core/command.ts";
import { GatecrashError } from "../core/error.ts";
import type { FaultEvent } from "../core/facts.ts";
import type { Scenario } from "../core/scenario.ts";
import { US_PER_S } from "../core/time.ts";
import type { RunClock } from "../run/clock.ts";
import { closeFound } from "../run/close-found.ts";
import type { FaultDeps, ScheduledFault, UndoableFault } from "../run/fault-runner.ts";
import { awaitFree } from "../run/free-leases.ts";
import { healAccount } from "../run/heal-account.ts";
import type { LeaseTerms } from "../run/lease.ts";
import { proveLeaseRights } from "../run/lease-calls.ts";
import type { HeldLease } from "../run/lease-record.ts";
import { paceOf } from "../run/pace.ts";
import { holderName, isGone } from "../run/process-mark.ts";
import { stageFault } from "../run/stage-fault.ts";
import { createFaultRunner } from "../run/undo.ts";
import { preflight } from "../run/undo-all.ts";
import type { UndoLog } from "../run/undo-log.ts";
import type { UndoRecord } from "../run/undo-record.ts";
import { makeFault } from "./compose.ts";
import type { CountedLoad } from "./count-loads.ts";
import { watchHandOver } from "./hand-over.ts";
import { hazardsOf, refuseHazards } from "./hazards.ts";
import { deadManRole } from "./iam-statement.ts";
import { checkMuted, mutedNames, muteFault } from "./mute-alarms.ts";
import { PatientUnmute, unmuteLookUs } from "./patient-unmute.ts";
import { checkUndoLog, ownerAlive, placeOf, undoLogOf } from "./run-undo.ts";
import type { System } from "./system-contract.ts";

export interface RunFaultsInput {
  readonly scenario: Scenario;
  readonly counted: readonly CountedLoad[];
  readonly system: System;
  readonly run: string;
  readonly dir: string;
  readonly clock: RunClock;
  readonly signal: AbortSignal;
  /** Longest time to wait for whoever holds what is to be changed. */
  readonly waitUs: number;
  readonly say: (text: string) => void;
  /** For what has to be seen also by those who want no progress. */
  readonly err: (text: string) => void;
  /** The run is over. */
  readonly over: AbortSignal;
}

export interface RunFaults {
  /** Rejects when something may not be changed now. */
  check(): Promise<void>;
  bind(emit: (event: FaultEvent) => void): ScheduledFault[];
  /** Ctrl-C, an abort from any machine, or a lease that is lost. */
  readonly signal: AbortSignal;
}

const termsOf = (system: System, ended: AbortController): LeaseTerms => ({
  roleArn: deadManRole(system),
  by: holderName(process.pid),
  ended: (why) => ended.abort(new GatecrashError("undo", why)),
});

export function runFaults(input: RunFaultsInput): RunFaults {
  const { scenario, system, clock, dir } = input;
  const { inject: control, restore: restoring, endpoint } = system;
  const undoLog = undoLogOf(clock, dir);
  let faults: readonly Fault[] = scenario.faults.map((spec) => makeFault(spec, scenario.seed));
  // Its time begins when it is made, so it is made anew once nothing is waited for any more.
  const muteNow = () => muteFault(scenario, system, { run: input.run, nowMs: clock.wallMs() });
  const mute = muteNow();
  const all = (): readonly Fault[] => (mute === null ? faults : [...faults, mute]);
  const runners: UndoableFault[] = [];
  watchHandOver({
    ...{ clock, signal: input.signal, over: input.over, say: input.err },
    faults: () => runners,
    heal: healOf(scenario, system),
  });
  const ended = new AbortController();
  const signal = AbortSignal.any([input.signal, ended.signal]);
  const lease = termsOf(system, ended);
  const depsOf = (emit: (event: FaultEvent) => void): FaultDeps => ({
    ...{ control, restoring, undoLog, clock, emit, lease, limits: scenario.limits },
    place: placeOf(input.run, system, scenario.notify),
  });
  return {
    signal,
    async check() {
      if (all().length > 0) await closeOwn(input, undoLog);
      await checkMuted(scenario, system.control, system);
      // A rule of the run's own is declared by the alarms that it names.
      const allowChange = [...scenario.allow.change, ...(mute?.resources ?? [])];
      const log = { undoLog, alive: ownerAlive, writable: checkUndoLog };
      await preflight(all(), { allowChange, endpoint, ...log });
      await checkHazards(input);
      await mayBegin(all(), input);
      const ready: Fault[] = [];
      for (const fault of faults) {
        if (fault.stage !== undefined)
          input.say(`publishing a version for the fault ${fault.name}`);
        const deps = depsOf(() => {});
        ready.push(await stageFault(fault, deps, signal, (staged) => runners.push(staged)));
      }
      faults = ready;
    },
    bind(emit) {
      const bound = (fault: Fault): UndoableFault => {
        const runner = createFaultRunner(fault, depsOf(emit));
        runners.push(runner);
        return runner;
      };
      const muted = muteNow();
      return [
        ...(muted === null ? [] : [aroundAll(bound(muted), input, signal)]),
        ...faults.map((fault, at) => ({ spec: scenario.faults[at]!, runner: bound(fault) })),
      ];
    },
  };
}

/** From the run's 0 until all is over and the alarms are quiet, or somebody is in a hurry. */
function aroundAll(
  muted: UndoableFault,
  { scenario, system, clock, say }: RunFaultsInput,
  hurry: AbortSignal,
): ScheduledFault {
  const { control, endpoint } = system;
  const spec = { name: muted.name, startUs: 0, endUs: Number.POSITIVE_INFINITY };
  const mute = scenario.muteAlarms;
  if (mute === undefined) throw new Error("nothing is muted");
  const alarms = mutedNames(scenario, system);
  const ports = { clock, control, mute, alarms, hurry, everyUs: unmuteLookUs(endpoint), say };
  return { spec, runner: new PatientUnmute(muted, ports), isAround: true };
}

/** What a dead run of this machine changed here and somebody has put back is in nobody's way. */
async function closeOwn({ system, clock, say }: RunFaultsInput, undoLog: UndoLog): Promise<void> {
  const { endpoint, account, region, restore } = system;
  const isHere = (record: UndoRecord): boolean =>
    [record.endpoint, record.account, record.region].join() === [endpoint, account, region].join();
  const connect = async (record: UndoRecord) => (isHere(record) ? restore : null);
  try {
    const { closed } = await closeFound({ undoLog, clock, connect, ownerAlive });
    for (const { line } of closed) say(line);
  } catch (error) {
    if (!(error instanceof GatecrashError)) throw error; // a log out of reach: preflight says it
  }
}

/** Leases may be taken and given up, and nobody holds them, or not for long. */
async function mayBegin(faults: readonly Fault[], input: RunFaultsInput): Promise<void> {
  const { system, clock, waitUs: us, say, signal } = input;
  const ports = { control: system.inject, clock, pace: paceOf(system.endpoint) };
  if (faults.length > 0 && system.environment !== null) {
    await proveLeaseRights("inject", ports);
    await proveLeaseRights("restore", { ...ports, control: system.restore });
  }
  await awaitFree(faults, ports, { us, say, signal, heal: healerOf(input) });
}

/** Of a run that is dead or overdue, on the resource that is waited for and nowhere else. */
function healerOf({ system, clock, say }: RunFaultsInput) {
  const { endpoint, account, region, restore: control } = system;
  const place = { endpoint, account, region };
  return async ({ note }: HeldLease): Promise<void> => {
    const here = { resource: note?.on ?? "", isGone, undoUs: HEAL_UNDO_US, dryRun: false };
    const pace = paceOf(endpoint);
    const { healed } = await healAccount({ control, clock, pace, place, ...here });
    for (const { line } of healed) say(line);
  };
}

/** Rejects when AWS would refuse a fault, or when it destroys data that nobody has given up. */
async function checkHazards({
  scenario,
  counted,
  system,
  clock,
  err,
}: RunFaultsInput): Promise<void> {
  const { control } = system; // the identity that observes
  const hazards = await hazardsOf({ scenario, counted, control, nowMs: clock.wallMs() });
  refuseHazards(scenario, hazards, err);
}

/** From any machine that has the scenario; a local AWS of its own is on this one. */
const healOf = ({ file }: Scenario, { environment }: System): string =>
  environment === null
    ? "gatecrash heal"
    : `gatecrash heal --scenario ${quote(file)} --env ${quote(environment.name)}`;

/** Longest time for one record of `heal`. */
export const HEAL_UNDO_US = 60 * US_PER_S;
