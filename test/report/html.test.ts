// The HTML report as text: escaped, alone, the same every time, and small.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { escaped, html, jsonScript } from "../../src/report/html/markup.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import { report } from "../../src/report/report.ts";
import type { Report, Reporter } from "../../src/report/result.ts";
import { reporterConformance } from "../conformance/reporter.ts";
import { writeLedgerRun } from "../support/reconciled-run.ts";
import {
  type AttemptSpec,
  planFor,
  plannedLoad,
  quietEvents,
  writeRun,
} from "../support/run-directory.ts";

const GOLDEN = join(import.meta.dirname, "..", "golden");
const dir = mkdtempSync(join(tmpdir(), "gatecrash-html-"));
afterAll(() => rmSync(dir, { recursive: true }));

const judged = async (name: string): Promise<Report> => await report(join(GOLDEN, name));
const SCRIPT = /<script[^>]*>[\s\S]*?<\/script>/g;
/** What a person reads; scripts hold words that a report must not. */
const readable: Reporter = (of) => htmlReport(of).replace(SCRIPT, "").replaceAll("&#39;", "'");

describe("the HTML report", () => {
  reporterConformance("html", readable);

  test("lets nothing of a run become markup", async () => {
    const found = await judged("naive");
    const nasty = `"><img src=x onerror=alert(1)></script><script>alert('2')</script>`;
    const plan = {
      ...found.plan,
      ...{ title: nasty, run: nasty, notes: [nasty], command: [nasty, nasty] },
      phases: found.plan.phases.map((phase) => ({ ...phase, name: nasty })),
      loads: found.plan.loads.map((load) => ({ ...load, name: nasty })),
    };
    const faults = found.faults.map((fault) => ({ ...fault, name: nasty, change: nasty }));
    const series = {
      ...found.drawn.series,
      groups: found.drawn.series.groups.map((group) => ({ ...group, name: nasty })),
    };
    const faultEffects = { [nasty]: Object.values(found.drawn.faultEffects)[0]! };
    const drawn = { ...found.drawn, series, faultEffects };
    const page = htmlReport({ ...found, plan, faults, drawn, reason: nasty, stopped: nasty });
    expect(page.match(/<script/g)).toHaveLength(3);
    const tags = page.replace(SCRIPT, "").replace(/"[^"]*"/g, '""');
    expect(tags).not.toMatch(/<img|<\w[^>]*\son\w+=/);
    expect(page).toContain("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;");
  });

  test("allows its own scripts and styles by their hash, and nothing to be fetched", async () => {
    const page = htmlReport(await judged("naive"));
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)![1]!;
    const hashOf = (text: string) =>
      `&#39;sha256-${createHash("sha256").update(text).digest("base64")}&#39;`;
    const scripts = [...page.matchAll(/<script(?: type="module")?>([\s\S]*?)<\/script>/g)];
    expect(scripts).toHaveLength(2);
    for (const [, text] of scripts) expect(policy).toContain(hashOf(text!));
    expect(policy).toContain(hashOf(/<style>([\s\S]*?)<\/style>/.exec(page)![1]!));
    expect(policy).toMatch(/^default-src &#39;none&#39;/);
    expect(policy).not.toContain("unsafe");
    const outside = /(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?\/\//;
    expect(page.replace(SCRIPT, "")).not.toMatch(outside);
    expect(page).not.toMatch(/style="|sourceMappingURL/);
  });

  test("repeats no header and no body of the command", async () => {
    const found = await judged("naive");
    const command = [
      ...["gatecrash", "load", "http://u:SECRET1@127.0.0.1/", "--header", "authorization: SECRET2"],
      ...["--body=SECRET3", "--rate", "5/s"],
    ];
    const page = htmlReport({ ...found, plan: { ...found.plan, command } });
    expect(page).not.toContain("SECRET");
    expect(page).toContain(
      "gatecrash load http://…@127.0.0.1/ --header &#39;authorization: …&#39; --body=… --rate 5/s",
    );
  });

  test("is under 1 MB for half an hour of four loads", async () => {
    const names = ["a", "b", "c", "d"];
    const perSecond = 2;
    const attempts = names.flatMap((_, load) =>
      Array.from({ length: 1_800 * perSecond }, (_, index): AttemptSpec => {
        const dueUs = index * (1_000_000 / perSecond);
        const outcome = index % 7 === 0 ? "errored" : index % 5 === 0 ? "throttled" : "ok";
        return { load, index, dueUs, outcome, serviceUs: 20_000 + ((index * 7_919) % 90_001) };
      }),
    );
    const loads = names.map((name) => plannedLoad({ name, end_us: 1_800_000_000 }));
    const phases = [{ name: "all", start_us: 0, end_us: 1_800_000_000 }];
    const plan = planFor({ loads, phases }, attempts);
    writeRun(dir, { plan, attempts, events: quietEvents(1_800, attempts.length) });
    const page = htmlReport(await report(dir));
    expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
    expect(page).toContain('<option value="0">all loads</option>');
  });
});

describe("the reconciliation in the HTML report", () => {
  const events = ["a", "b", "c", "d"].map((id) => ({ id, cell: "north", attempts: [{}] }));
  const held = ["a", "b", "b", "d"].map((id) => ({ id, cell: "north" }));

  test("has the equation of each sink, and names what differs", async () => {
    const found = await report(await writeLedgerRun(dir, { sent: events, held }));
    const page = readable(found);
    const start = page.indexOf('<section id="reconciliation"');
    const text = page.slice(start, page.indexOf("</section>", start));
    const cells = [...text.matchAll(/<td class="n"[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell);
    const wrong = (count: number) => `<b class="bad">${count}</b>`;
    const counts = ["4", "0", "0", "2", "0", wrong(1), wrong(1), "0", "0", "0"];
    expect(cells.slice(0, 10)).toEqual(counts);
    expect(text).toMatch(/<code>c<\/code><\/th><td data-label="What">Lost/);
    expect(text).toMatch(/<code>b<\/code><\/th><td data-label="What">Duplicated/);
    expect(page).toContain('<a href="#reconciliation">');
  });

  test("is absent without sinks", async () => {
    expect(readable(await judged("naive"))).not.toContain("#reconciliation");
  });
});

describe("markup", () => {
  test("escapes values and keeps markup", () => {
    const inner = html`<b>${"<&>\"'"}</b>`;
    expect(html`<p title="${'a"b'}">${[inner, null, false, 7]}</p>`.text).toBe(
      '<p title="a&quot;b"><b>&lt;&amp;&gt;&quot;&#39;</b>7</p>',
    );
  });

  test("shows control characters and turned text as what they are not: nothing", () => {
    expect(escaped("a\u0000b\u202ec\u001bd\ud800")).toBe("a\ufffdb\ufffdc\ufffdd\ufffd");
  });

  test("ends no script element early", () => {
    const text = jsonScript("x", { a: "</script><!--\u2028" }).text;
    expect(text).toBe(
      '<script type="application/json" id="x">{"a":"\\u003c/script>\\u003c!--\\u2028"}</script>',
    );
  });
});
