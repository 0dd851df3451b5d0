// The plan for a terminal: one label a line, 100 columns.
import { formatNumber, formatPercent } from "../core/format.ts";
import { meanAttempts } from "../model/retries.ts";
import { bannerLines } from "../report/base-words.ts";
import { ODDS_WANTED } from "../report/odds.ts";
import { wrapped } from "../report/text-layout.ts";
import { needsText } from "./plan-needs.ts";
import type { PlannedSend, PlanView } from "./plan-view.ts";
import type { PlannedChange } from "./planned-changes.ts";
import { sharesText } from "./pool-text.ts";
import { prospectLines } from "./prospect-text.ts";
import { sharesText as versionShares } from "./versions.ts";

const INDENT = 10;
const n = formatNumber;

/** Kinds of hazards that are about the concurrency that all share. */
const POOL: readonly string[] = ["pool", "impossible"];

export function planText(view: PlanView): string {
  const { plan, place, account, pool } = view;
  const lines = [
    ...(plan.base === undefined ? [] : bannerLines(plan.base)),
    ...question(view),
    "",
    ...whereText(view).flatMap((text) => labelled("WHERE", text)),
    ...(place.logs === null ? [] : labelled("WHERE", `log lines: ${place.logs}`)),
    ...place.signs.flatMap((sign) => labelled("MEANT?", `${sign}: ${yesProduction(place)}`)),
    ...whoText(view).flatMap((text) => labelled("WHO", text)),
    ...view.loads.flatMap((load) => labelled("SEND", sendText(load))),
    ...needsText(view).flatMap((text) => labelled("NEEDS", text)),
    ...labelled("SHARES", sharesText(view)),
    ...(plan.versions ?? []).flatMap((one) => labelled("VERSIONS", versionShares(one))),
    ...labelled("JOIN", view.join),
    ...(view.probed ?? []).flatMap(({ text }) => labelled("PROBED", text)),
    ...labelled("DECIDES", decidesText(view)),
    ...prospectLines(view.prospects).map((line) => `  ${line}`),
    ...stopLines(view),
    ...view.tells.flatMap((text) => labelled("TELLS", text)),
    ...egressTexts(view).flatMap((text) => labelled("EGRESS", text)),
    ...labelled("COST", costText(view)),
    ...changeLines(view),
    ...view.hazards.flatMap(({ fault, kind, text }) => {
      return labelled(POOL.includes(kind) ? "SHARES" : "DATA", `${fault}: ${text}`);
    }),
    ...plan.notes.flatMap((note) => labelled("ASSUMED", note.replace(/\.$/, ""))),
    ...[...account.unread, ...pool.unread].flatMap((text) => labelled("UNREAD", text)),
    "",
    ...view.findings.flatMap(({ line, severity, message }) => {
      return wrapped(`line ${line}: ${message}`, 9, `${severity}: `);
    }),
    lastLine(view),
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

const yesProduction = ({ account }: PlanView["place"]): string =>
  `a run needs --yes-production ${account}`;

const labelled = (label: string, text: string): string[] => wrapped(text, INDENT, label);

function question({ plan }: PlanView): string[] {
  const { variant, environment, blob, dirty } = plan.scenario;
  const tree = dirty === null ? "no repository" : dirty ? "TREE NOT CLEAN" : "clean tree";
  const which = variant === null ? environment : `${variant} · ${environment}`;
  return [plan.title, `          ${which} · scenario ${blob.slice(0, 7)} · ${tree}`];
}

function whereText({ loads, place, plan }: PlanView): string[] {
  if (!place.local)
    return place.proven.map((text) => `${text}${text.includes("NOT PROVEN") ? "" : "   proven"}`);
  const hosts = [...new Set(loads.map(({ to }) => to))].join(", ");
  const functions = Object.values(plan.functions).map((arn) => arn.split(":function:")[1] ?? arn);
  const behind = functions.length === 0 ? "" : ` → functions ${functions.join(", ")}`;
  const where = "local AWS, on this machine";
  return [`${hosts}${behind} → account ${place.account} ${place.region} (${where})`];
}

function whoText({ place }: PlanView): string[] {
  if (place.local) return [`${place.caller} on local AWS, no credentials of yours`];
  const many = new Map<string, string[]>();
  for (const { purpose, arn } of place.actors) many.set(arn, [...(many.get(arn) ?? []), purpose]);
  return [...many].map(([arn, purposes]) => `${purposes.join(", ")}: ${arn}`);
}

function sendText(load: PlannedSend): string {
  if (load.closed !== null)
    return `${load.load}: a closed loop of ${n(load.closed)} for ${duration(load.seconds)}`;
  const methods = Object.entries(load.methods).map(([method, count]) => `${n(count)} ${method}`);
  const parts = [
    `${load.load}: ${n(load.arrivals)} arrivals in ${duration(load.seconds)}: ` +
      `${n(load.meanPerSecond)}/s mean, ${n(load.worstPerSecond)}/s worst second`,
    methods.join(" + "),
    `writes ${n(load.writes)}`,
  ];
  if (load.notSent > 0) parts.push(`${n(load.notSent)} of the capture not sent`);
  if (load.attemptsMax > 1) {
    const half = meanAttempts(0.5, load.attemptsMax);
    parts.push(
      `up to ${load.attemptsMax} attempts each (${formatNumber(half, 2)} on average if half fail)`,
    );
  }
  return parts.join(" · ");
}

function duration(seconds: number): string {
  return seconds >= 120 ? `${formatNumber(seconds / 60, 1)} min` : `${formatNumber(seconds)} s`;
}

function egressTexts({ egress, place }: PlanView): string[] {
  if (place.local) return ["nothing but this machine"];
  return egress.map(({ to, why }) => `${to} (${why})`);
}

function decidesText({ prospects }: PlanView): string {
  if (prospects.length === 0) return "nothing: there are no criteria";
  const likely = prospects.filter(({ decidable }) => decidable === "yes").length;
  const no = prospects.filter(({ decidable }) => decidable === "no").length;
  const open = prospects.filter(({ decidable }) => decidable === "open").length;
  const odds = formatPercent(ODDS_WANTED, 0);
  return [
    `${likely} of ${prospects.length} criteria with at least ${odds} odds at half their allowance`,
    ...(no > 0 ? [`${no} will NOT be decided`] : []),
    ...(open > 0 ? [`${open} depend on what is measured`] : []),
  ].join(" · ");
}

function stopLines({ plan, alarms }: PlanView): string[] {
  const named = new Set(alarms.map(({ name }) => name));
  const criteria = plan.criteria.stop_when.filter((text) => !text.startsWith("alarm "));
  const now = [...named].map((name) => {
    return `alarm ${name} (now ${alarms.find((alarm) => alarm.name === name)?.state})`;
  });
  const texts = [...criteria, ...now];
  return texts.length === 0 ? [] : labelled("STOPS", `at ${texts.join(" · at ")}`);
}

function costText({ cost, place }: PlanView): string {
  const priced = cost.lines.flatMap(({ what, usd }) => (usd === null ? [] : [{ what, usd }]));
  const total = priced.reduce((sum, { usd }) => sum + usd, 0);
  const parts = priced.map(({ what, usd }) => `${what} ${dollars(usd)}`);
  const open = cost.lines.flatMap(({ what, usd }) => (usd === null ? [what] : []));
  const here = place.local ? "nothing here; on AWS about " : "about ";
  const list = `${here}$${dollars(total)} at list price (${cost.priceRegion})`;
  return `${list}: ${parts.join(" · ")} · not priced: ${open.join(", ")}`;
}

/** Cents, and digits enough for what costs less than one. */
const dollars = (usd: number): string => formatNumber(usd, usd >= 0.095 ? 2 : 4);

function changeLines({ changes, cleanUps }: PlanView): string[] {
  if (changes.length + cleanUps.length === 0)
    return labelled("CHANGES", "nothing: no faults in this scenario");
  const cleaned = cleanUps.flatMap(({ load, queue }) => {
    const what = "once sinks are read, its own messages are deleted; the others are given back";
    return labelled("CHANGES", `${load} (clean-up), ${queue}: ${what}, received once more`);
  });
  return [...changes.flatMap(faultLines), ...cleaned];
}

function faultLines(change: PlannedChange): string[] {
  const [from, to] = [change.startUs, change.endUs].map((us) => formatNumber(us / 1e6, 1));
  const inject = change.inject === "" ? "nothing: it is so already" : change.inject;
  const undo = change.undo === "" ? "nothing to write, only to read" : change.undo;
  const residue = change.residue ?? "nothing known";
  const indent = " ".repeat(INDENT);
  return [
    ...labelled("CHANGES", `${change.fault} (${change.kind}), ${from}–${to} s`),
    ...labelled("", `prior: ${change.prior}`),
    // Commands are copied from here: whole lines, however long.
    `${indent}inject: ${inject}`,
    `${indent}undo: ${undo}`,
    ...labelled("", `what undo cannot put back: ${residue}`),
    ...(change.held === null ? [] : labelled("", `NOW ${change.held}: a run is refused or waits`)),
  ];
}

function lastLine({ findings, probed = [] }: PlanView): string {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  const count = (many: number, what: string): string => `${many} ${what}${many === 1 ? "" : "s"}`;
  const found = `${count(errors, "error")}, ${count(warnings, "warning")}`;
  const sent = probed.reduce((sum, load) => sum + load.sent, 0);
  const what = sent === 0 ? "Nothing was sent" : `${count(sent, "probe")} sent`;
  return `${found}. ${what}, nothing was changed.`;
}
