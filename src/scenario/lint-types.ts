// What lint looks at and what it finds.
import type { Criterion } from "../core/criterion.ts";

export interface LintFinding {
  /** Of scenario.yaml. */
  readonly line: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

export interface Judged {
  readonly criterion: Criterion;
  readonly line: number;
}
