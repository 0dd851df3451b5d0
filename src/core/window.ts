// A span of the run's time over which a criterion is judged.
import type { RunUs } from "./time.ts";

/** Half-open [startUs, endUs). */
export interface Window {
  readonly name: string;
  readonly startUs: RunUs;
  readonly endUs: RunUs;
  /** Share of the declared phase that this window covers, 0–1; under 0.8 nothing can be decided. */
  readonly coverage: number;
}
