// The report for a terminal: 100 columns, the question first, then the verdict with its reason.
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";
import { bannerTitle, changeText, isLoud } from "./base-words.ts";
import { crossCheckText } from "./cross-check.ts";
import { countedText } from "./fronts.ts";
import { headWord, undoText, VERDICTS } from "./labels.ts";
import { predictedText } from "./measured.ts";
import { noticesText } from "./notices.ts";
import { ledgerLines } from "./reconcile-text.ts";
import type { FaultResult, Report, Reporter } from "./result.ts";
import { retryAfterText } from "./retry-after.ts";
import { criterionLines } from "./text-criteria.ts";
import { latencyLines, versionLines } from "./text-latency.ts";
import { paint, VERDICT_COLOURS, WIDTH, widthOf, wrapped } from "./text-layout.ts";
import {
  alarmsText,
  cleanUpsText,
  collectedText,
  costText,
  faultsText,
  machineText,
  oldNewText,
  unloggedText,
} from "./words.ts";

export const textReport: Reporter = (report) => textOf(report, false);
export const colourReport: Reporter = (report) => textOf(report, true);

function textOf(report: Report, colour: boolean): string {
  const { verdict } = report;
  const foreseen = predictedText(report);
  const machine = machineText(report);
  const [oldNew, cost] = [oldNewText(report), costText(report)];
  const word = headWord(VERDICTS[verdict].word, report.exitCode);
  const head = paint(word, VERDICT_COLOURS[verdict], colour);
  const lines = [
    ...undoAlarm(report.faults).map((line) => paint(line, "red", colour)),
    ...banner(report).map((line) => paint(line, "yellow", colour)),
    ...question(report),
    ...wrapped(report.reason, word.length + 3, head),
    ...report.invalid.slice(1).map((reason) => `   also: ${reason}`),
    ...(report.stopped === null ? [] : [`   stopped by ${report.stopped}`]),
    "",
    ...criterionLines(report.criteria, colour),
    ...latencyLines(
      report.latencies,
      report.starts,
      report.plan.joins ? report.joins : null,
      collectedText(report),
    ),
    ...versionLines(report),
    ...refusalLines(report),
    ...(oldNew === "" ? [] : labelled("old → new", oldNew)),
    ...(cost === "" ? [] : labelled("cost", cost)),
    ...(foreseen === "" ? [] : labelled("predicted", foreseen)),
    ...labelled("generator", generatorText(report)),
    ...(machine === "" ? [] : labelled("ran on", machine)),
    ...balanceLines(report),
    ...report.crossChecks.flatMap((check) => labelled("peer", crossCheckText(check))),
    ...report.fronts.flatMap((front) => labelled("counted", countedText(front))),
    ...ledgerLines(report.reconciliation),
    ...(report.cleanUps.length === 0 ? [] : labelled("clean-up", cleanUpsText(report))),
    ...(report.alarms.length === 0 ? [] : labelled("alarms", alarmsText(report))),
    ...labelled("faults", faultsText(report)),
    ...(report.notices.length === 0 ? [] : labelled("told", noticesText(report.notices))),
    ...assumedLines(report),
    ...labelled("again", `gatecrash report ${report.dir} --criteria new.yaml   (no traffic)`),
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** The first line of all when something was left behind: what is so now, and the exact command. */
function undoAlarm(faults: readonly FaultResult[]): string[] {
  return faults.flatMap(({ notUndone }) =>
    notUndone === null ? [] : [`NOT UNDONE ${undoText(notUndone)}`],
  );
}

/** Before all else, unless nothing was changed: what was changed of the judgement itself. */
function banner({ plan: { base } }: Report): string[] {
  if (base === undefined || !isLoud(base)) return [];
  const changes = base.changes.flatMap((change) => wrapped(changeText(base, change), 3, ""));
  return [...wrapped(bannerTitle(base), 0, ""), ...changes];
}

/** Said by the plan of a variant that overrides the client's own behaviour. */
const OWN_RESEND = /^Variant \S+ has (its own resend of .+)\.$/;

/** The question, and which system answered it; a variant with its own resend says so. */
function question({ plan }: Report): string[] {
  const { variant, environment } = plan.scenario;
  const own = plan.notes.flatMap((note) => OWN_RESEND.exec(note)?.[1] ?? []);
  const which = variant === null ? environment : `${variant} · ${environment}`;
  const answered = [which, ...own].join(" · ");
  const line = `${plan.title}   ${answered}`;
  return widthOf(line) <= WIDTH ? [line] : [...wrapped(plan.title, 0, ""), `   ${answered}`];
}

function assumedLines({ plan }: Report): string[] {
  const notes = plan.notes.filter((note) => !OWN_RESEND.test(note));
  return notes.length === 0
    ? []
    : labelled("assumed", notes.map((note) => note.replace(/\.$/, "")).join("; "));
}

function labelled(label: string, text: string): string[] {
  return wrapped(text, 13, `  ${label}`);
}

function refusalLines(report: Report): string[] {
  const { client, platform, probes, difference, retry_after: asked } = report.throttles;
  const parts = Object.entries(client).map(([by, n]) => `${formatNumber(n)} by ${by}`);
  const said = Object.entries(platform)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => {
      const own = probes[name] ?? 0;
      const less = own > 0 ? ` (${own} of our own probes taken off)` : "";
      return `${formatNumber(n)} at ${name}${less}`;
    });
  const refused = parts.length === 0 ? "none" : parts.join(", ");
  const why = difference === "" ? "" : `, ${difference}`;
  const counted = said.length === 0 ? "none" : said.join(", ");
  const metric = said.length === 0 && why === "" ? "" : `; the platform counted ${counted}${why}`;
  const unlogged = unloggedText(report);
  const errors = Object.entries(report.errors).map(([why, n]) => `${formatNumber(n)} ${why}`);
  return [
    ...labelled("refused", `${refused}${metric}`),
    ...(asked === undefined ? [] : labelled("", retryAfterText(asked))),
    ...(unlogged === "" ? [] : labelled("arrived", unlogged)),
    ...(errors.length === 0 ? [] : labelled("failed", `attempts by reason: ${errors.join(", ")}`)),
  ];
}

/** ` (stopped)`, ` (3 in-flight, 160 stopped)`; "" where nothing was. */
function droppedWhy(droppedBy: Report["droppedBy"]): string {
  const reasons = Object.entries(droppedBy);
  if (reasons.length === 1) return ` (${reasons[0]![0]})`;
  const parts = reasons.map(([why, n]) => `${formatNumber(n)} ${why}`);
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function generatorText({ generator, droppedBy }: Report): string {
  if (Number.isNaN(generator.lagP99Us)) return "nothing was sent";
  const lag = `lag p50 ${formatMs(generator.lagP50Us)} p99 ${formatMs(generator.lagP99Us)} ms`;
  const parts = [`${lag} (at most ${formatMs(generator.lagLimitUs)})`];
  if (generator.cpuMax !== null)
    parts.push(`CPU at most ${formatPercent(generator.cpuMax, 0)} of a core`);
  parts.push(`${formatNumber(generator.dropped)} dropped${droppedWhy(droppedBy)}`);
  if (generator.connectFailures > 0)
    parts.push(`${formatNumber(generator.connectFailures)} connections failed`);
  return parts.join(" · ");
}

function balanceLines({ counts, balance, plan }: Report): string[] {
  if (!balance.holds) return labelled("balance", `DOES NOT HOLD: ${balance.problems.join("; ")}`);
  const n = formatNumber;
  const planned = `${n(counts.planned)} planned`;
  const sent = `${planned} = ${n(counts.sent)} sent + ${n(counts.dropped)} dropped`;
  const outcomes = `sent = ${n(counts.ok)} ok + ${n(counts.throttled)} throttled`;
  const rest = `${n(counts.errored)} errored + ${n(counts.unknown)} unknown`;
  const whole = labelled("balance", `${sent};  ${outcomes} + ${rest}`);
  const lines =
    whole.length === 1
      ? whole
      : [...labelled("balance", `${sent};`), ...labelled("", `${outcomes} + ${rest}`)];
  return [...lines, ...closedLines(plan)];
}

function closedLines({ loads }: Report["plan"]): string[] {
  const closed = loads.filter((load) => load.closed !== undefined).map((load) => load.name);
  if (closed.length === 0) return [];
  const begun = "plans nothing: what it began counts as planned";
  return labelled("", `${closed.join(", ")}: a closed loop ${begun}`);
}
