// The run over time: three charts with one time axis, and the same in numbers by phase.
import { formatMs, formatNumber } from "../../core/format.ts";
import { secondsText } from "../criterion-view.ts";
import type { Report } from "../result.ts";
import { COLD_MARKS_MAX } from "../series.ts";
import { chart } from "./chart.ts";
import { limitsByReach } from "./chart-data.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { section, table } from "./parts.ts";
import { bucketText, worstP99Us } from "./scorecard.ts";
import { shardCharts, shardTable } from "./shards.ts";

export function timelineSection(report: Report): Markup {
  const { series } = report.drawn;
  return section(
    "timeline",
    "Timeline",
    groupChoice(report),
    html`<div id="timeline-charts">
${chart("rate", "Arrivals per second", rateNote(report))}
${chart("latency", "Response time, ms", latencyNote(report))}
${chart("flight", "In flight", flightNote(report))}
${shardCharts(report)}
</div>
<p class="note hint">Drag over a chart to look closer, double-click to see all. With the keyboard:
choose a chart and use the arrow keys, Home and End.</p>`,
    series.groups.length === 0 ? null : phaseTable(report),
    shardTable(report),
  );
}

function groupChoice({ drawn }: Report): Part {
  const { groups } = drawn.series;
  if (groups.length < 2) return null;
  const options = groups.map(({ name }, i) => html`<option value="${i}">${name}</option>`);
  return html`<p class="choice"><label for="group">Load shown</label>
<select id="group">${options}</select></p>`;
}

const everyText = ({ drawn }: Report): string => bucketText(drawn.series);

function rateNote(report: Report): string {
  return `by due ${everyText(report)}; the line is what was planned, the areas what became of it`;
}

function latencyNote(report: Report): string {
  const { series } = report.drawn;
  const group = series.groups[0];
  const of = series.split ? "that did not start cold" : "of every start";
  if (group === undefined || group.coldStarts === 0)
    return `of answers ${of}, by due ${everyText(report)}`;
  const shown =
    group.coldStarts <= COLD_MARKS_MAX ? "every" : `the slowest of each ${everyText(report)}`;
  const which = shown === "every" ? "every cold start" : `of the cold starts ${shown}`;
  return `lines: answers ${of}, by due ${everyText(report)}; circles: ${which}`;
}

function flightNote(report: Report): string {
  const { near, far } = limitsByReach(report);
  const names = report.drawn.concurrency.map(({ name }) => name).join(", ");
  const lines = near.map(({ name }) => name).join(", ");
  const above = far.map(({ name, points }) => {
    const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
    return `${name} ${values.map((value) => formatNumber(value)).join(", then ")}`;
  });
  return [
    "as the generator counted it once a second",
    ...(names === "" ? [] : [`steps: environments that CloudWatch counted (${names})`]),
    ...(lines === "" ? [] : [`red: the most that may run (${lines})`]),
    ...(above.length === 0 ? [] : [`far above and not drawn: ${above.join("; ")}`]),
  ].join("; ");
}

const COLUMNS = [
  { title: "Phase" },
  ...["From", "Sent per s", "Ok", "Degraded", "Throttled", "Errored", "Unknown", "Dropped"].map(
    (title) => ({ title, number: true }),
  ),
];

function phaseTable(report: Report): Markup {
  const { series, phases } = report.drawn;
  const group = series.groups[0]!;
  const n = formatNumber;
  const rows = phases.map(({ name, startUs, endUs, ...of }) => {
    const spanS = (endUs - startUs) / 1e6;
    return [
      name,
      secondsText(startUs),
      spanS > 0 ? n(of.sent / spanS, 1) : "–",
      n(of.ok - of.degraded),
      ...[of.degraded, of.throttled, of.errored, of.unknown, of.dropped].map((x) => n(x)),
      worst(worstP99Us(group, series, startUs, endUs)),
    ];
  });
  const columns = [...COLUMNS, { title: `Slowest ${everyText(report)}, p99`, number: true }];
  const whose = series.groups.length > 1 ? ", all loads" : "";
  return table(`The timeline in numbers, by phase${whose}`, columns, rows);
}

function worst(us: number | null): string {
  if (us === null) return "–";
  return Number.isFinite(us) ? `${formatMs(us)} ms` : "never answered";
}
