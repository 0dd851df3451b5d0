// Every exit code, and which one wins when several apply.
import type { VerdictName } from "./verdict.ts";

export const EXIT = {
  pass: 0,
  fail: 1,
  inconclusive: 2,
  invalid: 3,
  undoNotVerified: 4,
  stopped: 5,
  usage: 64,
  bug: 70,
  sigint: 130,
  sigterm: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** First of these that applies is the process's exit code. */
const PRECEDENCE: readonly ExitCode[] = [4, 70, 130, 143, 3, 5, 1, 2, 0];

export function strongestExit(codes: readonly ExitCode[]): ExitCode {
  return PRECEDENCE.find((code) => codes.includes(code)) ?? EXIT.pass;
}

export function exitOfVerdict(verdict: VerdictName): ExitCode {
  return EXIT[verdict];
}

/** Of the signal that a text names: Ctrl-C has its own, all others end as SIGTERM does. */
export function exitOfSignal(text: string): ExitCode {
  return text.includes("SIGINT") ? EXIT.sigint : EXIT.sigterm;
}
