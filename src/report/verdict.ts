// The run's verdict, THE reason for it, and the exit code.
import { EXIT, type ExitCode, exitOfSignal, exitOfVerdict, strongestExit } from "../core/exit.ts";
import type { VerdictName } from "../core/verdict.ts";
import { secondsText } from "./criterion-view.ts";
import type { CriterionResult, FaultResult } from "./result.ts";
import type { Story } from "./story.ts";

export interface RunVerdict {
  readonly verdict: VerdictName;
  readonly reason: string;
}

/**
 * INVALID before all; FAIL if any criterion fails; PASS if every primary one passes; else
 * inconclusive. A criterion that is not primary and undecided is shown and does not block. What
 * was seen to fail has failed however the run ended; to pass it must have done all that was
 * planned.
 */
export function runVerdict(
  invalid: readonly string[],
  criteria: readonly CriterionResult[],
  unfinished: string | null = null,
): RunVerdict {
  if (invalid.length > 0) return { verdict: "invalid", reason: invalid[0]! };
  const failed = byMargin(criteria.filter((one) => one.verdict === "fail"));
  if (failed.length > 0) return { verdict: "fail", reason: sentence(failed[0]!) };
  const primary = criteria.filter((one) => one.primary);
  const open = primary.filter((one) => one.verdict !== "pass");
  if (open.length > 0) return { verdict: "inconclusive", reason: sentence(open[0]!) };
  if (primary.length === 0)
    return { verdict: "inconclusive", reason: "no criterion was given, so nothing is decided" };
  const undecided = criteria.length - criteria.filter((one) => one.verdict === "pass").length;
  const kind = primary.length === criteria.length ? "" : " primary";
  const what =
    primary.length === 1
      ? `its one${kind} criterion holds`
      : `all ${primary.length}${kind} criteria hold`;
  const others = undecided === 1 ? "that is not primary stays" : "that are not primary stay";
  const rest = undecided === 0 ? "" : `; ${undecided} ${others} undecided`;
  if (unfinished !== null)
    return { verdict: "inconclusive", reason: `${unfinished}; till then ${what}${rest}` };
  return { verdict: "pass", reason: `${what}${rest}` };
}

/** Why not all that was planned was done, as a sentence; null = it was. */
export function unfinishedOf(
  faults: readonly FaultResult[],
  { stops, plannedEndUs }: Story,
  ended: Ended | null,
): string | null {
  if (ended !== null) return ended.why;
  const left = faults.flatMap(({ name, notUndone }) => (notUndone === null ? [] : [name]));
  if (left.length > 0) return `what ${left.join(" and ")} changed was not seen undone`;
  if (stops.length === 0) return null;
  const atUs = Math.min(...stops.map(({ t }) => Math.max(0, t)));
  return `stopped after ${secondsText(atUs)} of ${secondsText(plannedEndUs)} planned`;
}

/** Of an invalid run: what was found stays to be seen, and nothing says whether it holds. */
export function notJudged(criteria: readonly CriterionResult[]): CriterionResult[] {
  return criteria.map((one) => ({
    ...{ ...one, verdict: "invalid" as const, reason: NOT_JUDGED },
    ...{ margin: null, needs: null, longerUs: null },
  }));
}

const NOT_JUDGED = "not judged: the run is invalid";

/** Primary ones first, in the order in which they were written. */
function byMargin(failed: readonly CriterionResult[]): CriterionResult[] {
  return [...failed.filter((one) => one.primary), ...failed.filter((one) => !one.primary)];
}

const sentence = (one: CriterionResult): string => `${one.text}: ${one.reason}`;

/** What the process that ran it knows of its end, and its facts may not: they could not be kept. */
export interface Ended {
  /** All that apply; never empty. */
  readonly codes: readonly ExitCode[];
  readonly why: string;
}

export function exitCodeOf(
  verdict: VerdictName,
  faults: readonly FaultResult[],
  story: Story,
  ended: Ended | null,
): ExitCode {
  const codes: ExitCode[] = [exitOfVerdict(verdict), ...(ended?.codes ?? [])];
  if (faults.some((fault) => fault.notUndone !== null)) codes.push(EXIT.undoNotVerified);
  for (const stop of story.stops) {
    if (stop.why !== "signal") codes.push(EXIT.stopped);
    else codes.push(exitOfSignal(stop.detail));
  }
  return strongestExit(codes);
}
