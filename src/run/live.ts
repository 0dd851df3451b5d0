// Criteria on live counters, while the run goes on: stop conditions and the steady state.
import { type Criterion, type Expression, type Operand, operandsIn } from "../core/criterion.ts";
import { GatecrashError } from "../core/error.ts";
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";
import { quantileOf } from "../core/measures.ts";
import { type LiveCell, type LiveSample, sumSince } from "./live-counters.ts";
import { quantileIn } from "./log-linear.ts";

/** Loads in the order of their codes; `routes[0]` is "" (no route), as in plan.json. */
export type LiveNames = readonly { readonly name: string; readonly routes: readonly string[] }[];

/** Two or more samples, oldest first: what was counted between the first and the last is judged. */
export type LiveWindow = readonly LiveSample[];

export interface LiveResult {
  /** Null: nothing was counted on one of the two sides. */
  readonly holds: boolean | null;
  readonly value: number | null;
  readonly limit: number | null;
  /** `shopper.errors.rate <= 1%`, then what was found. */
  readonly text: string;
}

type Measure = (sum: LiveCell, window: readonly LiveCell[][]) => number | null;

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
/** Arrivals whose last attempt is over. */
const settled = (sum: LiveCell): number => sum.ok + sum.throttled + sum.errored + sum.unknown;

/**
 * Rates are over arrivals (throttles: attempts) that ended in the window; in-flight is the most at
 * any sample of it. The words mean what they mean in a report.
 */
const MEASURES: { readonly [measure: string]: Measure } = {
  "errors.rate": (sum) => share(sum.errored + sum.throttled + sum.unknown, settled(sum)),
  "throttles.rate": (sum) => share(sum.refused, sum.ended),
  "unknown.rate": (sum) => share(sum.unknown, settled(sum)),
  "degraded.rate": (sum) => share(sum.degraded, settled(sum)),
  amplification: (sum) => share(sum.attempts, sum.sent),
  throttles: (sum) => sum.refused,
  count: (sum) => sum.sent,
  dropped: (sum) => sum.dropped,
  "in-flight": (_, window) =>
    Math.max(...window.map((cells) => cells.reduce((n, cell) => n + cell.in_flight, 0))),
};

const PERCENTILE = /^(lag\.)?p\d+$/;

function measureOf(measure: string): Measure | undefined {
  if (Object.hasOwn(MEASURES, measure)) return MEASURES[measure];
  const q = PERCENTILE.test(measure) ? quantileOf(measure) : null;
  if (q === null) return undefined;
  const isLag = measure.startsWith("lag.");
  return (sum) => quantileIn(isLag ? sum.lag : sum.response, q);
}

/**
 * Throws GatecrashError("scenario") when a criterion cannot be followed while the run goes on: a
 * measure without a live counter (one that has a quota, too), a window, a name that is no load or
 * route.
 */
export function assertLive(criterion: Criterion, names: LiveNames): void {
  for (const operand of operandsIn(criterion)) {
    const complain = (why: string, hint: string): never => {
      const message = `\`${criterion.text}\` cannot be followed while the run goes on: ${why}`;
      throw new GatecrashError("scenario", message, { hint });
    };
    if (operand.function !== null || operand.argument !== null || !measureOf(operand.measure))
      complain(`${operand.measure} has no live counter`, HINT);
    if (operand.window !== null)
      complain("it has a window", "steady and stop-when have windows of their own: leave it out");
    if (cellsNamed(operand, names).length === 0)
      complain(`${operand.names.join(".")} is no load or route`, `loads are ${listOf(names)}`);
  }
}

const HINT = `these have: p50 … p999, lag.p50 … lag.p999, ${Object.keys(MEASURES).join(", ")}`;
const listOf = (names: LiveNames): string => names.map((load) => load.name).join(", ");

/** `[load, route]` of every cell that all names of the operand match; no name matches all. */
function cellsNamed(operand: Operand, names: LiveNames): [number, number][] {
  return names.flatMap((load, l) =>
    load.routes.flatMap((route, r): [number, number][] =>
      operand.names.every((name) => name === load.name || name === route) ? [[l, r]] : [],
    ),
  );
}

/** The criterion over one window, on point estimates. Call `assertLive` first. */
export function evaluateLive(
  criterion: Criterion,
  names: LiveNames,
  window: LiveWindow,
): LiveResult {
  const value = measured(criterion.operand, names, window);
  const limit = limitOf(criterion.expr, names, window);
  const holds = value === null || limit === null ? null : compare(value, criterion.op, limit);
  const found = value === null ? "nothing was counted" : `found ${shown(value, criterion.expr)}`;
  return { holds, value, limit, text: `${criterion.text}: ${found}` };
}

function measured(operand: Operand, names: LiveNames, window: LiveWindow): number | null {
  const measure = measureOf(operand.measure);
  if (measure === undefined || window.length === 0) return null;
  const picked = cellsNamed(operand, names);
  const cells = window.map((sample) => picked.map(([l, r]) => sample.loads[l]![r]!));
  return measure(sumSince(cells.at(-1)!, cells[0]!), cells);
}

function limitOf(expr: Expression, names: LiveNames, window: LiveWindow): number | null {
  switch (expr.kind) {
    case "number":
      return expr.value;
    case "scaled": {
      const value = measured(expr.operand, names, window);
      return value === null ? null : expr.factor * value;
    }
    case "max": {
      const [left, right] = [expr.left, expr.right].map((part) => limitOf(part, names, window));
      return left === null || right === null ? null : Math.max(left!, right!);
    }
    case "quota":
      return null;
  }
}

function compare(value: number, op: Criterion["op"], limit: number): boolean {
  if (op === "<=") return value <= limit;
  if (op === "<") return value < limit;
  if (op === ">=") return value >= limit;
  return op === ">" ? value > limit : value === limit;
}

/** In the unit of the limit: `12.5 ms`, `0.26 %`, `350`. */
function shown(value: number, expr: Expression): string {
  const unit = expr.kind === "number" ? expr.unit : "number";
  if (unit === "us") return `${formatMs(value)} ms`;
  if (unit === "ratio") return formatPercent(value);
  return formatNumber(value, Number.isInteger(value) ? 0 : 2);
}
