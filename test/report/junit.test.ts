// The JUnit report against the schema that CI systems read it by.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { junitReport } from "../../src/report/junit.ts";
import { report } from "../../src/report/report.ts";
import type { Report } from "../../src/report/result.ts";
import { goldenRuns } from "../support/golden-runs.ts";
import { junitComplaints } from "../support/junit-schema.ts";

const judged = async (name: string): Promise<Report> =>
  await report(join(import.meta.dirname, "..", "golden", name));

describe("the JUnit report", () => {
  test.each(Object.keys(goldenRuns()))("of %s is valid by its schema", async (name) => {
    expect(junitComplaints(junitReport(await judged(name)))).toEqual([]);
  });

  test("stays valid whatever a title or a reason holds", async () => {
    const found = await judged("naive");
    const nasty = "a\u0000\u001b[31m<&>\"'\ud800\uffff\r\n\tend]]>--";
    const criteria = found.criteria.map((one) => ({ ...one, text: nasty, reason: nasty }));
    const plan = { ...found.plan, title: nasty, run: nasty };
    const xml = junitReport({ ...found, plan, criteria, reason: nasty, invalid: [nasty] });
    expect(junitComplaints(xml)).toEqual([]);
  });

  test("gives estimate, interval and limit of what failed", async () => {
    expect(junitReport(await judged("naive"))).toContain(
      '<failure type="fail" message="found 75.06 % [72.06 – 77.88 %] of 882, limit 1 %"/>',
    );
  });

  test("says of an undecided criterion what is missing", async () => {
    expect(junitReport(await judged("too-few"))).toMatch(
      /<error type="inconclusive" message="[^"]*need/,
    );
  });
});

describe("the check itself", () => {
  const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
  const suite = (inside: string, counts = 'tests="1" failures="0" errors="0" skipped="0"') =>
    `${HEAD}<testsuites><testsuite name="a" ${counts}>${inside}</testsuite></testsuites>`;

  test.each([
    ["a missing declaration", "<testsuites/>", "the declaration is missing"],
    ["a bare ampersand", `${HEAD}<testsuites name="a & b"/>`, "an ampersand is not escaped"],
    [
      "a control character",
      `${HEAD}<testsuites name="\u0001"/>`,
      "it holds a character that XML forbids",
    ],
    [
      "an unknown attribute",
      `${HEAD}<testsuites skipped="1"/>`,
      "<testsuites> may not have skipped",
    ],
    ["a missing name", suite('<testcase name="x"/>'), "<testcase> lacks classname"],
    ["wrong sums", suite(""), "tests is 1, there are 0"],
    ["an open element", `${HEAD}<testsuites>`, "<testsuites> is not closed"],
  ])("complains of %s", (_, xml, complaint) => {
    expect(junitComplaints(xml)).toEqual([complaint]);
  });
});
