// What judging looks at.
import type { Criterion } from "../core/criterion.ts";
import type { CensusFacts } from "./census.ts";
import type { ColdWave } from "./cold-wave.ts";
import type { Reconciled } from "./reconcile.ts";
import type { Windows } from "./windows.ts";

/** Nothing of it changes while criteria are judged. */
export interface JudgeFacts extends CensusFacts {
  readonly windows: Windows;
  /** By fault. */
  readonly waves: ReadonlyMap<string, ColdWave>;
  /** What sinks held against what was sent. */
  readonly reconciled: readonly Reconciled[];
  readonly steady: readonly Criterion[];
}
