// One thing that `verify` looks at.

export interface Check {
  readonly what: string;
  readonly state: "yes" | "no" | "unknown";
  /** What was found, or why it cannot be told. */
  readonly detail: string;
}
