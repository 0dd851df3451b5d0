// Response times by load and start: the table, and the whole curve up to the slowest answer.
import { formatMs, formatNumber, formatPercent } from "../../core/format.ts";
import type { LatencyRow, Report } from "../result.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { facts, section, table } from "./parts.ts";
import { chart } from "./timeline.ts";

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
    table("Response time in ms, from the moment it was due", COLUMNS, rows(report), "latency"),
    html`<p class="note">Over answers that were ok, and those of unknown outcome, which count as
never answered. Throttled and errored ones are left out; their share of what was sent stands beside.
${
  !report.drawn.series.split &&
  "Cold and warm starts are not told apart: no REPORT line was joined."
}</p>`,
    html`<div class="columns wide">${curveNames(report).map((name, i) =>
      chart(`curve-${i}`, name, "from the median to the slowest; shaded: 95 % interval"),
    )}</div>`,
  );
}

/** Names of the loads and arms with curves, in order. */
export function curveNames({ drawn }: Report): string[] {
  const names = drawn.curves.map(({ load, arm }) => (arm === "" ? load : `${load} ${arm}`));
  return [...new Set(names)].slice(0, CURVE_CHARTS_MAX);
}

function startFacts({ starts, plan, latencies }: Report): Part {
  if (!plan.joins) return null;
  const joined = starts.cold + starts.warm + starts.provisioned;
  if (joined === 0) return null;
  const inits = latencies.filter((row) => row.initP50 !== null);
  const items: (readonly [string, Part])[] = [
    ["Cold starts", `${formatNumber(starts.cold)} of ${formatNumber(joined)}`],
    ["Share cold", formatPercent(starts.cold / joined)],
  ];
  if (starts.provisioned > 0) items.push(["Provisioned", formatNumber(starts.provisioned)]);
  items.push(["Not told apart", formatNumber(starts.unjoined)]);
  for (const row of inits) {
    const whose = inits.length > 1 ? ` of ${nameOf(row)}` : "";
    items.push([`Init duration p50${whose}`, `${formatMs(row.initP50!)} ms`]);
  }
  return facts(items);
}

const nameOf = ({ load, arm }: LatencyRow): string => (arm === "" ? load : `${load} ${arm}`);

function rows(report: Report): Part[][] {
  const ms = (us: number) =>
    Number.isFinite(us) ? formatMs(us) : html`<span class="bad">never</span>`;
  return report.latencies.map((row) => [
    nameOf(row),
    html`<span class="start ${row.start}">${row.start}</span>`,
    ...[row.p50, row.p90, row.p95, row.p99, row.p999, row.max].map(ms),
    formatNumber(row.n),
    row.start === "all" ? leftOut(report, row) : "",
  ]);
}

function leftOut({ loads }: Report, { load, arm }: LatencyRow): string {
  const counts = loads.find((one) => one.load === load && one.arm === arm);
  if (counts === undefined || counts.sent === 0) return "–";
  return formatPercent((counts.throttled + counts.errored) / counts.sent);
}
