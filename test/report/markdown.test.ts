// The Markdown report: short before the fold, bounded, and nobody's place in it.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { annotationLines } from "../../src/report/github.ts";
import { BYTES_MAX, markdownReport, ROWS_MAX } from "../../src/report/markdown.ts";
import { report } from "../../src/report/report.ts";
import type { Report } from "../../src/report/result.ts";
import { withoutPlaces } from "../../src/report/without-places.ts";
import { goldenRuns } from "../support/golden-runs.ts";

const judged = async (name: string): Promise<Report> =>
  await report(join(import.meta.dirname, "..", "golden", name));

const beforeFold = (text: string): string => text.slice(0, text.indexOf("<details>"));

describe("the Markdown report", () => {
  test.each(Object.keys(goldenRuns()))(
    "of %s has at most 25 lines before the fold",
    async (name) => {
      const found = await judged(name);
      const criteria = Array.from({ length: 6 }, () => found.criteria).flat();
      for (const one of [found, { ...found, criteria }])
        expect(beforeFold(markdownReport(one)).trimEnd().split("\n").length).toBeLessThanOrEqual(
          25,
        );
    },
  );

  test("folds the criteria that do not fit, and says how many", async () => {
    const found = await judged("naive");
    const criteria = Array.from({ length: 3 }, () => found.criteria).flat();
    const text = markdownReport({ ...found, criteria });
    // Two lines, old against new and the cost, take the place of criteria.
    expect(beforeFold(text)).toContain(`and ${criteria.length - (ROWS_MAX - 2)} more below`);
    expect(text.match(/^\| (🔴|🟡|🟢|⚪) /gmu)).toHaveLength(criteria.length);
  });

  test("stays within a comment, and says what was left out", async () => {
    const found = await judged("naive");
    const criteria = Array.from({ length: 200 }, () => found.criteria).flat();
    const text = markdownReport({ ...found, criteria });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(BYTES_MAX);
    expect(text).toContain("Too long for a comment, see report.html: more criteria");
    expect(text).toContain("<details><summary>Reproduce</summary>");
  });

  test("lets no title become markup or call a person", async () => {
    const found = await judged("naive");
    const title = "a|b <img src=x> [x](http://evil.example) @team `c` \n# d";
    const text = markdownReport({ ...found, plan: { ...found.plan, title } });
    expect(text.split("\n")[0]).toBe(
      "### 🔴 FAIL: a\\|b &lt;img src=x&gt; \\[x\\](http://…) @\u2060team \\`c\\` \\# d",
    );
  });

  test("and annotations name no account, ARN, host or address", async () => {
    const place =
      "arn:aws:lambda:eu-west-1:222222222222:function:checkout:live at https://a1b2.execute-api.eu-west-1.amazonaws.com/x and 10.0.0.7:443, account 222222222222";
    const found = await judged("late-generator");
    const hurt = { ...found, reason: place, invalid: [place], stopped: place };
    for (const text of [markdownReport(hurt), annotationLines(hurt)]) {
      expect(text).toContain("checkout at https://…/x and …, account …");
      expect(text).not.toMatch(/arn:|\d{12}|amazonaws|10\.0\.0\.7/);
    }
  });
});

test("places are taken out of a text, names of measures are not", () => {
  const kept = "shopper.checkout.warm.p99 <= 300ms during before; 1,234 of 123456";
  expect(withoutPlaces(kept)).toBe(kept);
  expect(withoutPlaces("checkout.stg.shop.example:8443 refused")).toBe("… refused");
});
