// A judged criterion in words for people, the same in HTML, Markdown, JUnit and annotations.
import { formatNumber } from "../core/format.ts";
import { parseCriterion } from "../core/parse-criterion.ts";
import type { VerdictName } from "../core/verdict.ts";
import { showBeside, showLimit, showMargin, showValue } from "./criterion-text.ts";
import type { CriterionResult } from "./result.ts";

const ORDER: readonly VerdictName[] = ["invalid", "fail", "inconclusive", "pass"];

/** Worst first; among equals primary ones first, then as written. */
export function bySeverity(criteria: readonly CriterionResult[]): CriterionResult[] {
  const rank = (one: CriterionResult) => ORDER.indexOf(one.verdict) * 2 + (one.primary ? 0 : 1);
  return [...criteria].sort((a, b) => rank(a) - rank(b));
}

/** `69 ms`, `75.06 %`; "" when nothing was found. */
export function estimateText(one: CriterionResult): string {
  if (one.estimate === null || Number.isNaN(one.estimate)) return "";
  return showBeside(one.estimate, one.limit, one.unit);
}

/** `72.06–77.88 %`, `64–∞`: the two-sided 95 % interval; "" for what is counted. */
export function intervalText(one: CriterionResult): string {
  if (one.kind === "census" || one.low === null || one.high === null) return "";
  if (Number.isNaN(one.low) && Number.isNaN(one.high)) return "";
  const high = Number.isNaN(one.high) ? Number.POSITIVE_INFINITY : one.high;
  const low = Number.isNaN(one.low) ? 0 : one.low;
  if (one.unit !== "ratio") return `${showValue(low, one.unit)} – ${upperText(high, one)}`;
  return `${formatNumber(low * 100, 2)} – ${formatNumber(high * 100, 2)} %`;
}

const upperText = (high: number, { unit }: CriterionResult): string =>
  Number.isFinite(high) ? showValue(high, unit) : "no upper end";

export function limitText(one: CriterionResult): string {
  return one.limit === null ? "" : showLimit(one.limit, one.unit);
}

/** Percentiles are judged by a share: `0.30 % beyond, 1 % allowed`; "" for the rest. */
export function beyondText(one: CriterionResult): string {
  if (one.beyond === null) return "";
  const { share, allowed } = one.beyond;
  const found = showBeside(share, allowed, "ratio");
  return `${found} beyond the limit, ${showLimit(allowed, "ratio")} allowed`;
}

/** Limit minus the deciding one-sided bound; "" while undecided. */
export function marginText(one: CriterionResult): string {
  if (one.margin === null || one.verdict === "inconclusive") return "";
  return showMargin(one.margin, one.beyond === null ? one.unit : "ratio");
}

/** The margin as a share of what it is a margin to, for comparison between criteria. */
export function relativeMargin(one: CriterionResult): number | null {
  if (one.margin === null || !Number.isFinite(one.margin)) return null;
  const room = roomOf(one);
  return room === null || room <= 0 ? null : one.margin / room;
}

/** `55 % to spare`, `30 × over`; "" where a share means nothing. */
export function spareText(one: CriterionResult): string {
  const relative = relativeMargin(one);
  if (relative === null || one.verdict === "inconclusive") return "";
  if (relative >= 0) return `${formatNumber(relative * 100, 0)} % to spare`;
  return relative <= -2
    ? `${formatNumber(-relative, 0)} × over`
    : `over by ${formatNumber(-relative * 100, 0)} %`;
}

/** `1.4 half intervals`: the margin of a rate in its own uncertainty; "" for all else. */
export function halfWidthText(one: CriterionResult): string {
  const { low, high, margin, beyond, kind } = one;
  if (kind === "census" || beyond !== null || margin === null || low === null || high === null)
    return "";
  const half = (high - low) / 2;
  return half > 0 && Number.isFinite(half)
    ? `${formatNumber(margin / half, 1)} half intervals`
    : "";
}

/** What may go wrong in all: 5 pt for `>= 95%`, of a percentile its share, else the limit. */
function roomOf({ beyond, limit, unit, text }: CriterionResult): number | null {
  if (beyond !== null) return beyond.allowed;
  const atLeast = unit === "ratio" && parseCriterion(text).op.startsWith(">");
  return limit !== null && atLeast ? 1 - limit : limit;
}

/** `20.3 to 35 s`; "" = the whole run. */
export function windowText(one: CriterionResult): string {
  if (one.window === null) return "";
  const { startUs, endUs } = one.window;
  const [from, to] = [secondsText(startUs), secondsText(endUs)];
  const sameUnit = from.split(" ")[1] === to.split(" ")[1];
  return `${sameUnit ? from.split(" ")[0] : from} to ${to}`;
}

/** µs of the run → `20.3 s`, `12:05`. */
export function secondsText(us: number): string {
  const seconds = us / 1e6;
  if (seconds < 120) return `${formatNumber(seconds, Number.isInteger(seconds) ? 0 : 1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return `${minutes}:${String(whole % 60).padStart(2, "0")} min`;
}
