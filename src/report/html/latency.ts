// Response times by load and start: the table, and the whole curve up to the slowest answer.
import { formatMs, formatNumber, formatPercent } from "../../core/format.ts";
import { armName, msText } from "../labels.ts";
import type { LatencyRow, Report } from "../result.ts";
import { type Interval, shareInterval } from "../statistics.ts";
import type { TimePart } from "../time-parts.ts";
import { chart } from "./chart.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { facts, section, table } from "./parts.ts";

const COLUMNS = [
  { title: "Load" },
  { title: "Start" },
  ...["p50", "p90", "p95", "p99", "p99.9", "max", "n"].map((title) => ({ title, number: true })),
  { title: "Left out", number: true },
];

/** One chart for each load and arm, at most this many. */
export const CURVE_CHARTS_MAX = 6;

export function latencySection(report: Report): Markup {
  const { latencies } = report;
  if (latencies.length === 0)
    return section(
      "latency",
      "Response times",
      html`<p>No answer at all: nothing can be said.</p>`,
    );
  return section(
    "latency",
    report.drawn.series.split ? "Cold and warm" : "Response times",
    startFacts(report),
    causesTable(report),
    table("Response time in ms, from the moment it was due", COLUMNS, rows(report), "latency"),
    html`<p class="note">Over answers that were ok, and those of unknown outcome, which count as
never answered. Throttled and errored ones are left out; their share of what was sent stands
beside. Brackets hold the 95 % interval, corrected for bursts; that of
the curves is not.
${
  !report.drawn.series.split &&
  "Cold and warm starts are not told apart: no REPORT line was joined."
}</p>`,
    partsTable(report),
    html`<div class="columns wide">${curveNames(report).map((name, i) =>
      chart(`curve-${i}`, name, "from the median to the slowest; shaded: 95 % interval"),
    )}</div>`,
  );
}

/** Names of the loads and arms with curves, in order. */
export function curveNames({ drawn }: Report): string[] {
  const names = drawn.curves.map(armName);
  return [...new Set(names)].slice(0, CURVE_CHARTS_MAX);
}

function coldShare(cold: number, joined: number): Part {
  const { low, high } = shareInterval(cold, joined);
  const ends = [low, high].map((share) => formatNumber(share * 100, 2)).join(" – ");
  return [formatPercent(cold / joined), html` <small>[${ends} %]</small>`];
}

const number = (title: string) => ({ title, number: true });
const CAUSES = [
  { title: "Function" },
  ...["Cold starts", "Of its invocations", "First of its version", "More at once"].map(number),
  ...["After a pause", "In place of one gone"].map(number),
];

/** From all REPORT lines, those of other callers included. */
function causesTable({ drawn }: Report): Part {
  if (drawn.coldCauses.length === 0) return null;
  const rows = drawn.coldCauses.map(({ name, invocations, cold, ...by }) => [
    ...[name, formatNumber(cold), formatPercent(cold / invocations)],
    ...[by.firstOfVersion, by.scaleOut, by.afterPause, by.inPlace].map((n) => formatNumber(n)),
  ]);
  return [
    table("Cold starts by what made them", CAUSES, rows),
    html`<p class="note">More at once: as many environments of this version were never there before,
so that it had to scale out. After a pause: nothing had run for a minute. In place of one gone: as
many had been there before, and were recycled, had failed or were taken away.</p>`,
  ];
}

const PARTS = [
  ...[{ title: "Load" }, { title: "Start" }],
  ...["Init p50", "p99", "Handler p50", "p99", "API front p50", "p99"].map(number),
  ...["Way and the rest p50", "p99", "n"].map(number),
];

/** Function, front and network: what of the time is whose. */
function partsTable({ drawn }: Report): Part {
  if (drawn.timeParts.length === 0) return null;
  const both = (part: TimePart | null): Part[] =>
    part === null ? ["–", "–"] : [html`<b>${formatMs(part.p50Us)}</b>`, formatMs(part.p99Us)];
  const rows = drawn.timeParts.map(({ start, n, init, handler, front, way, ...of }) => [
    armName(of),
    html`<span class="start ${start}">${start}</span>`,
    ...[init, handler, front, way].flatMap(both),
    formatNumber(n),
  ]);
  return [
    table("Where the time went, in ms", PARTS, rows),
    html`<p class="note">Of answers that were ok at the first attempt. Init and handler are what the
REPORT line says; the API front is the rest of its access line’s response latency, where it has one;
what is left is the way there and back and our own lateness. Each has its own percentiles, which do
not add up.</p>`,
  ];
}

function startFacts({ starts, plan, latencies, drawn }: Report): Part {
  if (!plan.joins) return null;
  const joined = starts.cold + starts.warm + starts.provisioned;
  if (joined === 0) return null;
  const inits = latencies.filter((row) => row.initP50 !== null);
  const items: (readonly [string, Part])[] = [
    ["Cold starts", `${formatNumber(starts.cold)} of ${formatNumber(joined)}`],
    ["Share cold", coldShare(starts.cold, joined)],
  ];
  if (starts.provisioned > 0) items.push(["Provisioned", formatNumber(starts.provisioned)]);
  items.push(["Not told apart", formatNumber(starts.unjoined)]);
  for (const [name, count] of Object.entries(drawn.spilled))
    items.push([`Spilled over at ${name}`, `${formatNumber(count)} invocations`]);
  for (const row of inits) {
    const whose = inits.length > 1 ? ` of ${armName(row)}` : "";
    items.push([`Init duration p50${whose}`, `${formatMs(row.initP50!)} ms`]);
  }
  return facts(items);
}

function rows(report: Report): Part[][] {
  const ms = (us: number): Part =>
    Number.isFinite(us) ? formatMs(us) : html`<span class="bad">${msText(us)}</span>`;
  const within = (us: number, { low, high }: Interval): Part => {
    const lower = Number.isNaN(low) ? "0" : ms(low);
    const upper = Number.isNaN(high) ? "…" : ms(high);
    return [ms(us), html`<small>[${lower} – ${upper}]</small>`];
  };
  return report.latencies.map(({ intervals, ...row }) => [
    armName(row),
    html`<span class="start ${row.start}">${row.start}</span>`,
    within(row.p50, intervals.p50),
    ms(row.p90),
    within(row.p95, intervals.p95),
    within(row.p99, intervals.p99),
    ...[row.p999, row.max].map(ms),
    formatNumber(row.n),
    row.start === "all" ? leftOut(report, row) : "",
  ]);
}

function leftOut({ loads }: Report, { load, arm }: Pick<LatencyRow, "load" | "arm">): string {
  const counts = loads.find((one) => one.load === load && one.arm === arm);
  if (counts === undefined || counts.sent === 0) return "–";
  return formatPercent((counts.throttled + counts.errored) / counts.sent);
}
