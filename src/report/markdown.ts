// The report as Markdown for a pull request or a job summary: no account id, ARN or host in it.
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";
import type { VerdictName } from "../core/verdict.ts";
import type { CriterionResult, LatencyRow, Report, Reporter } from "./result.ts";
import { faultsText, foundText, limitText, marginText } from "./words.ts";

const SIGNS: { readonly [verdict in VerdictName]: string } = {
  pass: "🟢 PASS",
  fail: "🔴 FAIL",
  inconclusive: "🟡 UNDECIDED (inconclusive)",
  invalid: "⚪ NOT MEASURED (invalid)",
};
const ORDER: readonly VerdictName[] = ["invalid", "fail", "inconclusive", "pass"];

/** A pull request comment holds 64 KB; rows of criteria beyond this many are counted, not shown. */
const ROWS_MAX = 60;

export const markdownReport: Reporter = (report) => {
  const { plan } = report;
  const { variant, environment } = plan.scenario;
  const where = variant === null ? environment : `${variant} on ${environment}`;
  return [
    ...report.faults.flatMap(({ notUndone }) =>
      notUndone === null
        ? []
        : [`> **NOT UNDONE** ${notUndone.state}. Do now: \`${notUndone.command}\``, ""],
    ),
    `### ${SIGNS[report.verdict]} — ${cell(plan.title)}`,
    "",
    `${cell(report.reason)}`,
    ...report.invalid.slice(1).map((reason) => `\nAlso: ${cell(reason)}`),
    "",
    `${cell(where)} · ${formatNumber(report.counts.sent)} requests · seed ${plan.seed}`,
    "",
    ...criteriaTable(report.criteria),
    `**Faults** ${faultsText(report)}`,
    "",
    `**Generator** ${validityText(report)}`,
    "",
    ...folded("Response times", latencyTable(report.latencies)),
    ...folded("Balance and reproduction", reproduction(report)),
  ].join("\n");
};

function criteriaTable(criteria: readonly CriterionResult[]): string[] {
  if (criteria.length === 0) return [];
  const sorted = [...criteria].sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  const rows = sorted.slice(0, ROWS_MAX).map((one) => {
    const text = `\`${one.text.replaceAll("|", "\\|")}\`${one.primary ? "" : " (not primary)"}`;
    const margin = one.verdict === "inconclusive" ? cell(one.reason) : marginText(one);
    const cells = [SIGNS[one.verdict].slice(0, 2), text, foundText(one), limitText(one), margin];
    return `| ${[...cells, formatNumber(one.n)].join(" | ")} |`;
  });
  const more = sorted.length - rows.length;
  return [
    "| | criterion | this run | limit | margin | n |",
    "|---|---|---|---|---|---|",
    ...rows,
    ...(more > 0 ? [`| | and ${more} more | | | | |`] : []),
    "",
  ];
}

function latencyTable(rows: readonly LatencyRow[]): string[] {
  const ms = (us: number) => (Number.isFinite(us) ? formatMs(us) : "never");
  const body = rows.map((row) => {
    const name = row.arm === "" ? row.load : `${row.load} ${row.arm}`;
    const cells = [cell(name), row.start, ...[row.p50, row.p95, row.p99, row.max].map(ms)];
    return `| ${[...cells, formatNumber(row.n)].join(" | ")} |`;
  });
  return [
    "| load | start | p50 ms | p95 | p99 | max | n |",
    "|---|---|---|---|---|---|---|",
    ...body,
  ];
}

function validityText({ generator, balance }: Report): string {
  const late = Number.isNaN(generator.lagP99Us) ? "–" : `${formatMs(generator.lagP99Us)} ms`;
  const cpu = generator.cpuMax === null ? "" : `, CPU ${formatPercent(generator.cpuMax, 0)}`;
  const sums = balance.holds ? "every arrival accounted for" : cell(balance.problems.join("; "));
  return `lag p99 ${late}${cpu}, ${formatNumber(generator.dropped)} dropped; ${sums}`;
}

function reproduction({ counts, plan }: Report): string[] {
  const n = formatNumber;
  const sums = `${n(counts.ok)} ok, ${n(counts.throttled)} throttled, ${n(counts.errored)} errored`;
  const { blob, commit } = plan.scenario;
  return [
    `${n(counts.planned)} planned, ${n(counts.sent)} sent, ${n(counts.dropped)} dropped; ${sums}, ` +
      `${n(counts.unknown)} unknown`,
    "",
    `scenario ${blob.slice(0, 7)}${commit === null ? "" : ` · commit ${commit.slice(0, 7)}`}` +
      ` · gatecrash ${plan.version} · run ${cell(plan.run)}`,
  ];
}

function folded(title: string, lines: readonly string[]): string[] {
  return [`<details><summary>${title}</summary>`, "", ...lines, "", "</details>", ""];
}

/** Text that cannot end its table cell or start markup of its own. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}
