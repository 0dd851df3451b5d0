// What a pull request changed of its own judgement comes first, in every output.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PlannedBase } from "../../src/core/base-facts.ts";
import { annotationLines } from "../../src/report/github.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import { lastGoodOf } from "../../src/report/last-good.ts";
import { markdownReport } from "../../src/report/markdown.ts";
import { report } from "../../src/report/report.ts";
import type { Report } from "../../src/report/result.ts";
import { resultOf } from "../../src/report/result-json.ts";
import { colourReport, textReport } from "../../src/report/text.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";

const GOLDEN = join(import.meta.dirname, "..", "golden");
const BASE: PlannedBase = {
  ...{ ref: "origin/main", commit: "1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d" },
  ...{ path: "gates/shop/scenario.yaml", head_blob: "f".repeat(40) },
  ...{ criteria_from: "base", safety_from: "base", not_compared: "" },
  changes: [
    {
      ...{ group: "criteria", key: "accept", kind: "loosened" },
      ...{ base: "shop.p99 <= 300ms", head: "shop.p99 <= 900ms" },
    },
    { group: "criteria", key: "accept", kind: "removed", base: "shop.dropped == 0", head: null },
    { group: "criteria", key: "steady", kind: "added", base: null, head: "shop.p50 <= 1s" },
    {
      ...{ group: "safety", key: "environments.stg.account", kind: "changed" },
      ...{ base: "222222222222", head: "333333333333" },
    },
  ],
};

async function judged(name: string, base?: PlannedBase): Promise<Report> {
  const found = await report(join(GOLDEN, name));
  return base === undefined ? found : { ...found, plan: { ...found.plan, base } };
}

describe("changed criteria", () => {
  test("stand in the first lines of the text, each with what it was", async () => {
    const text = textReport(await judged("naive", BASE));
    expect(text.split("\n").slice(0, 6)).toEqual([
      "CRITERIA CHANGED in this pull request, against origin/main 1a2b3c4d5e6f: judged by those of",
      "origin/main",
      "   loosened accept: shop.p99 <= 300ms → shop.p99 <= 900ms",
      "   removed accept: shop.dropped == 0",
      "   added steady: shop.p50 <= 1s",
      "   changed environments.stg.account: 222222222222 → 333333333333 (not in force)",
    ]);
    expect(colourReport(await judged("naive", BASE))).toContain("\u001b[33mCRITERIA CHANGED");
  });

  test("come after what was not undone", async () => {
    const text = textReport(await judged("undo-not-verified", BASE));
    expect(text.split("\n")[0]).toMatch(/^NOT UNDONE/);
    expect(text).toContain("\nCRITERIA CHANGED");
  });

  test.each(["naive", "undo-not-verified", "late-generator"])(
    "stand above the table of %s in Markdown, within 25 lines, and name no account",
    async (name) => {
      const text = markdownReport(await judged(name, BASE));
      const [banner = "", table = ""] = ["> ⚠️ **Criteria changed in this pull request", "| | crit"];
      expect(text.indexOf(banner)).toBeGreaterThan(0);
      if (name !== "late-generator")
        expect(text.indexOf(table)).toBeGreaterThan(text.indexOf(banner));
      expect(text).toContain("and 1 more below");
      const above = text.slice(0, text.indexOf("<details>")).trimEnd();
      expect(above.split("\n").length).toBeLessThanOrEqual(25);
      expect(text).toContain("<details><summary>Criteria changed</summary>");
      expect(text).not.toMatch(/\d{12}/);
    },
  );

  test("are in HTML, in result.json and among the annotations", async () => {
    const found = await judged("hardened", BASE);
    expect(htmlReport(found)).toContain("<li>removed accept: shop.dropped == 0</li>");
    expect(annotationLines(found)).toMatch(/^::warning title=criteria::CRITERIA CHANGED/);
    const result = RESULT_SCHEMA.parse(JSON.parse(JSON.stringify(resultOf(found))));
    expect(result.criteria_changed).toMatchObject({ changed: true, compared: true });
    expect(result.criteria_changed?.changes).toHaveLength(4);
  });

  test("that judge themselves are said so; what was not compared, too", async () => {
    const own = textReport(await judged("naive", { ...BASE, criteria_from: "head" }));
    expect(own).toContain("judged by ITS OWN,");
    const why = { ...BASE, commit: null, changes: [], not_compared: "the clone is shallow" };
    const blind = await judged("naive", why);
    expect(textReport(blind)).toMatch(/^CRITERIA NOT COMPARED with origin\/main: the clone is/);
    expect(markdownReport(blind)).toContain("> ⚠️ **Criteria not compared with origin/main:");
  });

  test("nothing is said where nothing differs", async () => {
    const same = await judged("naive", { ...BASE, changes: [] });
    const plain = await judged("naive");
    expect(textReport(same)).toBe(textReport(plain));
    expect(markdownReport(same)).toBe(markdownReport(plain));
    expect(htmlReport(same)).toBe(htmlReport(plain));
  });
});

describe("the Markdown of a pull request", () => {
  test("says where the time went, in parts that add up", async () => {
    const { timeSplit: split } = await judged("naive");
    expect(split!.functionUs + split!.initUs + split!.wayUs).toBeCloseTo(split!.responseUs, 6);
    expect(markdownReport(await judged("naive"))).toMatch(
      /\*\*Where the time went\*\* .* = function .* \+ cold init .* \+ network and front/,
    );
  });

  test("has a column for the last good run, also where that one was asked less", async () => {
    const naive = await judged("naive");
    const lastGood = await lastGoodOf(join(GOLDEN, "hardened"), naive);
    const text = markdownReport({ ...naive, lastGood });
    expect(text).toContain("| | criterion | this run | limit | last good | margin | n |");
    expect(text).toMatch(/during zero` \*\*primary\*\* \| 75\.06 % .* \| 1 % \| 0\.00 % .* \| −71/);
    const { run } = naive.plan;
    expect(text).toContain(`last good: run ${run}`);
    const less = await lastGoodOf(join(GOLDEN, "too-few"), naive);
    expect(markdownReport({ ...naive, lastGood: less })).toContain("| 1 % | – | −71.54 pt |");
  });

  test("says what an undecided run needs, and what it tells a pipeline", async () => {
    const text = markdownReport(await judged("too-few"));
    expect(text).toMatch(/Needs about .* samples, has .*Neither passed nor failed: exit code 2\./);
  });
});
