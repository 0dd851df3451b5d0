// Text → Criterion. Grammar: operand op expression, with an optional window and `primary` at the
// end.
import type { Comparison, Criterion, Expression, Operand, WindowRef } from "./criterion.ts";
import { checkUnits } from "./criterion-units.ts";
import { type Word, wordsOf } from "./criterion-words.ts";
import { type ErrorPlace, GatecrashError } from "./error.ts";
import { KNOWN_MEASURES, measureInfo } from "./measures.ts";
import { didYouMean } from "./nearest.ts";
import { parseAmount, parseDurationUs, parseRatio } from "./units.ts";

interface Cursor {
  readonly text: string;
  readonly words: readonly Word[];
  readonly place: ErrorPlace | undefined;
  next: number;
}

/**
 * Reads one criterion (docs/criteria.md has the grammar). A window at the very end belongs to the
 * left operand if that has none; operands on the right without one take the left's.
 * Throws GatecrashError("scenario") at `place` for anything unknown or ill-fitting.
 */
export function parseCriterion(text: string, place?: ErrorPlace): Criterion {
  try {
    const trimmed = text.trim();
    const cursor: Cursor = { text: trimmed, words: wordsOf(trimmed), place, next: 0 };
    return readCriterion(cursor);
  } catch (error) {
    if (!(error instanceof GatecrashError) || place === undefined) throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    throw new GatecrashError(error.code, error.message, { ...hint, place });
  }
}

function readCriterion(cursor: Cursor): Criterion {
  let operand = readOperand(cursor, true);
  const op = readComparison(cursor);
  const rough = readExpression(cursor, operand.window !== null);
  const window = readWindow(cursor);
  if (window !== null && operand.window !== null) throw fail(cursor, "two windows for one operand");
  operand = { ...operand, window: operand.window ?? window };
  const expr = withWindow(rough, operand.window);
  const end = cursor.words[cursor.next]!;
  const primary = end.text === "primary";
  if (primary) cursor.next++;
  const rest = cursor.words[cursor.next]!;
  if (rest.kind !== "end") throw fail(cursor, `\`${rest.text}\` is one word too many`);
  const text = (primary ? cursor.text.slice(0, end.at) : cursor.text).trim();
  const criterion = { text, operand, op, expr, primary };
  const complaint = checkUnits(criterion);
  if (complaint !== null) throw fail(cursor, complaint.problem, complaint.hint);
  return criterion;
}

function readComparison(cursor: Cursor): Comparison {
  const word = cursor.words[cursor.next]!;
  if (word.kind !== "op") {
    const found = word.kind === "end" ? "the end" : `\`${word.text}\``;
    throw fail(cursor, `expected <=, <, >=, > or ==, found ${found}`);
  }
  cursor.next++;
  return word.text as Comparison;
}

function readExpression(cursor: Cursor, windows: boolean): Expression {
  const word = cursor.words[cursor.next]!;
  if (word.kind === "amount") return readAmount(cursor, windows);
  if (word.text === "max" && cursor.words[cursor.next + 1]?.text === "(") {
    cursor.next++;
    take(cursor, "(");
    const left = readExpression(cursor, true);
    take(cursor, ",");
    const right = readExpression(cursor, true);
    take(cursor, ")");
    return { kind: "max", left, right };
  }
  if (word.kind === "path")
    return { kind: "scaled", factor: 1, operand: readOperand(cursor, windows) };
  const found = word.kind === "end" ? "nothing" : `\`${word.text}\``;
  throw fail(cursor, `expected a limit, found ${found}`, "a limit is 300ms, 1%, 5 or 1.2 * x.p99");
}

function readAmount(cursor: Cursor, windows: boolean): Expression {
  const { text } = cursor.words[cursor.next++]!;
  const follows = cursor.words[cursor.next]!;
  if (follows.text === "*") {
    cursor.next++;
    const factor = parseAmount(text);
    if (factor.unit !== "number") throw fail(cursor, `a factor has no unit: \`${text}\``);
    return { kind: "scaled", factor: factor.value, operand: readOperand(cursor, windows) };
  }
  if (follows.text === "of") {
    cursor.next++;
    take(cursor, "quota");
    return { kind: "quota", share: parseRatio(text), text: `${text} of quota` };
  }
  return { kind: "number", ...parseAmount(text), text };
}

function readOperand(cursor: Cursor, windows: boolean): Operand {
  const word = cursor.words[cursor.next]!;
  if (word.kind !== "path") {
    const found = word.kind === "end" ? "nothing" : `\`${word.text}\``;
    throw fail(cursor, `expected a measure such as checkout.p99, found ${found}`);
  }
  cursor.next++;
  const called = cursor.words[cursor.next]!.text === "(";
  const argument = called ? readArgument(cursor, word.text) : null;
  const isFunction = called && word.text === "function";
  const path = isFunction ? cursor.words[cursor.next++]!.text.replace(/^\./, "") : word.text;
  const { names, measure } = splitPath(cursor, path);
  if (!called && measure === "recovery")
    throw fail(cursor, "recovery of what?", "write recovery(<window of the fault>)");
  return {
    names,
    function: isFunction ? argument : null,
    measure,
    argument: isFunction ? null : argument,
    window: windows ? readWindow(cursor) : null,
  };
}

function readArgument(cursor: Cursor, of: string): string {
  if (of !== "function" && of !== "recovery")
    throw fail(
      cursor,
      `\`${of}\` takes no parentheses`,
      "only function(Output) and recovery(window) do",
    );
  take(cursor, "(");
  const word = cursor.words[cursor.next]!;
  if (word.kind !== "path" || word.text.includes("."))
    throw fail(cursor, `expected a name in ${of}(…), found \`${word.text}\``);
  cursor.next++;
  take(cursor, ")");
  if (of === "function" && !cursor.words[cursor.next]!.text.startsWith("."))
    throw fail(cursor, `what of function(${word.text})?`, "write function(X).throttles");
  return word.text;
}

/** The longest tail that is a measure; what stands before it are names. */
function splitPath(cursor: Cursor, path: string): { names: string[]; measure: string } {
  const parts = path.split(".");
  for (let i = 0; i < parts.length; i++) {
    const measure = parts.slice(i).join(".");
    if (measureInfo(measure) !== undefined) return { names: parts.slice(0, i), measure };
  }
  if (/(^|\.)p\d+\.\d+$/.test(path))
    throw fail(cursor, `unknown measure in \`${path}\``, "write p999 for the 99.9th percentile");
  if (/(^|\.)p100$/.test(path)) throw fail(cursor, "p100 is not a percentile", "write max");
  throw fail(cursor, `unknown measure in \`${path}\``, suggestion(parts));
}

function suggestion(parts: readonly string[]): string | undefined {
  const tails = parts.map((_, i) => parts.slice(i).join(".")).slice(-3);
  for (const tail of tails.slice(0, -1)) {
    const hint = didYouMean(tail, KNOWN_MEASURES);
    if (hint?.startsWith("did")) return hint;
  }
  const hint = didYouMean(tails.at(-1)!, KNOWN_MEASURES);
  return hint?.startsWith("did") ? hint : "docs/criteria.md lists every measure";
}

function readWindow(cursor: Cursor): WindowRef | null {
  const { text } = cursor.words[cursor.next]!;
  if (text !== "during" && text !== "within") return null;
  cursor.next++;
  if (text === "during") return { kind: "during", name: windowName(cursor) };
  const us = parseDurationUs(cursor.words[cursor.next++]!.text);
  take(cursor, "after");
  return { kind: "within", us, after: windowName(cursor) };
}

function windowName(cursor: Cursor): string {
  const word = cursor.words[cursor.next]!;
  if (word.kind !== "path" || word.text.includes("."))
    throw fail(cursor, "expected the name of a phase or fault after `during` or `after`");
  cursor.next++;
  return word.text;
}

function withWindow(expr: Expression, window: WindowRef | null): Expression {
  if (expr.kind === "max")
    return {
      kind: "max",
      left: withWindow(expr.left, window),
      right: withWindow(expr.right, window),
    };
  if (expr.kind !== "scaled") return expr;
  return { ...expr, operand: { ...expr.operand, window: expr.operand.window ?? window } };
}

function take(cursor: Cursor, text: string): void {
  const word = cursor.words[cursor.next]!;
  if (word.text !== text) {
    const found = word.kind === "end" ? "the end" : `\`${word.text}\``;
    throw fail(cursor, `expected \`${text}\`, found ${found}`);
  }
  cursor.next++;
}

function fail(cursor: Cursor, problem: string, hint?: string): GatecrashError {
  const more = hint === undefined ? {} : { hint };
  return new GatecrashError("scenario", `criterion \`${cursor.text}\`: ${problem}`, more);
}
