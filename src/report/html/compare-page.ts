// Two runs as one page: what is worse beyond chance, every measure with its interval, and overlays.
import { formatNumber } from "../../core/format.ts";
import { type ComparedRow, type Comparison, isWorse, outcomeOf } from "../compare.ts";
import { showUsd, showValue } from "../criterion-text.ts";
import { estimateText } from "../criterion-view.ts";
import { headWord, placeText, VERDICTS } from "../labels.ts";
import type { CriterionResult, Report } from "../result.ts";
import { readAssets } from "./assets.ts";
import { chart } from "./chart.ts";
import { type CompareData, compareData } from "./compare-data.ts";
import { documentOf } from "./document.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { section, table, verdictMark } from "./parts.ts";
import { ratioBar } from "./ratio-bar.ts";

/** `runs` are A and B, judged by their own criteria. */
export function comparePage(comparison: Comparison, runs: readonly [Report, Report]): string {
  const data = compareData(runs);
  return documentOf({
    title: `A and B · ${comparison.b.title}`,
    skip: ["measures", "Skip to the measures"],
    data,
    assets: readAssets("compare"),
    body: html`${head(comparison, runs)}
<nav aria-label="Contents">${CONTENTS.map(
      ([id, title]) => html`<a href="#${id}">${title}</a> `,
    )}</nav>
${measures(comparison)}
${overlays(data, runs)}
${curves(data)}
${verdicts(runs)}`,
  });
}

const CONTENTS = [
  ["measures", "Measures"],
  ["timeline", "Over time"],
  ["curves", "Curves"],
  ["verdicts", "Verdicts"],
] as const;

const WORDS = {
  worse: { look: "fail", mark: "✗", word: "B IS WORSE" },
  "not worse": { look: "pass", mark: "✓", word: "NOT WORSE" },
  unclear: { look: "inconclusive", mark: "?", word: "TOO FEW" },
  invalid: { look: "invalid", mark: "!", word: "INVALID" },
} as const;

function head(comparison: Comparison, runs: readonly [Report, Report]): Markup {
  const invalid = runs.some((run) => run.invalid.length > 0);
  const { look, mark, word } = WORDS[invalid ? "invalid" : outcomeOf(comparison)];
  const { a, b, window, doubts } = comparison;
  const title = a.title === b.title ? a.title : `${a.title} · ${b.title}`;
  return html`<header>
<p class="eyebrow"><span>Two runs compared</span> <span>${
    window === null ? "over the whole run" : `during ${window}`
  }</span></p>
<h1>${title}</h1>
<div class="verdict ${look}" role="region" aria-label="Outcome">
<p class="word"><span aria-hidden="true">${mark}</span> ${word}</p>
<div><p class="reason">${reasonOf(comparison)}</p>
${doubts.map((doubt) => html`<p>${doubt}</p>`)}</div>
</div>
<dl class="runs">${runs.map((run, i) => runLine(run, i === 0 ? "A" : "B"))}</dl>
</header>
`;
}

/** The worst of what is worse; else what is better; else that nothing stands out. */
function reasonOf({ rows }: Comparison): string {
  const worse = rows.filter(isWorse);
  if (worse.length > 0) return `${listed(worse)}.`;
  const better = rows.filter((row) => row.standsOut && ["faster", "fewer"].includes(row.word));
  const calm = "Nothing is worse in B beyond chance";
  if (better.length > 0) return `${calm}; ${listed(better)}.`;
  return rows.every(({ word }) => word === "too few")
    ? "Too few samples in every row to tell."
    : `${calm}.`;
}

const LISTED_MAX = 3;

function listed(rows: readonly ComparedRow[]): string {
  const shown = rows.slice(0, LISTED_MAX).map(({ load, start, measure, word, a, b, unit }) => {
    const which = start === "all" ? `${load}.${measure}` : `${load}.${start}.${measure}`;
    return `${which} ${showValue(a, unit)} → ${showValue(b, unit)}, ${word}`;
  });
  const more = rows.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

function runLine({ plan, verdict, counts, exitCode }: Report, side: "A" | "B"): Markup {
  const when = new Date(plan.epoch_ms).toISOString().slice(0, 16).replace("T", " ");
  const word = headWord(VERDICTS[verdict].word, exitCode);
  const parts = [
    ...[plan.run, placeText(plan), `${when} UTC`, `${formatNumber(counts.sent)} arrivals sent`],
    ...[`scenario ${plan.scenario.blob.slice(0, 7)}`, `seed ${plan.seed}`],
  ];
  return html`<div><dt><span class="side ${side.toLowerCase()}">${side}</span></dt><dd>${parts.map(
    (part) => html`<span>${part}</span> `,
  )}<span class="${verdict}"><b class="word">${word}</b></span></dd></div>
`;
}

const number = (title: string) => ({ title, number: true });
const COLUMNS = [
  ...["Load", "Start", "Measure"].map((title) => ({ title })),
  ...["A", "B", "B ÷ A", ""].map(number),
  ...[{ title: "" }, number("Samples of A, B")],
];

function measures({ rows }: Comparison): Markup {
  const cells = rows.map((row): Part[] => [
    row.load,
    html`<span class="start ${row.start}">${row.start}</span>`,
    row.measure,
    showValue(row.a, row.unit),
    showValue(row.b, row.unit),
    ratioText(row),
    row.ratio === null ? "" : ratioBar(row.ratio, wordLook(row)),
    html`<span class="${wordLook(row)}"><span class="word">${row.word}${
      row.standsOut && row.word !== "no clear difference" && " *"
    }</span></span>`,
    `${formatNumber(row.nA)}, ${formatNumber(row.nB)}`,
  ]);
  return section(
    "measures",
    "Measures",
    table("Each measure in both runs, with what chance alone may do", COLUMNS, cells, "compare"),
    html`<p class="note">Brackets hold the 95 % interval of B ÷ A, from resampling the seconds of
both runs. Of so many rows about one in twenty differs by chance alone; those with * still do when
all are asked at once. Two runs of one system differ more than their seconds do: repeat before you
believe a small difference.</p>`,
  );
}

function ratioText({ ratio }: ComparedRow): Part {
  if (ratio === null) return "–";
  const factor = (value: number): string => formatNumber(value, 2);
  return [
    html`<b>${factor(ratio.estimate)}</b>`,
    html`<small>[${factor(ratio.low)} – ${factor(ratio.high)}]</small>`,
  ];
}

function wordLook(row: ComparedRow): "fail" | "pass" | "inconclusive" | "muted" {
  if (row.word === "too few") return "inconclusive";
  if (isWorse(row)) return "fail";
  return row.standsOut && ["faster", "fewer"].includes(row.word) ? "pass" : "muted";
}

function overlays({ groups }: CompareData, runs: readonly [Report, Report]): Markup {
  const options = groups.map((name, i) => html`<option value="${i}">${name}</option>`);
  const faulted = [runs[1], runs[0]].findIndex(({ faults }) => faults.length > 0);
  const shaded = faulted < 0 ? "" : `; shaded: faults of ${faulted === 0 ? "B" : "A"}`;
  const split = runs.every(({ drawn }) => drawn.series.split);
  const of = split ? "answers that did not start cold" : "answers of every start";
  return section(
    "timeline",
    "Over time",
    groups.length > 1 &&
      html`<p class="choice"><label for="group">Load shown</label>
<select id="group">${options}</select></p>`,
    groups.length === 0
      ? html`<p>The two have no load in common.</p>`
      : html`${chart("rate", "Arrivals per second", `by due second; dashed: not ok${shaded}`)}
${chart("latency", "Response time, ms", `${of}; dashed: p50`)}
<p class="note hint">Drag over a chart to look closer, double-click to see all. With the keyboard:
choose a chart and use the arrow keys, Home and End.</p>`,
  );
}

function curves({ curves: shown }: CompareData): Markup {
  return section(
    "curves",
    "Response times",
    shown.length === 0 && html`<p>No load was answered in both.</p>`,
    html`<div class="columns wide">${shown.map(({ name, start }, i) =>
      chart(
        `curve-${i}`,
        start === "all" ? name : `${name}, ${start}`,
        "from the median to the slowest; shaded: 95 % interval",
      ),
    )}</div>`,
  );
}

/** Criteria of the same words in both, then what a million invocations cost. */
function verdicts(runs: readonly [Report, Report]): Markup {
  const [a, b] = runs;
  const texts = [...new Set(runs.flatMap(({ criteria }) => criteria.map(({ text }) => text)))];
  const cell = (one: CriterionResult | undefined): Part =>
    one === undefined
      ? html`<span class="muted">not asked</span>`
      : html`${verdictMark(one.verdict)} ${estimateText(one)}`;
  const rows = texts.map((text) => [
    html`<code>${text}</code>`,
    ...[a, b].map(({ criteria }) => cell(criteria.find((one) => one.text === text))),
  ]);
  return section(
    "verdicts",
    "Verdicts",
    rows.length === 0
      ? html`<p>Neither run was given criteria.</p>`
      : table("Each run by its own criteria", [{ title: "Criterion" }, ...SIDES], rows),
    costs(a, b),
  );
}

const SIDES = [{ title: "A" }, { title: "B" }];

function costs(a: Report, b: Report): Part {
  const perMillion = ({ cost }: Report, name: string): number | null =>
    cost?.functions.find((one) => one.name === name)?.usdPerMillion ?? null;
  const names = (b.cost?.functions ?? []).map(({ name }) => name);
  const rows = names.flatMap((name): Part[][] => {
    const [was, is] = [perMillion(a, name), perMillion(b, name)];
    if (was === null || is === null) return [];
    return [[name, showUsd(was), showUsd(is), formatNumber(is / was, 2)]];
  });
  if (rows.length === 0) return null;
  const heads = ["A", "B", "B ÷ A"].map(number);
  return table("A million invocations, at list price", [{ title: "Function" }, ...heads], rows);
}
