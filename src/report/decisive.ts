// What decided a run, and what would have changed it, each as one sentence for a person.

import { formatNumber } from "../core/format.ts";
import { quantileOf } from "../core/measures.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import {
  bySeverity,
  estimateText,
  limitText,
  marginText,
  relativeMargin,
} from "./criterion-view.ts";
import { remedyFor } from "./remedy.ts";
import type { CriterionResult, Report } from "./result.ts";
import { roundedUp, wishOf } from "./sample-verdict.ts";
import { mostToPass } from "./statistics.ts";

/** The criterion that the verdict rests on; null when none does (invalid, or no criteria). */
function decisiveOf(report: Report): CriterionResult | null {
  if (report.verdict === "invalid") return null;
  if (report.verdict === "pass") return thinnest(report.criteria);
  const worst = bySeverity(report.criteria).filter((one) => one.verdict === report.verdict);
  return worst[0] ?? null;
}

/** What it would take for another verdict. */
export function whatWouldChange(report: Report): string {
  const { verdict, criteria } = report;
  if (verdict === "invalid") return remedyFor(report.reason);
  const one = decisiveOf(report);
  if (one === null && report.criteria.length > 0)
    return "Every criterion holds so far: run it to its end, and put back, to know.";
  if (one === null) return "Give criteria in a file: the same facts can then be judged.";
  if (verdict === "pass") return closest(one);
  if (verdict === "inconclusive") return missing(one);
  const others = criteria.filter((other) => other.verdict === "fail").length - 1;
  const more = others === 1 ? " One more criterion fails." : ` ${others} more criteria fail.`;
  return `${wouldPass(one)}${others === 0 ? "" : more}`;
}

/** The passing criterion with the smallest margin in proportion to its limit. */
function thinnest(criteria: readonly CriterionResult[]): CriterionResult | null {
  const passed = criteria.filter((one) => one.verdict === "pass" && relativeMargin(one) !== null);
  const sorted = passed.sort((a, b) => relativeMargin(a)! - relativeMargin(b)!);
  return sorted[0] ?? criteria[0] ?? null;
}

function closest(one: CriterionResult): string {
  const margin = marginText(one);
  if (margin === "") return `Closest to its limit: ${one.text}.`;
  return `Closest to its limit: ${one.text}, ${margin} to spare (found ${estimateText(one)}).`;
}

/** A sample fails by a count of events, everything else by its value. */
function wouldPass(one: CriterionResult): string {
  const { op, operand } = parseCriterion(one.text);
  const found = estimateText(one) === "" ? "" : `, found ${estimateText(one)}`;
  if (one.kind !== "sample" || one.limit === null || one.estimate === null)
    return `It would pass at ${op === "==" ? "exactly" : bound(op)} ${limitText(one)}${found}.`;
  const wish = wishOf(quantileOf(operand.measure), op, one.limit);
  const n = one.nEffective ?? one.n;
  const most = Math.max(-1, Math.floor((mostToPass(Math.floor(n), wish.allowed) * one.n) / n));
  const share = wish.atLeast && one.beyond === null ? 1 - one.estimate : one.estimate;
  const events = one.beyond?.count ?? Math.round(share * one.n);
  if (!(most >= 0)) return `${formatNumber(one.n)} samples are too few for it to pass${found}.`;
  const what = one.beyond === null ? "" : " beyond the limit";
  const of = `${formatNumber(most)} of ${formatNumber(one.n)}${what}`;
  return `It would pass with at most ${of}; there were ${formatNumber(events)}.`;
}

const bound = (op: string): string => (op.startsWith("<") ? "at most" : "at least");

function missing(one: CriterionResult): string {
  if (one.n === 0)
    return "Nothing of it was measured: look whether its load ran and its window was reached.";
  if (one.needs === null)
    return `${sentence(one.reason)} More load of this kind does not decide it.`;
  const worth = Math.round(one.nEffective ?? one.n);
  const bursts =
    worth * 2 > one.n ? "" : `, which came in bursts and are worth ${formatNumber(worth)}`;
  return `Needs about ${roundedUp(one.needs)} samples, has ${formatNumber(one.n)}${bursts}.`;
}

/** First letter large, unless it begins the name of a measure; full stop at the end. */
export function sentence(text: string): string {
  if (text === "") return "";
  const named = /^[a-z]\S*[.(<>=]\S/.test(text);
  const first = named ? text : `${text[0]!.toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
