// A span of the run's time over which a criterion is judged.
import type { FaultSpec } from "./scenario.ts";
import type { RunUs } from "./time.ts";

/** Half-open [startUs, endUs). */
export interface Window {
  readonly name: string;
  readonly startUs: RunUs;
  readonly endUs: RunUs;
  /** Share of the declared phase that this window covers, 0–1; under 0.8 nothing can be decided. */
  readonly coverage: number;
}

/** The window of the cold starts that the undo of this fault causes. */
export const coldWaveName = (fault: string): string => `${fault}-cold-wave`;

/** Known before its resource is; a test holds it equal to what the faults themselves say. */
export function replacesEnvironments({ kind, input }: Pick<FaultSpec, "kind" | "input">): boolean {
  const byTimeout = kind === "force-retries" && input.function !== undefined;
  return byTimeout || kind === "recycle-environments";
}
