// What a reader of the Markdown report unfolds: the rest of the criteria, times, refusals, balance.
import { formatNumber } from "../core/format.ts";
import { changeText } from "./base-words.ts";
import { CLEAN_UP_COLUMNS, cleanUpRows } from "./clean-up-rows.ts";
import { countedText } from "./fronts.ts";
import { msText } from "./labels.ts";
import { criterionRow, plain, tableHead, tableOf } from "./markdown-text.ts";
import { predictedText } from "./measured.ts";
import { paragraphs } from "./reconcile-text.ts";
import type { CriterionResult, Report } from "./result.ts";
import { retryAfterText } from "./retry-after.ts";
import { VERSION_COLUMNS, VERSION_NOTE, versionCells, versionName } from "./version-words.ts";
import { unloggedText } from "./words.ts";

export interface Fold {
  readonly title: string;
  readonly body: readonly string[];
}

/** In the order in which they are needed; empty ones are left out. */
export function foldedSections(report: Report, criteria: readonly CriterionResult[]): Fold[] {
  const folds: Fold[] = [
    { title: "Why it is not valid", body: report.invalid.map((text) => `- ${plain(text)}`) },
    { title: "Criteria changed", body: changedCriteria(report) },
    { title: "More criteria", body: criteriaRows(criteria, report) },
    { title: "By version", body: versionTable(report) },
    { title: "Response times", body: latencyTable(report) },
    { title: "Foreseen and measured", body: foreseen(report) },
    { title: "Refused and failed", body: refusals(report) },
    { title: "Reconciliation", body: reconciliation(report) },
    { title: "Clean-up", body: cleanUps(report) },
    { title: "Balance", body: balanceTable(report) },
    { title: "Reproduce", body: reproduction(report) },
  ];
  return folds.filter(({ title, body }) => {
    if (title === "Why it is not valid") return body.length > 1;
    return body.length > 0;
  });
}

function criteriaRows(criteria: readonly CriterionResult[], { lastGood }: Report): string[] {
  if (criteria.length === 0) return [];
  return [...tableHead(lastGood), ...criteria.map((one) => criterionRow(one, true, lastGood))];
}

function changedCriteria({ plan: { base } }: Report): string[] {
  return (base?.changes ?? []).map((change) => `- ${plain(changeText(base!, change))}`);
}

function latencyTable({ latencies }: Report): string[] {
  if (latencies.length === 0) return [];
  const rows = latencies.map((row) => [
    plain(`${row.load} ${row.arm} ${row.start}`.replace(/ +/g, " ")),
    ...[row.p50, row.p90, row.p95, row.p99, row.p999, row.max].map(msText),
    formatNumber(row.n),
  ]);
  return tableOf(["ms from due", "p50", "p90", "p95", "p99", "p99.9", "max", "n"], rows);
}

function versionTable(report: Report): string[] {
  const { versions } = report;
  if (versions.length === 0) return [];
  const rows = versions.map((row) => [
    plain(`${row.load} ${row.arm} ${versionName(row, report)}`.replace(/ +/g, " ")),
    ...versionCells(row),
  ]);
  return [...tableOf([...VERSION_COLUMNS, "errors"], rows), "", plain(VERSION_NOTE)];
}

function foreseen(report: Report): string[] {
  const text = predictedText(report);
  return text === "" ? [] : [plain(text)];
}

function refusals(report: Report): string[] {
  const { throttles, errors, droppedBy } = report;
  const n = formatNumber;
  const { difference } = throttles;
  const rows = [
    ...Object.entries(throttles.client).map(([by, count]) => [`refused by ${plain(by)}`, n(count)]),
    ...Object.entries(errors).map(([why, count]) => [`failed: ${plain(why)}`, n(count)]),
    ...Object.entries(throttles.platform)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => [`throttles the platform counted at ${plain(name)}`, n(count)]),
  ];
  const unlogged = unloggedText(report);
  const asked = throttles.retry_after;
  const unsent = Object.entries(droppedBy).map(([reason, count]) => `${n(count)} ${reason}`);
  const counted = rows.length === 0 ? [] : [tableOf(["attempts", "count"], rows)];
  const sentences = [
    ...(difference === "" ? [] : [`The platform counted ${difference}.`]),
    ...(asked === undefined ? [] : [`${retryAfterText(asked)}.`]),
    ...(unlogged === "" ? [] : [`${unlogged}.`]),
    ...report.fronts.map((front) => `${countedText(front)}.`),
    ...(unsent.length === 0 ? [] : [`Never sent: ${unsent.join(", ")}.`]),
  ];
  const parts = [...counted, ...sentences.map((text) => [plain(text)])];
  return parts.flatMap((lines, i) => (i === 0 ? lines : ["", ...lines]));
}

function reconciliation(report: Report): string[] {
  return report.reconciliation.flatMap((sink) =>
    paragraphs(sink).map((text, i) => `${i === 0 ? "- " : "  - "}${plain(text)}`),
  );
}

function cleanUps(report: Report): string[] {
  const rows = cleanUpRows(report).map((row) => row.map(plain));
  return rows.length === 0 ? [] : tableOf(CLEAN_UP_COLUMNS, rows);
}

function balanceTable({ loads, counts }: Report): string[] {
  const names = ["planned", "dropped", "sent", "ok", "throttled", "errored", "unknown"] as const;
  const row = (name: string, of: Report["counts"]) => [
    plain(name),
    ...names.map((key) => formatNumber(of[key])),
  ];
  const rows = loads.map((load) => row(`${load.load} ${load.arm}`.trim(), load));
  if (loads.length > 1) rows.push(row("all", counts));
  return rows.length === 0 ? [] : tableOf(["arrivals", ...names], rows);
}

/** Without the command itself, which may name a host. */
function reproduction({ plan }: Report): string[] {
  const { blob, commit, file, variant, environment, dirty } = plan.scenario;
  const which = variant === null ? "" : ` --variant ${variant}`;
  const tree = dirty === true ? " with local changes" : "";
  const made = [
    `scenario ${blob.slice(0, 7)}`,
    ...(commit === null ? [] : [`commit ${commit.slice(0, 7)}${tree}`]),
    `gatecrash ${plan.version}`,
    `run ${plan.run}`,
  ];
  const command = `gatecrash run ${file}${which} --env ${environment} --seed ${plan.seed}`;
  return ["```sh", command.replace(/[`\n\r]/g, " "), "```", "", plain(made.join(" · "))];
}
