// What can be found wrong before a run: by a scenario's text, and by what its plan will feed.
import { relative } from "node:path";
import { GatecrashError } from "../core/error.ts";
import type { PlannedFault, PlannedVersions } from "../core/facts.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import type { FaultSpec, Scenario } from "../core/scenario.ts";
import { replacesEnvironments } from "../core/window.ts";
import type { Foreseen } from "../report/feed.ts";
import { type Prospect, prospectsOf } from "../report/prospects.ts";
import { assumedOnsetUs } from "../scenario/fault-onset.ts";
import type { LintFinding } from "../scenario/lint-types.ts";
import type { CommandContext } from "./context.ts";
import { ARMS, type CountedLoad } from "./count-loads.ts";
import { versionShares } from "./versions.ts";

/** `accept:` against the counted plan. Outputs may still be open: their names are enough. */
export function acceptProspects(
  scenario: Scenario,
  counted: readonly CountedLoad[],
  coldStarts: number | null,
  versions: readonly PlannedVersions[] | null,
): Prospect[] {
  const criteria = scenario.accept.map(({ text }) => parseCriterion(text));
  const named = criteria.flatMap(({ operand }) => operand.function ?? []);
  const functions = Object.fromEntries(named.map((output) => [output, output]));
  const ends = [...scenario.phases, ...scenario.loads].map(({ endUs }) => endUs);
  const foreseen: Foreseen = {
    plan: {
      phases: scenario.phases.map(({ name, startUs, endUs }) => {
        return { name, start_us: startUs, end_us: endUs };
      }),
      loads: counted.map(({ facts }) => facts),
      faults: scenario.faults.map(unresolved),
      arms: ARMS,
      functions,
    },
    perRoute: counted.map(({ counts }) => counts.perRoute),
    onsetUs: Object.fromEntries(
      scenario.faults.map(({ name, kind }) => [name, assumedOnsetUs(kind, scenario.environment)]),
    ),
    coldStarts,
    ...(versions === null ? {} : { versions: versionShares(versions) }),
    endUs: ends.reduce((last, endUs) => Math.max(last, endUs), 0),
  };
  return prospectsOf(foreseen, criteria);
}

/** The fault's times; its resource is not known before the outputs are. */
function unresolved(spec: FaultSpec): PlannedFault {
  const { name, kind, during, startUs, endUs } = spec;
  const wave = replacesEnvironments(spec) ? { cold_wave: "" } : {};
  return { name, kind, during, start_us: startUs, end_us: endUs, resources: [], ...wave };
}

/** A primary criterion that cannot pass is an error: the run would be for nothing. */
export function prospectFindings(
  scenario: Scenario,
  prospects: readonly Prospect[],
): LintFinding[] {
  return prospects.flatMap(({ text, primary, decidable, problem }, i): LintFinding[] => {
    if (problem === "") return [];
    const severity = primary && decidable === "no" ? "error" : "warning";
    const line = scenario.accept[i]!.line;
    return [{ line, severity, message: `\`${text}\`: ${problem}` }];
  });
}

/**
 * A run says how many criteria it may leave open; which and why is for `lint` and `plan` to tell.
 * @throws AggregateError of GatecrashErrors `scenario` for what cannot be decided at all
 */
export function complainBriefly(
  scenario: Scenario,
  findings: readonly LintFinding[],
  context: CommandContext,
): void {
  const open = findings.filter(({ severity }) => severity === "warning").length;
  const what = open === 1 ? "1 criterion is" : `${open} criteria are`;
  const file = shownPath(scenario.file);
  if (open > 0)
    context.err(`warning: ${what} not sure to be decided: gatecrash lint ${file} says why\n`);
  complain(
    scenario,
    findings.filter(({ severity }) => severity === "error"),
    context,
  );
}

/**
 * Prints warnings, and throws all errors together.
 * @throws AggregateError of GatecrashErrors `scenario`
 */
export function complain(
  { file }: Scenario,
  findings: readonly LintFinding[],
  context: CommandContext,
): void {
  for (const { line, severity, message } of findings)
    if (severity === "warning") context.err(`warning: ${shownPath(file)}:${line}: ${message}\n`);
  const errors = findings
    .filter(({ severity }) => severity === "error")
    .map(({ line, message }) => new GatecrashError("scenario", message, { place: { file, line } }));
  if (errors.length > 0) throw new AggregateError(errors, "this scenario cannot decide");
}

/** Relative to where the person stands, when it lies below. */
export function shownPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near === "" || near.startsWith("..") ? file : near;
}
