// What a pull request changes of its own judgement, against the branch that it is for.

export interface BaseChange {
  /** Criteria decide the verdict; safety says what may be contacted, changed, and how much. */
  readonly group: "criteria" | "safety";
  /** Where in scenario.yaml: `accept`, `generator.cpu`, `environments.stg.account`. */
  readonly key: string;
  readonly kind: "removed" | "loosened" | "changed" | "tightened" | "added";
  /** As text; null = it is not there. */
  readonly base: string | null;
  readonly head: string | null;
}

/** Frozen with a plan that was made in a pull request. */
export interface PlannedBase {
  /** As people call it: `origin/main`. */
  readonly ref: string;
  /** The last commit that both have; null = nothing was compared. */
  readonly commit: string | null;
  /** Of the scenario, from the top of the repository; null = not known. */
  readonly path: string | null;
  /** git blob of the scenario as the pull request has it. */
  readonly head_blob: string;
  /** Whose criteria judge, and whose allow-lists and accounts are in force. */
  readonly criteria_from: "base" | "head";
  readonly safety_from: "base" | "head";
  /** Why nothing was compared; "" = it was. */
  readonly not_compared: string;
  readonly changes: readonly BaseChange[];
}
