// The outputs of a report: conformance of each, and what is particular to one.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ANNOTATIONS_MAX, githubReport } from "../../src/report/github.ts";
import { junitReport } from "../../src/report/junit.ts";
import { markdownReport } from "../../src/report/markdown.ts";
import { report } from "../../src/report/report.ts";
import { jsonReport, resultOf } from "../../src/report/result-json.ts";
import { colourReport, textReport } from "../../src/report/text.ts";
import { WIDTH, widthOf } from "../../src/report/text-layout.ts";
import { reporterConformance } from "../conformance/reporter.ts";
import { goldenRuns } from "../support/golden-runs.ts";
import { RESULT_SCHEMA, resultJsonSchema } from "../support/result-schema.ts";

const GOLDEN = join(import.meta.dirname, "..", "golden");
const names = Object.keys(goldenRuns());
const judged = async (name: string) => ({
  ...(await report(join(GOLDEN, name))),
  dir: `runs/${name}`,
});

describe("reporters", () => {
  reporterConformance("text", textReport);
  reporterConformance("colour", colourReport);
  reporterConformance("json", jsonReport);
  reporterConformance("junit", junitReport);
  reporterConformance("markdown", markdownReport);
  reporterConformance("github", githubReport);
});

describe("the text report", () => {
  test.each(names)("of %s keeps to 100 columns, but for the command to type", async (name) => {
    const lines = textReport(await judged(name)).split("\n");
    for (const line of lines)
      if (!line.startsWith("NOT UNDONE")) expect(widthOf(line)).toBeLessThanOrEqual(WIDTH);
  });

  test("is the same in colour, but for the colour", async () => {
    const found = await judged("naive");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what an escape sequence is
    expect(colourReport(found).replace(/\u001b\[\d+m/g, "")).toBe(textReport(found));
    expect(textReport(found)).not.toContain("\u001b");
  });

  test("says first, and in red, what was not undone", async () => {
    const text = colourReport(await judged("undo-not-verified"));
    expect(text.split("\n")[0]).toBe(
      "\u001b[31mNOT UNDONE checkout reserved concurrency is 0, was unset. Do now: " +
        "aws lambda delete-function-concurrency --function-name checkout --region eu-west-1\u001b[0m",
    );
  });
});

test("what undo cannot put back is declared beside what it did", async () => {
  const found = await judged("hardened");
  const residue = "an HTTP API's throttle cannot be unset";
  const faults = found.faults.map((fault) => ({ ...fault, residue }));
  const text = textReport({ ...found, faults }).replace(/\s+/g, " ");
  expect(text).toContain(`1 of 1 undone and verified (checkout: reserved unset → 0 → unset`);
  expect(text).toContain(`; undo leaves: ${residue})`);
  expect(resultOf({ ...found, faults }).faults[0]?.residue).toBe(residue);
});

describe("result.json", () => {
  test.each(names)("of %s has the published shape", async (name) => {
    const result = JSON.parse(jsonReport(await judged(name)));
    expect(RESULT_SCHEMA.parse(result)).toEqual(result);
    expect(result).toEqual(JSON.parse(JSON.stringify(resultOf(await judged(name)))));
  });

  test("is described by the schema in schema/", () => {
    const file = join(import.meta.dirname, "..", "..", "schema", "result.schema.json");
    const text = `${JSON.stringify(resultJsonSchema(), null, 2)}\n`;
    if (process.env.UPDATE_GOLDEN === "1") writeFileSync(file, text);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("holds no account id", async () => {
    expect(jsonReport(await judged("hardened"))).not.toContain("000000000000:");
  });
});

describe("Markdown", () => {
  test("holds neither account id nor ARN", async () => {
    for (const name of names) expect(markdownReport(await judged(name))).not.toMatch(/arn:|\d{12}/);
  });

  test("says undecided and not measured in words", async () => {
    expect(markdownReport(await judged("too-few"))).toContain("UNDECIDED");
    expect(markdownReport(await judged("late-generator"))).toContain("NOT MEASURED");
  });
});

describe("JUnit", () => {
  test("counts a fail as failure, an undecided primary as error, another as skipped", async () => {
    const xml = junitReport(await judged("undo-not-verified"));
    expect(xml).toContain('failures="1" errors="3" skipped="1"');
    expect(junitReport(await judged("naive"))).toContain('failures="2" errors="0" skipped="0"');
  });

  test("escapes what XML does not allow", async () => {
    const found = await judged("naive");
    const title = 'a <b> & "c" \u0001';
    expect(junitReport({ ...found, plan: { ...found.plan, title } })).toContain(
      'name="a &lt;b&gt; &amp; &quot;c&quot; \ufffd"',
    );
  });
});

describe("GitHub annotations", () => {
  test("are at most ten, by severity, with a word about the rest", async () => {
    const found = await judged("naive");
    const criteria = Array.from({ length: 14 }, () => found.criteria).flat();
    const lines = githubReport({ ...found, criteria }).split("\n");
    const commands = lines.filter((line) => line.startsWith("::"));
    expect(commands).toHaveLength(ANNOTATIONS_MAX);
    expect(commands.at(-1)).toContain("more in the job summary");
    expect(commands[0]).toContain("::error title=shopper.errors.rate <= 1%25 during zero::");
  });
});
