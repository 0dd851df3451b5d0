// The page of a comparison: its figures are the table's, its text is escaped, a browser draws it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { compareRuns, outcomeOf } from "../../src/report/compare.ts";
import { compareJson } from "../../src/report/compare-text.ts";
import { comparePage } from "../../src/report/html/compare-page.ts";
import { report } from "../../src/report/report.ts";
import { chromiumPath } from "../support/chromium.ts";
import { goldenRuns } from "../support/golden-runs.ts";
import { gatecrash } from "../support/in-process.ts";
import { writeRun } from "../support/run-directory.ts";

const GOLDEN = join(import.meta.dirname, "..", "golden");
const dir = mkdtempSync(join(tmpdir(), "gatecrash-overlay-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const executablePath = chromiumPath();
const REASON = executablePath === null ? " (skipped: no Chromium here; set CHROMIUM)" : "";

async function pageOf(a: string, b: string) {
  const comparison = await compareRuns([a, b], null);
  const runs = [await report(a), await report(b)] as const;
  return { comparison, text: comparePage(comparison, runs) };
}
const golden = (name: string): string => join(GOLDEN, name);

describe("the page of a comparison", () => {
  test("is the same bytes twice, below half a megabyte, and says the outcome", async () => {
    const { text, comparison } = await pageOf(golden("hardened"), golden("naive"));
    expect((await pageOf(golden("hardened"), golden("naive"))).text).toBe(text);
    expect(text.length).toBeLessThan(500_000);
    expect(outcomeOf(comparison)).toBe("worse");
    expect(text).toContain("B IS WORSE");
    expect(text).toContain("shopper.errors.rate 0.00 % → 24.77 %, more");
  });

  test.each([
    ["hardened", "naive", "B IS WORSE"],
    ["naive", "hardened", "NOT WORSE"],
    ["no-samples", "no-samples", "TOO FEW"],
    ["late-generator", "killed", "INVALID"],
    ["all-throttled", "interrupted", "TOO FEW"],
    ["undo-not-verified", "unbalanced", "INVALID"],
  ])("of %s and %s says %s", async (a, b, word) => {
    const { text } = await pageOf(golden(a), golden(b));
    expect(/class="word">.*<\/span> ([A-Z ]+)<\/p>/.exec(text)?.[1]).toBe(word);
  });

  test("escapes whatever a run is called", async () => {
    const run = goldenRuns().hardened!();
    const title = "</script><img src=x onerror=alert(1)>";
    writeRun(join(dir, "odd"), { ...run, plan: { ...run.plan, title, run: "<b>" } });
    const { text } = await pageOf(join(dir, "odd"), join(dir, "odd"));
    expect(text).not.toMatch(/<img src=x|<b>&lt;|<b><\/span>/);
  });

  test("is written by the command, which prints the table beside it", async () => {
    const file = join(dir, "overlay.html");
    const args = ["compare", golden("hardened"), golden("naive"), "--format", "html"];
    const { code, out } = await gatecrash(...args, "--out", file);
    expect(code).toBe(1);
    expect(out).toMatch(/^shopper {2}all {4}p50/m);
    expect(readFileSync(file, "utf8")).toBe((await gatecrash(...args)).out);
    const nowhere = await gatecrash(...args, "--out", join(dir, "none", "overlay.html"));
    expect(nowhere).toMatchObject({ code: 64, out: "" });
    expect(nowhere.err).toContain("overlay.html cannot be written");
  });
});

describe.skipIf(executablePath === null)(`the page in a browser${REASON}`, () => {
  test("draws both runs, says and fetches nothing, and reads out both under the keys", async () => {
    const file = join(dir, "drawn.html");
    await gatecrash(
      ...["compare", golden("naive"), golden("hardened"), "--format", "html", "--out", file],
    );
    const { rows } = JSON.parse(
      compareJson(await compareRuns([golden("naive"), golden("hardened")], null)),
    );
    const browser = await chromium.launch({
      executablePath: executablePath!,
      args: ["--no-sandbox"],
    });
    try {
      for (const [theme, width] of [["light", 1200] as const, ["dark", 400] as const]) {
        const viewport = { width, height: 900 };
        const page = await browser.newPage({ viewport, colorScheme: theme });
        const url = pathToFileURL(file).href;
        const noise: string[] = [];
        page.on("console", (message) => noise.push(`${message.type()}: ${message.text()}`));
        page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
        page.on("request", (request) => {
          if (request.url() !== url && request.url() !== "data:,") noise.push(request.url());
        });
        await page.goto(url);
        const beyond = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        const drawn = await page.locator("canvas").count();
        expect({ noise, beyond, drawn }).toEqual({ noise: [], beyond: 0, drawn: 4 });
        await page.locator("#chart-rate").focus();
        await page.keyboard.press("Home");
        for (let second = 0; second < 25; second++) await page.keyboard.press("ArrowRight");
        expect(await page.locator("#chart-rate-readout").textContent()).toBe(
          "25 s: A ok 15 · B ok 60 · A not ok 45 · B not ok 0",
        );
        const words = await page.locator("table.compare td:nth-child(8)").allInnerTexts();
        expect(words.map((word) => word.trim().replace(" *", ""))).toEqual(
          rows.map((row: { word: string }) => row.word),
        );
        await page.close();
      }
    } finally {
      await browser.close();
    }
  }, 60_000);
});
