// Criteria on one operand and window that cannot hold together, or say the same twice.
import type { Criterion } from "../core/criterion.ts";
import type { Judged, LintFinding } from "./lint-types.ts";

interface Bound {
  readonly value: number;
  /** `<` and `>`: the limit itself is outside. */
  readonly open: boolean;
}

/** Compared pairwise: one finding at the later line. */
export function contradictions(judged: readonly Judged[]): LintFinding[] {
  return judged.flatMap((later, i) =>
    judged.slice(0, i).flatMap((earlier) => compare(earlier, later) ?? []),
  );
}

function compare(earlier: Judged, later: Judged): LintFinding | null {
  const [a, b] = [earlier.criterion, later.criterion];
  if (JSON.stringify(a.operand) !== JSON.stringify(b.operand)) return null;
  if (unitOf(a) === null || unitOf(a) !== unitOf(b)) return null;
  const where = `\`${a.text}\` (line ${earlier.line}) and \`${b.text}\``;
  const { line } = later;
  const apart = below(upperOf(a), lowerOf(b)) || below(upperOf(b), lowerOf(a));
  if (apart) return { line, severity: "error", message: `${where} cannot both hold` };
  if (a.op !== b.op || a.op === "==") return null;
  return { line, severity: "warning", message: `${where}: the looser one never decides` };
}

function unitOf({ expr }: Criterion): string | null {
  if (expr.kind === "number") return expr.unit;
  return expr.kind === "quota" ? "quota" : null;
}

function limitOf({ expr }: Criterion): number | null {
  if (expr.kind === "number") return expr.value;
  return expr.kind === "quota" ? expr.share : null;
}

function upperOf(criterion: Criterion): Bound | null {
  const value = limitOf(criterion);
  const bounds = ["<=", "<", "=="].includes(criterion.op);
  return value === null || !bounds ? null : { value, open: criterion.op === "<" };
}

function lowerOf(criterion: Criterion): Bound | null {
  const value = limitOf(criterion);
  const bounds = [">=", ">", "=="].includes(criterion.op);
  return value === null || !bounds ? null : { value, open: criterion.op === ">" };
}

function below(upper: Bound | null, lower: Bound | null): boolean {
  if (upper === null || lower === null) return false;
  if (upper.value !== lower.value) return upper.value < lower.value;
  return upper.open || lower.open;
}
