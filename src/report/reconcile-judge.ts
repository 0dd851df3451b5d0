// Criteria about sinks: counted, compared as they are; what may still change is not decided.
import type { Comparison, Criterion, Operand } from "../core/criterion.ts";
import type { Window } from "../core/window.ts";
import { evaluate } from "./bootstrap.ts";
import { compareCensus, HOLDS, undecided } from "./judge-census.ts";
import type { JudgeFacts } from "./judge-facts.ts";
import type { Reconciled } from "./reconcile.ts";
import { cellsOf, isIn } from "./reconcile-cells.ts";
import type { Cells, SinkResult } from "./reconcile-result.ts";
import type { CriterionResult } from "./result.ts";

interface SinkValue {
  readonly value: number;
  /** Events, or cells, that were looked at. */
  readonly n: number;
  /** Where the value could still go, if the sink was not quiet. */
  readonly low: number;
  readonly high: number;
}

/** `window` is the left operand's, already placed in `blank`. */
export function judgeSink(
  facts: JudgeFacts,
  { operand, op, expr }: Criterion,
  blank: CriterionResult,
): CriterionResult {
  const one = sinkOf(facts, operand);
  if (one === undefined) return undecided(blank, "no facts: what sinks hold was not read");
  const problem = problemOf(one);
  if (problem !== "") return undecided(blank, problem);
  if (one.result.counted && blank.window !== null)
    return undecided(blank, "sums of cells do not tell when their events were due");
  const found = sinkValue(one, operand.measure, blank.window);
  if (found.n === 0) return undecided(blank, "the ledger has no events here");
  const limit = evaluate(
    expr,
    (other) => {
      const right = sinkOf(facts, other);
      const window = other.window === null ? null : facts.windows.resolve(other.window);
      return right?.result.read ? sinkValue(right, other.measure, window).value : Number.NaN;
    },
    null,
  );
  if (Number.isNaN(limit)) return undecided(blank, "its limit is not known: no data");
  const compared = compareCensus({ ...blank, n: found.n }, op, found.value, limit, "");
  if (one.result.state === "quiet" || isFirm(op, found, limit)) return compared;
  return { ...compared, verdict: "inconclusive", reason: `${compared.reason}: ${unsettled(one)}` };
}

function sinkOf({ reconciled }: JudgeFacts, { names }: Operand): Reconciled | undefined {
  return reconciled.find(({ result }) => result.name === names[0]);
}

/** Why nothing can be said at all. */
function problemOf({ result: { state, read, detail, name, arrivals } }: Reconciled): string {
  if (state === "never") return `${name} was not looked at after the load`;
  if (state === "unread") return `${name} could not be read: ${detail}`;
  if (!read) return `${name} was not read to its end`;
  return arrivals === 0 ? "the run has no ledger of its loads" : "";
}

function unsettled({ result: { state } }: Reconciled): string {
  if (state === "at-most") return "but it was still changing when `settle.at-most` was over";
  return "but the run ended before the sink was quiet";
}

/** True when no value in reach would change the verdict. */
function isFirm(op: Comparison, { low, high }: SinkValue, limit: number): boolean {
  if (op === "==") return low === high || limit < low || limit > high;
  return HOLDS[op](low, limit) === HOLDS[op](high, limit);
}

function sinkValue(
  { book, result }: Reconciled,
  measure: string,
  window: Window | null,
): SinkValue {
  if (result.counted) return summedValue(result, measure);
  if (measure === "mismatch.rate") return mismatch(cellsOf(book, window));
  let value = 0;
  let n = 0;
  for (let event = 0; event < book.events; event++) {
    if (!isIn(book.dueUs[event]!, window)) continue;
    n++;
    if (book.kind(event) === measure) value++;
  }
  // What is absent may still come, and what came may come again; neither is ever taken back.
  return measure === "duplicated"
    ? { value, n, low: value, high: Number.POSITIVE_INFINITY }
    : { value, n, low: 0, high: value };
}

function mismatch({ count, differing }: Cells): SinkValue {
  return { value: count === 0 ? 0 : differing.length / count, n: count, low: 0, high: 1 };
}

function summedValue(result: SinkResult, measure: string): SinkValue {
  const { cells, events, lost, duplicated, undecided: open } = result;
  if (measure === "mismatch.rate") return mismatch(cells);
  if (measure === "duplicated")
    return { value: duplicated, n: events, low: duplicated, high: Number.POSITIVE_INFINITY };
  const value = measure === "lost" ? lost : open;
  return { value, n: events, low: 0, high: value };
}
