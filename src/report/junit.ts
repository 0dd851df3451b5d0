// The report as JUnit XML: FAIL is a failure, undecided an error; not judged or optional: skipped.
import { EXIT } from "../core/exit.ts";
import { formatNumber } from "../core/format.ts";
import { beyondText, estimateText, intervalText, limitText } from "./criterion-view.ts";
import { undoText } from "./labels.ts";
import type { CriterionResult, Report, Reporter } from "./result.ts";

/**
 * A test case per criterion, and three for the run itself: is it valid, whole, and undone. Keeps
 * to the schema that Jenkins publishes for these files (junit-10.xsd), which CI systems agree on.
 */
export const junitReport: Reporter = (report) => {
  const cases = [
    validCase(report),
    wholeCase(report),
    undoCase(report),
    ...report.criteria.map(criterionCase),
  ];
  const count = (tag: string) => cases.filter((text) => text.includes(`<${tag} `)).length;
  const name = attribute(report.plan.title);
  const sums = `tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}"`;
  const time = `time="${(report.observedUs / 1e6).toFixed(3)}"`;
  const began = new Date(report.plan.epoch_ms).toISOString().slice(0, 19);
  const head = `name="${name}" ${sums}`;
  const own = `skipped="${count("skipped")}" ${time} timestamp="${began}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${head} ${time}>`,
    `  <testsuite ${head} ${own} id="${attribute(report.plan.run)}">`,
    "    <properties>",
    property("verdict", report.verdict),
    property("reason", report.reason),
    property("exit_code", String(report.exitCode)),
    property("seed", String(report.plan.seed)),
    property("variant", report.plan.scenario.variant ?? ""),
    property("environment", report.plan.scenario.environment),
    "    </properties>",
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
};

function property(name: string, value: string): string {
  return `      <property name="${name}" value="${attribute(value)}"/>`;
}

function testCase(name: string, group: string, inside: string | null): string {
  const head = `    <testcase classname="gatecrash.${group}" name="${attribute(name)}"`;
  return inside === null ? `${head}/>` : `${head}>\n      ${inside}\n    </testcase>`;
}

const problem = (tag: string, type: string, message: string): string =>
  `<${tag} type="${type}" message="${attribute(message)}"/>`;

function validCase({ invalid }: Report): string {
  const text = invalid.length === 0 ? null : problem("error", "invalid", invalid.join("; "));
  return testCase("the run is valid", "run", text);
}

/** Red whenever the exit code says so for another reason than a criterion, validity or undo. */
function wholeCase({ exitCode, reason, stopped, faults }: Report): string {
  const isSaid = exitCode < EXIT.undoNotVerified || faults.some((one) => one.notUndone !== null);
  const isWhole = stopped === null && isSaid;
  const text = stopped === null ? reason : `stopped by ${stopped}`;
  return testCase(
    "the run did all that was planned",
    "run",
    isWhole ? null : problem("error", "stopped", text),
  );
}

function undoCase({ faults }: Report): string {
  const left = faults.flatMap(({ notUndone }) => (notUndone === null ? [] : [notUndone]));
  const text = left.map((one) => `NOT UNDONE ${undoText(one)}`);
  const inside = left.length === 0 ? null : problem("failure", "not-undone", text.join("; "));
  return testCase("every fault is undone and verified", "run", inside);
}

function criterionCase(one: CriterionResult): string {
  if (one.verdict === "pass") return testCase(one.text, "criterion", null);
  if (one.verdict === "fail")
    return testCase(one.text, "criterion", problem("failure", "fail", messageOf(one)));
  if (one.verdict === "invalid")
    return testCase(one.text, "criterion", problem("skipped", "not-judged", messageOf(one)));
  const tag = one.primary ? "error" : "skipped";
  return testCase(one.text, "criterion", problem(tag, one.verdict, messageOf(one)));
}

/** Estimate, interval and limit; in words what a percentile has beyond it, or what is missing. */
function messageOf(one: CriterionResult): string {
  const [estimate, interval, limit] = [estimateText(one), intervalText(one), limitText(one)];
  if (estimate === "") return one.reason;
  const found = interval === "" ? estimate : `${estimate} [${interval}]`;
  const figures = `found ${found} of ${formatNumber(one.n)}, limit ${limit}`;
  const isOpen = one.verdict === "inconclusive" || one.verdict === "invalid";
  const words = isOpen ? one.reason : beyondText(one);
  return words === "" ? figures : `${figures}: ${words}`;
}

const ENTITIES: { readonly [sign: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
};

/** What XML 1.0 forbids even when escaped: control characters, lone surrogates, U+FFFE, U+FFFF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are forbidden
const FORBIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]|\p{Cs}/gu;

function attribute(text: string): string {
  return text.replace(FORBIDDEN, "\ufffd").replace(/[&<>"\n\t]/g, (sign) => ENTITIES[sign] ?? sign);
}
