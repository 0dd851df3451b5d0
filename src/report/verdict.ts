// The run's verdict, THE reason for it, and the exit code.
import { EXIT, type ExitCode, exitOfSignal, exitOfVerdict, strongestExit } from "../core/exit.ts";
import type { VerdictName } from "../core/verdict.ts";
import type { CriterionResult, FaultResult } from "./result.ts";
import type { Story } from "./story.ts";

export interface RunVerdict {
  readonly verdict: VerdictName;
  readonly reason: string;
}

/**
 * INVALID before all; FAIL if any criterion fails; PASS if every primary one passes; else
 * inconclusive. A criterion that is not primary and undecided is shown and does not block.
 */
export function runVerdict(
  invalid: readonly string[],
  criteria: readonly CriterionResult[],
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
  return { verdict: "pass", reason: `${what}${rest}` };
}

/** Primary ones first, in the order in which they were written. */
function byMargin(failed: readonly CriterionResult[]): CriterionResult[] {
  return [...failed.filter((one) => one.primary), ...failed.filter((one) => !one.primary)];
}

const sentence = (one: CriterionResult): string => `${one.text}: ${one.reason}`;

export function exitCodeOf(
  verdict: VerdictName,
  faults: readonly FaultResult[],
  story: Story,
): ExitCode {
  const codes: ExitCode[] = [exitOfVerdict(verdict)];
  if (faults.some((fault) => fault.notUndone !== null)) codes.push(EXIT.undoNotVerified);
  for (const stop of story.stops) {
    if (stop.why !== "signal") codes.push(EXIT.stopped);
    else codes.push(exitOfSignal(stop.detail));
  }
  return strongestExit(codes);
}
