// What every reporter must keep: pure, complete, and loud about what was left behind.
import { join } from "node:path";
import { expect, test } from "vitest";
import { report } from "../../src/report/report.ts";
import type { Reporter } from "../../src/report/result.ts";
import { goldenRuns } from "../support/golden-runs.ts";

const GOLDEN = join(import.meta.dirname, "..", "golden");

/** Call it inside a `describe`: one test per promise. */
export function reporterConformance(name: string, reporter: Reporter): void {
  for (const run of Object.keys(goldenRuns())) {
    test(`${name}: of ${run} gives the same bytes twice and says the verdict`, async () => {
      const judged = await report(join(GOLDEN, run));
      const text = reporter(judged);
      expect(reporter(await report(join(GOLDEN, run)))).toBe(text);
      expect(text.toLowerCase()).toContain(judged.verdict);
      expect(text.endsWith("\n")).toBe(true);
    });

    test(`${name}: of ${run} shows every criterion and no value that is none`, async () => {
      const judged = await report(join(GOLDEN, run));
      const text = reporter(judged);
      for (const { text: criterion } of judged.criteria)
        expect(unescaped(text)).toContain(criterion);
      expect(text).not.toMatch(/NaN|undefined|\[object/);
    });
  }

  test(`${name}: names the command when something was not undone`, async () => {
    const text = reporter(await report(join(GOLDEN, "undo-not-verified")));
    expect(unescaped(text)).toContain("aws lambda delete-function-concurrency");
  });
}

/** Markup of XML, Markdown and JSON taken back, so that criteria can be looked for. */
function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll("\\|", "|");
}
