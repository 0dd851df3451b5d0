// Of an invalid run no criterion is shown to hold or fail, and the reason that explains is first.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { RunEvent } from "../../src/core/facts.ts";
import { annotationLines } from "../../src/report/github.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import { junitReport } from "../../src/report/junit.ts";
import { markdownReport } from "../../src/report/markdown.ts";
import { report } from "../../src/report/report.ts";
import { resultOf } from "../../src/report/result-json.ts";
import { colourReport, textReport } from "../../src/report/text.ts";
import { planFor, plannedLoad, quietEvents, writeRun } from "../support/run-directory.ts";

const S = 1_000_000;
const folder = mkdtempSync(join(tmpdir(), "gatecrash-not-judged-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** One criterion would hold and one would fail; sends are late by so much, and it is not steady. */
async function judged(lagUs: number) {
  const attempts = Array.from({ length: 400 }, (_, index) => {
    return { index, dueUs: (index * S) / 40, lagUs };
  });
  const criteria = { accept: ["lag.p50 <= 60s", "errors.rate >= 50%"], steady: [], stop_when: [] };
  const steady: RunEvent = { t: 5 * S, kind: "steady", holds: false, detail: "p99 was 9 s" };
  const dir = join(folder, String(lagUs));
  const plan = planFor({ loads: [plannedLoad({ name: "shopper" })], criteria }, attempts);
  writeRun(dir, { plan, events: quietEvents(10, 400, [steady]), attempts });
  return await report(dir);
}

test("criteria of an invalid run are grey, with words, in every output", async () => {
  const one = await judged(200);
  expect(one.criteria.map(({ verdict, margin }) => [verdict, margin])).toEqual([
    ["invalid", null],
    ["invalid", null],
  ]);
  expect(resultOf(one).criteria[1]).toMatchObject({
    ...{ verdict: "invalid", reason: "not judged: the run is invalid", margin: null, estimate: 0 },
  });
  const text = textReport(one);
  expect(text).toMatch(/^– lag\.p50 <= 60s .*not judged/m);
  expect(text).not.toMatch(/^[✓✗?] /m);
  expect(colourReport(one)).toContain("\u001b[2m–\u001b[0m lag.p50");
  expect(markdownReport(one)).toMatch(/\| ⚪ \| `lag\.p50 <= 60s` \|.*\| not judged \|/);
  expect(markdownReport(one)).not.toMatch(/🟢|🔴/u);
  const html = htmlReport(one);
  expect(html).toContain('<span class="mark invalid"><span aria-hidden="true">–</span>');
  expect(html).not.toMatch(/class="(mark|dot) (pass|fail)"/);
  expect(html).toContain('<span class="muted">not judged</span>');
  const junit = junitReport(one);
  expect(junit.match(/<skipped type="not-judged"/g)).toHaveLength(2);
  expect(junit).not.toContain("<failure");
  expect(annotationLines(one)).not.toContain("::error");
});

test("a generator that was late by seconds explains why it was not steady", async () => {
  const { invalid, reason } = await judged(3 * S);
  expect(invalid[0]).toBe("the generator was late: lag p99 3,000 ms, at most 20.0 ms allowed");
  expect(invalid[1]).toContain("not steady before the fault");
  expect(reason).toBe(invalid[0]);
});

test("one that was late by a little does not", async () => {
  const { invalid } = await judged(30_000);
  expect(invalid[0]).toContain("not steady before the fault");
  expect(invalid[1]).toContain("the generator was late");
});
