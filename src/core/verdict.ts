// The four verdicts.

export type VerdictName = "pass" | "fail" | "inconclusive" | "invalid";
