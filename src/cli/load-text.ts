// What `gatecrash load` prints: a few lines for a person, or the figures as one JSON document.
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";
import { headWord, VERDICTS } from "../report/labels.ts";
import type { LoadSummary, Quantiles } from "../report/load-summary.ts";
import type { Report } from "../report/result.ts";
import { criterionLines } from "../report/text-criteria.ts";
import { columns } from "../report/text-layout.ts";

export interface LoadFigures {
  readonly report: Report;
  readonly summary: LoadSummary;
  /** At the full rate; null = a closed loop, which is asked for nothing. */
  readonly perSecond: number | null;
  readonly workers: number;
}

/** From here on a closed loop is held up by its own sender. */
const BUSY = 0.9;

/** What was sent per second; of a closed loop what was answered. */
function achievedPerSecond({ report, summary, perSecond }: LoadFigures): number {
  const count = perSecond === null ? summary.answers : report.counts.sent;
  return summary.spanS === 0 ? 0 : count / summary.spanS;
}

export function loadText(figures: LoadFigures, colour: boolean): string {
  const { report, summary } = figures;
  const { plan, counts, invalid } = report;
  const n = formatNumber;
  const statuses = Object.entries(summary.statuses).map(([status, count]) => {
    return `${status}: ${n(count)}`;
  });
  const errors = Object.entries(report.errors).map(([reason, count]) => `${reason}: ${n(count)}`);
  const outcomes = `${n(counts.ok)} ok · ${n(counts.throttled)} throttled · `;
  const rest = `${n(counts.errored)} errored · ${n(counts.unknown)} unknown`;
  const lines = [
    plan.title,
    `  asked     ${askedText(figures)}`,
    `  sent      ${sentText(figures)}`,
    `  outcomes  ${outcomes}${rest}`,
    ...(statuses.length === 0 ? [] : [`  status    ${statuses.join(" · ")}`]),
    ...(errors.length === 0 ? [] : [`  failed    ${errors.join(" · ")}`]),
    "",
    ...timeLines(report, summary),
    "",
    ...criterionLines(report.criteria, colour),
    ...(report.criteria.length === 0 || invalid.length > 0 ? [] : [verdictText(report)]),
    ...notesOf(figures),
    ...invalid.map((reason) => `INVALID   ${reason}`),
    ...(report.stopped === null ? [] : [`STOPPED   ${report.stopped}`]),
  ];
  const text = lines.map((line) => line.trimEnd()).join("\n");
  return `${text.trimEnd()}\n`;
}

function askedText({ report, perSecond, workers }: LoadFigures): string {
  const load = report.plan.loads[0]!;
  const seconds = formatNumber((load.end_us - load.start_us) / 1e6, 1).replace(/\.0$/, "");
  const threads = workers === 1 ? "" : ` by ${workers} workers`;
  if (perSecond === null) {
    const connections = formatNumber(load.closed?.connections ?? 0);
    return `a closed loop of ${connections} for ${seconds} s${threads}`;
  }
  return `${formatNumber(perSecond, perSecond < 10 ? 1 : 0)}/s for ${seconds} s${threads}`;
}

function sentText(figures: LoadFigures): string {
  const { counts } = figures.report;
  const n = formatNumber;
  const achieved = `${n(achievedPerSecond(figures), 1)}/s`;
  if (figures.perSecond === null) return `${n(counts.sent)}, ${achieved} answered`;
  const dropped = counts.dropped === 0 ? "" : ` · ${n(counts.dropped)} DROPPED, not sent`;
  return `${n(counts.sent)} of ${n(counts.planned)}, ${achieved}${dropped}`;
}

const verdictText = ({ verdict, reason, exitCode }: Report): string =>
  `${headWord(VERDICTS[verdict].word, exitCode)}   ${reason}`;

function notesOf({ report, perSecond }: LoadFigures): string[] {
  const cpu = report.generator.cpuMax ?? 0;
  const added = report.plan.notes.map((note) => `note: added ${note}`);
  if (perSecond !== null || cpu < BUSY) return added;
  const busy = `the sender itself was at ${formatPercent(cpu, 0)} of a core`;
  return [...added, `note: ${busy}; the system may do more (--workers)`];
}

const SHOWN = ["p50", "p90", "p95", "p99", "p999", "max"] as const;

function timeLines(report: Report, { service, lag }: LoadSummary): string[] {
  const shown = (us: number): string => {
    return Number.isNaN(us) ? "–" : Number.isFinite(us) ? formatMs(us) : "never";
  };
  const row = (name: string, of: Quantiles): string[] => {
    return [`  ${name}`, ...SHOWN.map((key) => shown(of[key])), formatNumber(of.n)];
  };
  const head = ["  ms", ...SHOWN.map((key) => (key === "p999" ? "p99.9" : key)), "n"];
  const rows = [row("response", responseOf(report)), row("service", service), row("lag", lag)];
  return columns([head, ...rows], "lrrrrrrr").map((line) => line.trimEnd());
}

const NOTHING = Number.NaN;
const NONE: Quantiles = {
  ...{ n: 0, p50: NOTHING, p90: NOTHING, p95: NOTHING, p99: NOTHING, p999: NOTHING },
  max: NOTHING,
};

function responseOf({ latencies }: Report): Quantiles {
  return latencies.find(({ start }) => start === "all") ?? NONE;
}

/** Times in ms; null = no sample, or without end. */
export function loadJson(figures: LoadFigures): string {
  const { report, summary, perSecond } = figures;
  const { counts } = report;
  const { planned, sent, dropped, ok, throttled, errored, unknown } = counts;
  const document = {
    asked_per_s: perSecond,
    achieved_per_s: rounded(achievedPerSecond(figures)),
    ...{ planned, sent, dropped },
    outcomes: { ok, throttled, errored, unknown },
    status: summary.statuses,
    errors: report.errors,
    response_ms: quantilesMs(responseOf(report)),
    service_ms: quantilesMs(summary.service),
    lag_ms: quantilesMs(summary.lag),
    valid: report.invalid.length === 0,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

function quantilesMs({ n, ...of }: Quantiles) {
  const ms = (us: number): number | null => (Number.isFinite(us) ? us / 1_000 : null);
  const { p50, p90, p95, p99, p999, max } = of;
  return {
    ...{ p50: ms(p50), p90: ms(p90), p95: ms(p95), p99: ms(p99), p999: ms(p999), max: ms(max) },
    n,
  };
}
