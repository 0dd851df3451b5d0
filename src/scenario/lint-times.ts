// Times that do not fit: phases too short for their fault to take hold, a budget that is too small.
import type { FaultSpec, Scenario } from "../core/scenario.ts";
import { assumedOnsetUs } from "./fault-onset.ts";
import type { LintFinding } from "./lint-types.ts";

/** Under three times its onset, a fault is in force for less than about two thirds of its phase. */
const ONSETS_WANTED = 3;

export function times(scenario: Scenario): LintFinding[] {
  return [...scenario.faults.flatMap((fault) => short(scenario, fault)), ...budget(scenario)];
}

function short({ environment }: Scenario, fault: FaultSpec): LintFinding[] {
  const lengthUs = fault.endUs - fault.startUs;
  const onsetUs = assumedOnsetUs(fault.kind, environment);
  if (lengthUs >= ONSETS_WANTED * onsetUs) return [];
  const wanted = seconds(ONSETS_WANTED * onsetUs);
  const message =
    `fault \`${fault.name}\` lasts ${seconds(lengthUs)} and is assumed to take ` +
    `${seconds(onsetUs)} to act; give it at least ${wanted}`;
  return [{ line: fault.line, severity: "warning", message }];
}

/** `budget:` is the most time from the first byte to the verdict: it cuts what a run waits for. */
function budget(scenario: Scenario): LintFinding[] {
  const { budgetUs, loads, faults, limits, observe, phases } = scenario;
  if (budgetUs === null) return [];
  const ends = [...phases, ...loads].map(({ endUs }) => endUs);
  const queues = Object.keys(observe.queues ?? {});
  const listed = [...observe.reports, ...observe.metricFunctions, ...queues];
  const { metricAccount, metricFronts = false } = observe;
  const observed = listed.length > 0 || metricAccount || metricFronts;
  const parts: [string, number][] = [
    ["load", Math.max(0, ...ends)],
    ["drain", Math.max(0, ...loads.map(({ target }) => target.timeoutUs))],
    ["undo", faults.length > 0 ? limits.undoUs : 0],
    ["unmute", scenario.muteAlarms?.atMostUs ?? 0],
    ["observe", observed || observe.accessLog !== null ? observe.waitUs : 0],
    ["clean up", Math.max(0, ...loads.map(({ cleanUp }) => cleanUp?.atMostUs ?? 0))],
    ["settle", Math.max(0, ...scenario.sinks.map(({ atMostUs }) => atMostUs))],
  ];
  const worstUs = parts.reduce((sum, [, us]) => sum + us, 0);
  if (worstUs <= budgetUs) return [];
  const terms = parts.filter(([, us]) => us > 0).map(([name, us]) => `${name} ${seconds(us)}`);
  const message =
    `the run may take ${seconds(worstUs)} (${terms.join(" + ")}), ` +
    `\`budget:\` is ${seconds(budgetUs)}: waiting is cut short then`;
  return [{ line: 1, severity: "warning", message }];
}

const seconds = (us: number): string => `${Math.round(us / 100_000) / 10} s`;
