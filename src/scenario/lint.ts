// What is wrong with a scenario that reads well: criteria that cannot decide, or decide the wrong
// thing.
import type { Criterion, Operand, WindowRef } from "../core/criterion.ts";
import { measureInfo, quantileOf } from "../core/measures.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import type { CriterionText, Scenario } from "../core/scenario.ts";
import { versionOfName } from "../core/version-name.ts";
import { contradictions } from "./limits.ts";
import { times } from "./lint-times.ts";
import type { Judged, LintFinding } from "./lint-types.ts";

const MINUTE_US = 60_000_000;

/** Findings in the order of their lines; an error means that a verdict would mean nothing. */
export function lintScenario(scenario: Scenario): LintFinding[] {
  const accept = judgedOf(scenario.accept);
  const steady = judgedOf(scenario.steady);
  const findings = [
    ...accept.flatMap((one) => [
      ...unbounded(scenario, one, accept, steady),
      ...minuteMetric(scenario, one),
      ...exactSample(one),
      ...unjoined(scenario, one),
      ...waiting(scenario, one),
      ...timelessSums(scenario, one),
    ]),
    ...contradictions(accept),
    ...wholeFile(scenario, accept),
    ...times(scenario),
  ];
  return findings.toSorted((a, b) => a.line - b.line);
}

function judgedOf(texts: readonly CriterionText[]): Judged[] {
  return texts.map(({ text, line }) => ({ criterion: parseCriterion(text), line }));
}

const isUpper = (op: string): boolean => op === "<=" || op === "<" || op === "==";

/** Fast refusals make a dead system look fast: a bound on time needs one on errors beside it. */
function unbounded(
  scenario: Scenario,
  { criterion, line }: Judged,
  accept: readonly Judged[],
  steady: readonly Judged[],
): LintFinding[] {
  const { operand, op } = criterion;
  const ofTime = quantileOf(operand.measure) !== null || operand.measure === "max";
  const own = /^(init|duration|lag)\./.test(operand.measure);
  if (!ofTime || own || !isUpper(op) || operand.function !== null) return [];
  const bounds = [...accept.map(({ criterion: c }) => c), ...steady.map(asBefore)];
  if (bounds.some((bound) => boundsErrors(bound, operand))) return [];
  const where = windowText(operand.window);
  const message =
    `\`${criterion.text}\` without a bound on errors ${where}: refusals that come fast make a ` +
    `dead system look fast; add \`${errorsOf(operand, scenario)} <= 1%\` ${where}`.trimEnd();
  return [{ line, severity: "error", message }];
}

/** Steady criteria are checked over `before`. */
function asBefore({ criterion }: Judged): Criterion {
  const window: WindowRef = { kind: "during", name: "before" };
  return { ...criterion, operand: { ...criterion.operand, window } };
}

const STARTS = ["cold", "warm"];

function boundsErrors({ operand, op }: Criterion, of: Operand): boolean {
  const bounds =
    (operand.measure === "errors.rate" && isUpper(op)) ||
    (operand.measure === "agreement" && !isUpper(op));
  // A version with a tenth of the load may fail always, and the whole still holds its bound.
  const version = of.names.filter((name) => versionOfName(name) !== null);
  const covered =
    operand.names.every((name) => of.names.includes(name)) &&
    version.every((name) => operand.names.includes(name));
  return bounds && covered && sameWindow(operand.window, of.window);
}

function sameWindow(a: WindowRef | null, b: WindowRef | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function windowText(window: WindowRef | null): string {
  if (window === null) return "over the whole run";
  if (window.kind === "during") return `during ${window.name}`;
  return `within ${window.us / 1e6}s after ${window.after}`;
}

function errorsOf(operand: Operand, scenario: Scenario): string {
  const names = operand.names.filter((name) => !STARTS.includes(name));
  const [load] = scenario.loads;
  const of = names.length > 0 || load === undefined ? names : [load.name];
  return [...of, "errors.rate"].join(".");
}

const MINUTELY = [
  ...["throttles", "throttles.rate", "errors.rate", "concurrency.max", "iterator-age.max"],
  ...["count", "depth"],
];

/** CloudWatch's points are whole minutes: a short window holds none of them. */
function minuteMetric(scenario: Scenario, { criterion, line }: Judged): LintFinding[] {
  const { operand } = criterion;
  const ofQueue = operand.measure === "depth";
  const ofMetric = operand.function !== null || operand.names[0] === "account" || ofQueue;
  if (!ofMetric || !MINUTELY.includes(operand.measure) || operand.window === null) return [];
  const lengthUs = lengthOf(scenario, operand.window);
  if (lengthUs === null || lengthUs >= 2 * MINUTE_US) return [];
  const never = lengthUs < MINUTE_US;
  const message = never
    ? `holds no whole minute: ${operand.measure} is a one-minute metric; leave the window away`
    : "may hold no whole minute: from 2m on it surely holds one";
  const text = `\`${criterion.text}\`: the window ${message}`;
  return [{ line, severity: never ? "error" : "warning", message: text }];
}

function lengthOf({ phases, faults }: Scenario, window: WindowRef): number | null {
  if (window.kind === "within") return window.us;
  const span = [...phases, ...faults].find(({ name }) => name === window.name);
  return span === undefined ? null : span.endUs - span.startUs;
}

/** A confidence bound never equals a limit. */
function exactSample({ criterion, line }: Judged): LintFinding[] {
  const { basis } = measureInfo(criterion.operand.measure)!;
  if (criterion.op !== "==" || basis === "census") return [];
  const message = `\`${criterion.text}\`: a sample cannot be shown to equal a limit; use <= or >=`;
  return [{ line, severity: "error", message }];
}

function unjoined(scenario: Scenario, { criterion, line }: Judged): LintFinding[] {
  const { operand } = criterion;
  const needs =
    operand.names.some((name) => STARTS.includes(name)) || measureInfo(operand.measure)!.joined;
  if (scenario.observe.reports.length > 0) return needs ? joinless(scenario, criterion, line) : [];
  const version = operand.names.find((name) => versionOfName(name) !== null);
  if (version !== undefined && !needs && answersNameVersions(scenario, operand)) return [];
  if (version !== undefined) {
    const lines = "which version answered is read from REPORT lines; give observe.reports";
    return [{ line, severity: "error", message: `\`${criterion.text}\`: ${lines}` }];
  }
  if (!needs) return [];
  const what = operand.measure.startsWith("cost.") ? "costs come from" : "cold and warm need";
  const message = `\`${criterion.text}\`: ${what} REPORT lines; give observe.reports`;
  return [{ line, severity: "warning", message }];
}

/** REPORT lines are read, and nothing says which of them is of which answer. */
function joinless(
  { loads, observe }: Scenario,
  { text, operand }: Criterion,
  line: number,
): LintFinding[] {
  if (observe.accessLog !== null || operand.function !== null) return [];
  const named = loads.filter(({ name }) => operand.names.includes(name));
  const lost = (named.length > 0 ? named : loads).filter(
    ({ target, joinBy }) => target.kind === "http" && typeof joinBy !== "object",
  );
  if (lost.length === 0) return [];
  const names = lost.map(({ name }) => name).join(", ");
  const message =
    `\`${text}\`: nothing surely leads from an answer of ${names} to its REPORT line; give ` +
    "observe.access-log, or request-id of the load (a function URL needs neither)";
  return [{ line, severity: "warning", message }];
}

/** A synchronous invoke is answered with the version that ran. */
function answersNameVersions({ loads }: Scenario, { names, function: of }: Operand): boolean {
  const named = loads.filter(({ name }) => names.includes(name));
  return (
    of === null &&
    (named.length > 0 ? named : loads).every(
      ({ target }) => target.kind === "lambda" && target.invocation === "sync",
    )
  );
}

/** A closed loop sends less when answers are slow, so the slow ones are hardly ever sampled. */
function waiting({ loads }: Scenario, { criterion, line }: Judged): LintFinding[] {
  const { operand } = criterion;
  const load = loads.find(({ name }) => operand.names.includes(name));
  if (load?.driver.kind !== "saturate" || quantileOf(operand.measure) === null) return [];
  const message =
    `\`${criterion.text}\`: ${load.name} waits for each answer, so slow answers keep it from ` +
    "asking; a response time needs a rate";
  return [{ line, severity: "warning", message }];
}

/** A sum does not say when what it counts was due. */
function timelessSums({ sinks }: Scenario, { criterion, line }: Judged): LintFinding[] {
  const { operand } = criterion;
  const sink = sinks.find(({ name }) => name === operand.names[0]);
  if (sink === undefined || sink.id !== null || operand.window === null) return [];
  const message = `\`${criterion.text}\`: ${sink.name} holds sums of cells, which have no window`;
  return [{ line, severity: "error", message }];
}

function wholeFile(scenario: Scenario, accept: readonly Judged[]): LintFinding[] {
  const { faults, phases, steady } = scenario;
  const findings: LintFinding[] = [];
  const warn = (line: number, message: string): void => {
    findings.push({ line, severity: "warning", message });
  };
  if (accept.length === 0) warn(1, "`accept:` is empty: nothing is judged");
  for (const { criterion, line } of accept)
    if (criterion.operand.measure === "recovery" && steady.length === 0)
      findings.push({
        line,
        severity: "error",
        message: `\`${criterion.text}\`: recovery is when \`steady:\` holds again; there is none`,
      });
  const firstUs = Math.min(...faults.map(({ startUs }) => startUs));
  const before = phases.find(({ name }) => name === "before");
  if (faults.length > 0 && steady.length > 0 && before?.endUs !== firstUs)
    warn(
      steady[0]!.line,
      "no phase `before` ends where the first fault starts: steady is not checked",
    );
  if (faults.length > 0 && steady.length === 0)
    warn(
      faults[0]!.line,
      "faults without `steady:`: a system that was already broken is not noticed",
    );
  return findings;
}
