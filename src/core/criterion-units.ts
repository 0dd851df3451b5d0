// Whether the two sides of a criterion fit: unit against unit, measure against what it is asked of.
import type { Criterion, Expression, Operand, Unit } from "./criterion.ts";
import { isByVersion, type MeasureScope, measureInfo } from "./measures.ts";
import { versionOfName } from "./version-name.ts";

export interface Complaint {
  readonly problem: string;
  readonly hint: string;
}

const SPELLING: { readonly [unit in Unit]: string } = {
  us: "a time, as 300ms or 5s",
  ratio: "a share, as 1%",
  count: "a whole number without unit",
  usd: "dollars, as $4",
  number: "a number without unit, as 1.1",
};

/** What does not fit in a criterion that reads well, or null. */
export function checkUnits(criterion: Omit<Criterion, "primary">): Complaint | null {
  const { operand, expr } = criterion;
  return checkScope(operand) ?? checkSide(operand, expr) ?? checkSelf(operand, expr);
}

function checkScope(operand: Operand): Complaint | null {
  const { scopes } = measureInfo(operand.measure)!;
  const unversioned = checkVersion(operand);
  if (unversioned !== null) return unversioned;
  const asked = scopeAsked(operand);
  if (asked === null || scopes.includes(asked)) return null;
  const of = asked === "function" ? `function(${operand.function})` : asked;
  const problem = `${operand.measure} is no measure of ${asked === "load" ? "all loads" : of}`;
  return { problem, hint: `it is a measure of: ${scopes.join(", ")}` };
}

/** Refusals come before a version is chosen; a function's metrics are of all its versions. */
function checkVersion({ names, measure, function: of }: Operand): Complaint | null {
  const version = names.find((name) => versionOfName(name) !== null);
  if (version === undefined) return null;
  if (!isByVersion(measure)) {
    const problem = `${measure} is not known by version`;
    return { problem, hint: "what was refused or dropped was so before any version had it" };
  }
  if (of === null || measureInfo(measure)!.joined) return null;
  const problem = `${measure} of function(${of}) is of all its versions`;
  return { problem, hint: `ask what was answered: ${version}.${measure}` };
}

function scopeAsked(operand: Operand): MeasureScope | null {
  if (operand.function !== null) return "function";
  if (operand.argument !== null) return "recovery";
  if (operand.names.length === 0) return "load"; // all loads together
  return operand.names[0] === "account" ? "account" : null; // other names: the scenario knows
}

function checkSide(left: Operand, expr: Expression): Complaint | null {
  const { unit } = measureInfo(left.measure)!;
  if (expr.kind === "max") return checkSide(left, expr.left) ?? checkSide(left, expr.right);
  if (expr.kind === "quota") {
    if (left.measure === "concurrency.max") return null;
    return { problem: `${left.measure} has no quota`, hint: "only concurrency.max has" };
  }
  if (expr.kind === "scaled") {
    const bad = checkScope(expr.operand);
    const other = measureInfo(expr.operand.measure)!.unit;
    if (bad !== null || other === unit) return bad;
    const problem = `${left.measure} cannot be compared with ${expr.operand.measure}`;
    return { problem, hint: `${left.measure} is ${SPELLING[unit]}` };
  }
  const fits = expr.unit === unit || (expr.unit === "number" && unit === "count");
  if (fits && (unit !== "count" || Number.isInteger(expr.value))) return null;
  const problem = `\`${expr.text}\` does not fit ${left.measure}`;
  return { problem, hint: `${left.measure} needs ${SPELLING[unit]}` };
}

/** `a.p99 <= 1.2 * a.p99` with one window on both sides always holds: surely not what was meant. */
function checkSelf(left: Operand, expr: Expression): Complaint | null {
  if (expr.kind === "max") return checkSelf(left, expr.left) ?? checkSelf(left, expr.right);
  if (expr.kind !== "scaled" || JSON.stringify(left) !== JSON.stringify(expr.operand)) return null;
  return {
    problem: "an operand is compared with itself",
    hint: "write the window behind each operand: x.p99 during zero <= 1.2 * x.p99 during before",
  };
}
