// The HTML report in a real browser: quiet, alone, readable, and with the figures of result.json.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatMs, formatNumber } from "../../src/core/format.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import { report } from "../../src/report/report.ts";
import { resultOf } from "../../src/report/result-json.ts";
import { chromiumPath } from "../support/chromium.ts";
import { goldenRuns } from "../support/golden-runs.ts";

const GOLDEN = join(import.meta.dirname, "..", "golden");
const executablePath = chromiumPath();
const REASON = executablePath === null ? " (skipped: no Chromium here; set CHROMIUM)" : "";
const LOOKS = [
  ["light", 400],
  ["dark", 1200],
] as const;

interface Visit {
  readonly page: Page;
  /** What the console said, and every request but the one for the file itself. */
  readonly noise: string[];
}

describe.skipIf(executablePath === null)(`the page in a browser${REASON}`, () => {
  const dir = mkdtempSync(join(tmpdir(), "gatecrash-html-"));
  let browser: Browser;

  beforeAll(async () => {
    for (const name of Object.keys(goldenRuns()))
      writeFileSync(join(dir, `${name}.html`), htmlReport(await report(join(GOLDEN, name))));
    browser = await chromium.launch({ executablePath: executablePath!, args: ["--no-sandbox"] });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(dir, { recursive: true });
  });

  async function visit(
    name: string,
    theme: "light" | "dark" = "light",
    width = 1200,
  ): Promise<Visit> {
    const viewport = { width, height: 900 };
    const page = await browser.newPage({ viewport, colorScheme: theme });
    const url = pathToFileURL(join(dir, `${name}.html`)).href;
    const noise: string[] = [];
    page.on("console", (message) => noise.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => noise.push(`error: ${error.message}`));
    page.on("request", (request) => {
      if (request.url() !== url && request.url() !== "data:,") noise.push(request.url());
    });
    await page.goto(url);
    return { page, noise };
  }

  test.each(Object.keys(goldenRuns()))(
    "of %s draws, says nothing and fetches nothing",
    async (name) => {
      for (const [theme, width] of LOOKS) {
        const { page, noise } = await visit(name, theme, width);
        const beyond = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        const canvases = await page.locator("#timeline canvas").count();
        expect({ noise, beyond, canvases }).toEqual({ noise: [], beyond: 0, canvases: 3 });
        await page.close();
      }
    },
  );

  test("shows the figures of result.json", async () => {
    const judged = await report(join(GOLDEN, "naive"));
    const result = resultOf(judged);
    const { page } = await visit("naive");
    const ms = (value: number | null) => formatMs(value! * 1_000);
    const rows = await page.locator("table.latency tbody tr").allInnerTexts();
    const within = (
      value: number | null,
      { low, high }: { low: number | null; high: number | null },
    ) => `${ms(value)}\n[${low === null ? "0" : ms(low)} – ${high === null ? "…" : ms(high)}]\n`;
    expect(rows.map((row) => row.split("\t").slice(0, 9))).toEqual(
      result.latencies.map(({ intervals, ...row }) => [
        ...[row.load, row.start, within(row.p50_ms, intervals.p50_ms), ms(row.p90_ms)],
        ...[within(row.p95_ms, intervals.p95_ms), within(row.p99_ms, intervals.p99_ms)],
        ...[ms(row.p999_ms), ms(row.max_ms), formatNumber(row.n)],
      ]),
    );
    const ledger = await page.locator("#ledger tbody tr").first().textContent();
    const { planned, sent, ok, throttled } = result.counts;
    for (const count of [planned, sent, ok, throttled])
      expect(ledger).toContain(formatNumber(count));
    expect(await page.locator(".verdict .word").textContent()).toContain(
      result.verdict.toUpperCase(),
    );
    const samples = await page.locator("table.criteria td:last-child").allInnerTexts();
    expect(samples.map((text) => text.split("\n")[0]).sort()).toEqual(
      result.criteria.map(({ n }) => formatNumber(n)).sort(),
    );
    await page.close();
  });

  test("reads out each second under the arrow keys", async () => {
    const { page } = await visit("naive");
    await page.locator("#chart-rate").focus();
    await page.keyboard.press("Home");
    const readout = page.locator("#chart-rate-readout");
    expect(await readout.textContent()).toBe("0 s: planned 60 · ok 60");
    for (let second = 0; second < 22; second++) await page.keyboard.press("ArrowRight");
    expect(await readout.textContent()).toBe("22 s: planned 60 · ok 15 · throttled 45");
    await page.close();
  });

  test("draws its charts anew when the theme changes", async () => {
    const { page, noise } = await visit("hardened");
    const corner = "getComputedStyle(document.body).backgroundColor";
    const light = await page.evaluate(corner);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await page.evaluate(corner)).not.toBe(light);
    expect(await page.locator("#timeline canvas").count()).toBe(3);
    expect(noise).toEqual([]);
    await page.close();
  });

  test("gives each table a caption, each row a head, and headings in order", async () => {
    const { page } = await visit("naive");
    expect(await page.locator("table:not(:has(> caption))").count()).toBe(0);
    expect(await page.locator("tbody tr:not(:has(> th[scope=row]))").count()).toBe(0);
    expect(await page.locator("h1").count()).toBe(1);
    const levels = await page
      .locator("h1, h2, h3")
      .evaluateAll((all) => all.map((one) => one.tagName));
    for (const [i, level] of levels.entries())
      if (i > 0) expect(Number(level[1]) - Number(levels[i - 1]![1])).toBeLessThanOrEqual(1);
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Skip to the criteria");
    await page.close();
  });

  test("prints", async () => {
    const { page, noise } = await visit("hardened", "dark");
    const paper = await page.pdf({ format: "A4" });
    expect(paper.subarray(0, 5).toString("latin1")).toBe("%PDF-");
    expect(noise).toEqual([]);
    await page.close();
  });
});
