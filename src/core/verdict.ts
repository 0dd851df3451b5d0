// The four verdicts and their order.

export type VerdictName = "pass" | "fail" | "inconclusive" | "invalid";

/** Worst last: a run is as good as its worst criterion. */
const ORDER: readonly VerdictName[] = ["pass", "inconclusive", "fail", "invalid"];

/** Associative, commutative, idempotent. */
export function worst(a: VerdictName, b: VerdictName): VerdictName {
  return ORDER.indexOf(a) >= ORDER.indexOf(b) ? a : b;
}
