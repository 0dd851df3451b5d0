// The report as Markdown for a pull request or a job summary: no account id, ARN or host in it.
import { Buffer } from "node:buffer";
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";
import type { VerdictName } from "../core/verdict.ts";
import { bannerTitle, changeText, isLoud } from "./base-words.ts";
import { showUsd } from "./criterion-text.ts";
import { bySeverity, secondsText } from "./criterion-view.ts";
import { whatWouldChange } from "./decisive.ts";
import { headWord, msText, placeText } from "./labels.ts";
import { foldedSections } from "./markdown-folds.ts";
import { criterionRow, plain, tableHead } from "./markdown-text.ts";
import type { FaultResult, LatencyRow, Report, Reporter } from "./result.ts";
import { splitText } from "./time-split.ts";
import { withoutPlaces } from "./without-places.ts";
import { costText, faultsText, oldNewText } from "./words.ts";

const SIGNS: { readonly [verdict in VerdictName]: string } = {
  pass: "🟢 PASS",
  fail: "🔴 FAIL",
  inconclusive: "🟡 UNDECIDED (inconclusive)",
  invalid: "⚪ NOT MEASURED (invalid)",
};

/** What a reader sees before unfolding is at most 25 lines: so many rows, the rest is folded. */
export const ROWS_MAX = 8;
/** A comment on GitHub holds 65,536 characters; this leaves room for what others add. */
export const BYTES_MAX = 60_000;

/** Sections that do not fit into a comment are left out whole, and that is said. */
export const markdownReport: Reporter = (report) => {
  const sorted = bySeverity(report.criteria);
  const most = ROWS_MAX - extra(report).length - changedLines(report).length;
  const above = [
    ...head(report),
    ...changedLines(report),
    ...table(report, sorted, most),
    ...lines(report),
    "",
  ];
  let text = withoutPlaces(above.join("\n"));
  const sections = foldedSections(report, sorted.slice(most));
  const left: string[] = [];
  for (const { title, body } of sections) {
    const inside = withoutPlaces(body.join("\n"));
    const folded = `\n<details><summary>${title}</summary>\n\n${inside}\n\n</details>\n`;
    if (Buffer.byteLength(text + folded) > BYTES_MAX - 300) left.push(title);
    else text += folded;
  }
  if (left.length === 0) return text;
  return `${text}\nToo long for a comment, see report.html: ${left.join(", ").toLowerCase()}.\n`;
};

function head(report: Report): string[] {
  const { plan, counts, verdict } = report;
  const seen = `${formatNumber(counts.sent)} arrivals in ${secondsText(report.observedUs)}`;
  const stopped = report.stopped === null ? "" : ` Stopped by ${plain(report.stopped)}.`;
  const also = report.invalid.length - 1;
  const more = also > 0 ? ` (and ${also} more ${also === 1 ? "reason" : "reasons"}, below)` : "";
  return [
    ...undoAlarm(report.faults),
    `### ${headWord(SIGNS[verdict], report.exitCode)}: ${plain(plan.title)}`,
    "",
    `**${plain(report.reason)}**${more}  `,
    `${plain(whatWouldChange(report))}${policy(report)}${stopped}`,
    "",
    [plain(placeText(plan)), seen, ...spent(report), `seed ${plan.seed}`, ...against(report)].join(
      " · ",
    ),
    "",
  ];
}

/** What it cost is known of functions alone, and by what was billed. */
function spent({ cost }: Report): string[] {
  const usd = (cost?.functions ?? []).reduce((sum, one) => sum + (one.usd ?? 0), 0);
  return usd === 0 ? [] : [`functions ${showUsd(usd)}`];
}

/** The versions that the alias stood for, or the earlier run that stands beside this one. */
function against({ plan: { versions = [] }, lastGood }: Report): string[] {
  const weighted = versions.filter(({ shares }) => Object.keys(shares).length > 1);
  const texts = weighted.map(({ function: name, shares }) => {
    const parts = Object.entries(shares).map(([version, share]) => {
      return `${version} ${formatPercent(share, 0)}`;
    });
    return plain(`${name} ${parts.join(" against ")}`);
  });
  return [...texts, ...(lastGood === undefined ? [] : [`last good: run ${plain(lastGood.run)}`])];
}

/** What becomes of a gate is the pipeline's matter; what it is told is said here. */
const policy = ({ verdict, exitCode }: Report): string =>
  verdict === "inconclusive" ? ` Neither passed nor failed: exit code ${exitCode}.` : "";

function undoAlarm(faults: readonly FaultResult[]): string[] {
  const left = faults.flatMap(({ notUndone }) => (notUndone === null ? [] : [notUndone]));
  if (left.length === 0) return [];
  const commands = left.map(({ state, command }) => `${state}. Do now: \`${command}\``);
  return [`> **NOT UNDONE** ${commands.join("; ")}`, ""];
}

/** As many lines of the table give way to it. */
function changedLines({ plan: { base } }: Report): string[] {
  if (base === undefined || !isLoud(base)) return [];
  const shown = base.changes.slice(0, CHANGES_SHOWN).map((change) => changeText(base, change));
  const more = base.changes.length - shown.length;
  const rest = more > 0 ? [`and ${more} more below`] : [];
  const list = [...shown, ...rest].map((text) => ` · ${plain(text)}`).join("");
  return [`> ⚠️ **${plain(sentenceCase(bannerTitle(base)))}**${list}`, ""];
}

const CHANGES_SHOWN = 3;

/** `CRITERIA CHANGED in this…` is loud on a terminal; here the sign and the bold type are. */
const sentenceCase = (text: string): string =>
  text.replace(/^[A-Z, -]+(?= )/, (loud) => `${loud[0]}${loud.slice(1).toLowerCase()}`);

function table({ lastGood }: Report, sorted: Report["criteria"], most: number): string[] {
  if (sorted.length === 0) return [];
  const someSecondary = sorted.some((one) => !one.primary);
  const rows = sorted.slice(0, most).map((one) => criterionRow(one, someSecondary, lastGood));
  const more = sorted.length - rows.length;
  return [
    ...tableHead(lastGood),
    ...rows,
    ...(more > 0
      ? [`| | and ${more} more below | | | |${lastGood === undefined ? "" : " |"} |`]
      : []),
    "",
  ];
}

/** Where the time went, the fault line, the validity line. */
function lines(report: Report): string[] {
  return [
    ...timeLine(report),
    ...extra(report),
    `- **Faults** ${faultsText(report)}`,
    `- **Measured** ${validityText(report)}`,
  ];
}

/** Lines that only some runs have; each takes the place of a criterion above the fold. */
function extra(report: Report): string[] {
  const [oldNew, cost] = [oldNewText(report), costText(report)];
  return [
    ...(oldNew === "" ? [] : [`- **Old → new** ${plain(oldNew)}`]),
    ...(cost === "" ? [] : [`- **Cost** ${plain(cost)}`]),
  ];
}

function timeLine(report: Report): string[] {
  const { latencies } = report;
  const text = latencies
    .filter(({ start }) => start !== "all" || latencies.every((row) => row.start === "all"))
    .slice(0, 6)
    .map(responseText);
  const { timeSplit } = report;
  return [
    ...(text.length === 0 ? [] : [`- **Response** ${text.join("; ")}`]),
    ...(timeSplit === null ? [] : [`- **Where the time went** ${splitText(timeSplit)}`]),
  ];
}

function responseText(row: LatencyRow): string {
  const [p50, p95, p99] = [row.p50, row.p95, row.p99].map(msText);
  const name = [row.load, row.arm, row.start].filter((part) => part !== "" && part !== "all");
  const init = row.initP50 === null ? "" : `, of it init ${formatMs(row.initP50)}`;
  return `${plain(name.join(" "))} p50 ${p50} · p95 ${p95} · p99 ${p99} ms${init}`;
}

function validityText({ generator, balance }: Report): string {
  const late = Number.isNaN(generator.lagP99Us) ? "–" : `${formatMs(generator.lagP99Us)} ms`;
  const cpu = generator.cpuMax === null ? "" : `, CPU ${formatPercent(generator.cpuMax, 0)}`;
  const sums = balance.holds ? "every arrival accounted for" : plain(balance.problems.join("; "));
  return `lag p99 ${late}${cpu}, ${formatNumber(generator.dropped)} dropped; ${sums}`;
}
