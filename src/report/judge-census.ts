// Verdicts on counted values and on recovery, which may be censored by the end of the run.
import type { Comparison, Criterion, Expression, Operand, WindowRef } from "../core/criterion.ts";
import { GatecrashError } from "../core/error.ts";
import { didYouMean } from "../core/nearest.ts";
import type { Window } from "../core/window.ts";
import { showBeside, showLimit, showWish } from "./criterion-text.ts";
import type { JudgeFacts } from "./judge-facts.ts";
import { GOOD_SECONDS, recoveryOf } from "./recovery.ts";
import type { CriterionResult } from "./result.ts";
import { COVERAGE_MIN, type Windows } from "./windows.ts";

export function undecided(blank: CriterionResult, reason: string): CriterionResult {
  return { ...blank, verdict: "inconclusive", reason };
}

/** The window of an operand, null = the whole run. Throws `scenario` for an unknown name. */
export function windowOf(windows: Windows, { window }: Operand): Window | null {
  if (window === null) return null;
  return windows.resolve(window) ?? unknownWindow(windows, window);
}

function unknownWindow(windows: Windows, ref: WindowRef): never {
  const name = ref.kind === "during" ? ref.name : ref.after;
  const known = [...windows.during.keys()];
  throw new GatecrashError("scenario", `no phase or fault is called \`${name}\``, {
    hint: didYouMean(name, known) ?? "this run has neither phases nor faults",
  });
}

/** Why a window is too short to judge by, or null. */
export function coverageProblem(window: Window | null): string | null {
  if (window === null || window.coverage >= COVERAGE_MIN) return null;
  const share = showLimit(Math.floor(window.coverage * 100) / 100, "ratio");
  return `its window covers ${share} of what was declared, at least 80 % are needed`;
}

/** The number of an expression without operands; quota is left to the census. */
export function fixedLimit(expr: Expression): number {
  if (expr.kind === "number") return expr.value;
  if (expr.kind === "max") return Math.max(fixedLimit(expr.left), fixedLimit(expr.right));
  return Number.NaN;
}

/** Whether a value is what a criterion wishes. */
export const HOLDS: { readonly [op in Comparison]: (value: number, limit: number) => boolean } = {
  "<=": (value, limit) => value <= limit,
  "<": (value, limit) => value < limit,
  ">=": (value, limit) => value >= limit,
  ">": (value, limit) => value > limit,
  "==": (value, limit) => value === limit,
};

export function compareCensus(
  blank: CriterionResult,
  op: Comparison,
  value: number,
  limit: number,
  note: string,
): CriterionResult {
  const atLeast = op === ">=" || op === ">";
  const more = note === "" ? "" : ` (${note})`;
  const wish = showWish(op, showLimit(limit, blank.unit));
  const found = `${showBeside(value, limit, blank.unit)}${more}, ${wish}`;
  return {
    ...blank,
    verdict: HOLDS[op](value, limit) ? "pass" : "fail",
    estimate: value,
    limit,
    margin: op === "==" ? -Math.abs(value - limit) : atLeast ? value - limit : limit - value,
    reason: found,
  };
}

/**
 * Recovered in time → pass; later, or not within a time in which it would have been seen → fail;
 * not seen because the run ended too soon → inconclusive.
 */
export function judgeRecovery(
  facts: JudgeFacts,
  criterion: Criterion,
  blank: CriterionResult,
): CriterionResult {
  const name = criterion.operand.argument ?? "";
  if (!facts.windows.during.has(name)) unknownWindow(facts.windows, { kind: "during", name });
  const limit = fixedLimit(criterion.expr);
  const placed = { ...blank, limit };
  if (facts.steady.length === 0)
    return undecided(placed, "the scenario declares no `steady:` state to recover to");
  const clearedUs = facts.windows.clearedUs(name);
  if (clearedUs === null) return undecided(placed, `\`${name}\` was never seen to clear`);
  const { tables, story } = facts;
  const found = recoveryOf(tables, facts.steady, clearedUs, story.observedEndUs);
  const seconds = Math.floor(found.observedUs / 1_000_000);
  if (found.us !== null)
    return compareCensus({ ...placed, n: seconds }, criterion.op, found.us, limit, "");
  const watched = `not seen to recover in ${seconds} s after clearing`;
  if (HOLDS[criterion.op](found.atLeastUs, limit))
    return undecided({ ...placed, n: seconds }, `${watched}, too short to tell`);
  const reason = `${watched} (${GOOD_SECONDS} good seconds in a row)`;
  const estimate = Number.POSITIVE_INFINITY;
  return { ...placed, n: seconds, verdict: "fail", estimate, margin: -estimate, reason };
}
