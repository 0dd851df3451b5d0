// The report as JUnit XML: FAIL is a failure, undecided and invalid are errors, optional ones skipped.
import type { CriterionResult, Report, Reporter } from "./result.ts";

/** A test case per criterion, and two for the run itself: is it valid, is everything undone. */
export const junitReport: Reporter = (report) => {
  const cases = [validCase(report), undoCase(report), ...report.criteria.map(criterionCase)];
  const count = (tag: string) => cases.filter((text) => text.includes(`<${tag} `)).length;
  const name = attribute(report.plan.title);
  const sums = `tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}"`;
  const head = `name="${name}" ${sums} skipped="${count("skipped")}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${head}>`,
    `  <testsuite ${head} id="${attribute(report.plan.run)}">`,
    "    <properties>",
    property("verdict", report.verdict),
    property("reason", report.reason),
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

function undoCase({ faults }: Report): string {
  const left = faults.flatMap(({ notUndone }) => (notUndone === null ? [] : [notUndone]));
  const text = left.map(({ state, command }) => `NOT UNDONE ${state}. Do now: ${command}`);
  const inside = left.length === 0 ? null : problem("failure", "not-undone", text.join("; "));
  return testCase("every fault is undone and verified", "run", inside);
}

function criterionCase(one: CriterionResult): string {
  if (one.verdict === "pass") return testCase(one.text, "criterion", null);
  if (one.verdict === "fail")
    return testCase(one.text, "criterion", problem("failure", "fail", one.reason));
  const tag = one.primary ? "error" : "skipped";
  return testCase(one.text, "criterion", problem(tag, one.verdict, one.reason));
}

const ENTITIES: { readonly [sign: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** XML forbids control characters even when escaped. */
function attribute(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are forbidden
  const allowed = text.replace(/[\u0000-\u0008\u000b-\u001f]/g, "�");
  return allowed.replace(/[&<>"\n]/g, (sign) => ENTITIES[sign] ?? sign);
}
