// Whether a criterion by version can be decided: how many answers nobody can give to a version.
import { type Criterion, type Operand, operandsIn } from "../core/criterion.ts";
import { formatNumber, formatPercent } from "../core/format.ts";
import { quantileOf } from "../core/measures.ts";
import { outcomeCode } from "../core/outcome.ts";
import { nameOfVersion, versionOfName } from "../core/version-name.ts";
import type { Window } from "../core/window.ts";
import { BEFORE, OPEN, ranIn } from "./by-version.ts";
import { inside } from "./census-value.ts";
import { showLimit, showValue } from "./criterion-text.ts";
import { eachArrival } from "./each-row.ts";
import { windowOf } from "./judge-census.ts";
import type { JudgeFacts } from "./judge-facts.ts";
import type { CriterionResult } from "./result.ts";
import { Samples } from "./samples.ts";
import { type Selection, selectionOf } from "./selection.ts";
import { feed } from "./sources.ts";
import type { Tables } from "./tables.ts";

const OK = outcomeCode("ok");
const UNKNOWN = outcomeCode("unknown");
const DROPPED = outcomeCode("dropped");

/** Of what may have run in some version, so much has to be known by version. */
const KNOWN_MIN = 0.95;

/** Arrivals of an operand, whatever its version: known by version, and open, by how they ended. */
interface Known {
  readonly known: number;
  readonly open: number;
  readonly openFailed: number;
  readonly openUnknown: number;
}

function knownOf(tables: Tables, selection: Selection, window: Window | null): Known {
  let [known, open, openFailed, openUnknown] = [0, 0, 0, 0];
  eachArrival(tables, { ...selection, version: null, start: null }, (table, i) => {
    const outcome = table.outcome[i]!;
    if (outcome >= DROPPED || !inside(table.dueUs[i]!, window)) return;
    if (tables.plan.loads[table.load]!.invokes === false) return;
    const code = ranIn(table, i, tables.platform);
    if (code === BEFORE) return;
    if (code !== OPEN) known++;
    else {
      open++;
      if (outcome !== OK) openFailed++;
      if (outcome === UNKNOWN) openUnknown++;
    }
  });
  return { known, open, openFailed, openUnknown };
}

/** Why none of its operands by version can be told on these facts; "" = each can. */
export function versionProblem(facts: JudgeFacts, criterion: Criterion): string {
  for (const operand of operandsIn(criterion)) {
    const selection = byVersion(facts, operand);
    if (selection === null) continue;
    const window = windowOf(facts.windows, operand);
    const { known, open } = knownOf(facts.tables, selection, window);
    if (known + open === 0 || known / (known + open) >= KNOWN_MIN) continue;
    const share = formatPercent(known / (known + open));
    const of = `${formatNumber(known + open)} answers`;
    const least = formatPercent(KNOWN_MIN, 0);
    return `only ${share} of ${of} are known by version, at least ${least} are needed`;
  }
  return "";
}

/** Its selection where it names a version of what loads were answered; else null. */
function byVersion({ tables }: JudgeFacts, operand: Operand): Selection | null {
  if (!operand.names.some((name) => versionOfName(name) !== null)) return null;
  const selection = selectionOf(tables.plan, operand);
  return selection.version === null || selection.function !== null ? null : selection;
}

/**
 * A pass has to hold also if every failure that no version is known of was this version's: one that
 * hangs until the client gives up leaves no line behind.
 */
export function withDoubt(
  facts: JudgeFacts,
  { operand, op }: Criterion,
  result: CriterionResult,
): CriterionResult {
  if (result.verdict !== "pass" || !op.startsWith("<") || result.limit === null) return result;
  const selection = byVersion(facts, operand);
  if (selection === null) return result;
  const { openFailed, openUnknown } = knownOf(facts.tables, selection, result.window);
  const more = operand.measure === "errors.rate" ? openFailed : openUnknown;
  if (more === 0) return result;
  const worst = worstOf(facts, operand, selection, result, more);
  if (worst === null || !(worst > result.limit)) return result;
  const many = `${formatNumber(more)} ${more === 1 ? "failure has" : "failures have"} no version`;
  const name = nameOfVersion(selection.version!);
  const found = Number.isFinite(worst) ? showValue(worst, result.unit) : "no answer in time";
  const reason = `${many}: were all of them ${name}'s, it would be ${found}, beyond ${showLimit(
    result.limit,
    result.unit,
  )}`;
  return { ...result, verdict: "inconclusive", reason };
}

/** The estimate with so many more failures in it; null where failures have no part in it. */
function worstOf(
  { tables }: JudgeFacts,
  { measure }: Operand,
  selection: Selection,
  { estimate, n, window }: CriterionResult,
  more: number,
): number | null {
  if (measure === "errors.rate" || measure === "unknown.rate")
    return ((estimate ?? 0) * n + more) / (n + more);
  if (measure === "max") return Number.POSITIVE_INFINITY;
  const quantile = quantileOf(measure);
  if (quantile === null || !/^(service\.)?p/.test(measure)) return null;
  const samples = new Samples(window, () => false, { values: true });
  feed(tables, measure, selection, samples);
  const { values } = samples.evidence();
  for (let k = 0; k < more; k++) values!.addUnknown();
  return values!.quantile(quantile);
}
