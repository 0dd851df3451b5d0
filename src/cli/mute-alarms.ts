// `mute-alarms:` of a scenario: a change like a fault's, around all of them.

import type { Call, ControlPlane, Fault } from "../core/change.ts";
import { commandsOf } from "../core/command.ts";
import { GatecrashError } from "../core/error.ts";
import type { PlannedFault } from "../core/facts.ts";
import { partitionOf } from "../core/partition.ts";
import type { Scenario } from "../core/scenario.ts";
import { MUTE_KIND, muteAlarms } from "../faults/mute-alarms.ts";
import { readAlarms } from "../observe/alarms.ts";
import type { PlannedChange } from "./planned-changes.ts";
import { alarmName } from "./stop-alarms.ts";
import type { System } from "./system-contract.ts";

type Place = Pick<System, "region" | "account">;

/** Each once. Throws GatecrashError("scenario") for an alarm of somewhere else. */
export function mutedNames({ muteAlarms: mute, file }: Scenario, at: Place): string[] {
  const place = { file, line: mute?.line ?? 1 };
  const { region, account } = at;
  const names = (mute?.alarms ?? []).map((one) => alarmName(one, { region, account, place }));
  return [...new Set(names)];
}

/** Null where nothing is muted; `run` names the rule, `*` stands for any run. */
export function muteFault(
  scenario: Scenario,
  { region, account }: Place,
  { run, nowMs }: { readonly run: string; readonly nowMs: number },
): Fault | null {
  const { muteAlarms: mute, limits } = scenario;
  if (mute === undefined) return null;
  return muteAlarms({
    ...{ name: MUTE_KIND, rule: `gatecrash-${run}`, region, account },
    alarms: mutedNames(scenario, { region, account }),
    fromMs: nowMs,
    forUs: limits.durationUs + limits.undoUs + mute.atMostUs,
  });
}

/** As the plan has it: from 0 to the end of what the run may take. */
export function plannedMute(
  scenario: Scenario,
  place: Place,
  run: string,
): { readonly around?: readonly PlannedFault[] } {
  const fault = muteFault(scenario, place, { run, nowMs: 0 });
  if (fault === null) return {};
  const { name, kind, resources } = fault;
  const end_us = scenario.limits.durationUs;
  return { around: [{ name, kind, during: null, start_us: 0, end_us, resources }] };
}

/** What a plan shows of it: nothing is to be read, since the rule is the run's own. */
export function muteChange(
  scenario: Scenario,
  { region, account }: Place,
  nowMs: number,
): PlannedChange[] {
  const { muteAlarms: mute, limits } = scenario;
  const fault = muteFault(scenario, { region, account }, { run: "RUN", nowMs });
  if (mute === undefined || fault === null) return [];
  const show = (calls: readonly Call[]): string => commandsOf(calls, { region, endpoint: "aws" });
  return [
    {
      ...{ fault: fault.name, kind: fault.kind, startUs: 0, endUs: limits.durationUs },
      prior: "none: the rule is the run's own, and over by itself",
      ...{ inject: show(fault.inject({})), undo: show(fault.undo({})) },
      ...{ residue: null, held: null },
    },
  ];
}

/** Rejects with GatecrashError("scenario") for an alarm that does not exist here. */
export async function checkMuted(
  scenario: Scenario,
  control: ControlPlane,
  place: Place,
): Promise<void> {
  const { muteAlarms: mute, file } = scenario;
  if (mute === undefined) return;
  const at = { file, line: mute.line };
  const names = mutedNames(scenario, place);
  const found = await readAlarms(control, names);
  const missing = names.find((name) => !found.some((one) => one.name === name));
  if (missing === undefined) return;
  const text = `there is no alarm ${missing} in account ${place.account}, ${place.region}`;
  throw new GatecrashError("scenario", text, {
    hint: "aws cloudwatch describe-alarms lists those that there are",
    place: at,
  });
}

/** PutAlarmMuteRule is also a right on each of the alarms. */
export const mutedArns = (scenario: Scenario, at: Place): string[] =>
  mutedNames(scenario, at).map(
    (name) => `arn:${partitionOf(at.region)}:cloudwatch:${at.region}:${at.account}:alarm:${name}`,
  );
