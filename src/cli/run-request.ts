// What a run is asked to be, and what its caller gets back.
import type { ExitCode } from "../core/exit.ts";
import type { Scenario } from "../core/scenario.ts";
import type { EpochMs } from "../core/time.ts";
import type { Report } from "../report/result.ts";
import type { RunSummary } from "../run/run-contract.ts";
import type { Share } from "../run/worker-contract.ts";
import type { Judged } from "./judged-by.ts";

export interface RunRequest {
  /** As read; outputs are still open. */
  readonly scenario: Scenario;
  readonly endpoint: string | null;
  /** As it was judged fit to be frozen; absent = the file, as it is. */
  readonly frozen?: Pick<Judged, "yaml" | "base">;
  /** Run directory; null makes one below `runs/`. */
  readonly out: string | null;
  readonly workers: number;
  readonly command: readonly string[];
  readonly quiet: boolean;
  /** Whether sinks may run commands that the scenario names. */
  readonly allowExec: boolean;
  /** Longest time to wait for whoever holds what the faults change; absent = not at all. */
  readonly waitUs?: number;
  /** Account that may be production; absent = none may. */
  readonly yesProduction?: string | null;
  /** The text of a scenario that has no file: where it sends was allowed by whoever made it. */
  readonly yaml?: string;
  /** False: nobody will look at the run directory, so no reports are written into it. */
  readonly kept?: boolean;
  /** This machine's part of the load; absent = all of it. */
  readonly slice?: Share;
  /** Wall time of the run's 0; absent = at once. */
  readonly startAtMs?: EpochMs;
}

export interface RunResult {
  readonly report: Report;
  readonly exit: ExitCode;
  /** Resolves when people are told of it, or it was given up: to be awaited once it is printed. */
  told(): Promise<void>;
}

/** A part of a run is judged by nobody: its facts wait for those of the other slices. */
export interface SliceResult {
  readonly summary: RunSummary;
  readonly dir: string;
}
