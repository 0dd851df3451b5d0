// Small texts that every output writes in the same way: verdicts, arms, places, times.
import { EXIT, type ExitCode } from "../core/exit.ts";
import type { PlanFile } from "../core/facts.ts";
import { formatMs } from "../core/format.ts";
import type { VerdictName } from "../core/verdict.ts";

export const VERDICTS: { readonly [verdict in VerdictName]: { word: string; mark: string } } = {
  pass: { word: "PASS", mark: "✓" },
  fail: { word: "FAIL", mark: "✗" },
  inconclusive: { word: "INCONCLUSIVE", mark: "?" },
  invalid: { word: "INVALID", mark: "!" },
};

/** Of one criterion: of an invalid run nothing is known to hold or not. */
export const CRITERION_VERDICTS: typeof VERDICTS = {
  ...VERDICTS,
  invalid: { word: "NOT JUDGED", mark: "–" },
};

/** What an exit code says beside the verdict: it is stronger, and must not be read past. */
const BESIDES: { readonly [code in ExitCode]?: string } = {
  [EXIT.undoNotVerified]: "NOT UNDONE",
  [EXIT.stopped]: "STOPPED",
  [EXIT.bug]: "ENDED BY AN ERROR",
  [EXIT.sigint]: "STOPPED",
  [EXIT.sigterm]: "STOPPED",
};

/** The word of a run, which never says other than its exit code: `FAIL`, `FAIL, STOPPED`. */
export function headWord(word: string, exitCode: ExitCode): string {
  const besides = BESIDES[exitCode];
  return besides === undefined ? word : `${word}, ${besides}`;
}

/** `checkout candidate`; the load alone where it has no arms. */
export function armName({ load, arm }: { readonly load: string; readonly arm: string }): string {
  return arm === "" ? load : `${load} ${arm}`;
}

/** `hardened on local`. */
export function placeText({ scenario: { variant, environment } }: PlanFile): string {
  return variant === null ? environment : `${variant} on ${environment}`;
}

/** Milliseconds without their unit; `never` for what did not end. */
export const msText = (us: number): string => (Number.isFinite(us) ? formatMs(us) : "never");

/** What was left behind, and what to type. */
export const undoText = ({ state, command }: { state: string; command: string }): string =>
  `${state}. Do now: ${command}`;
