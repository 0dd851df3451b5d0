// A small drawing of one criterion: estimate and interval against the limit. It is decoration: the
// figures stand beside it in words.
import { parseCriterion } from "../../core/parse-criterion.ts";
import type { CriterionResult } from "../result.ts";
import { html, type Markup, type Part } from "./markup.ts";

const WIDTH = 132;
const HEIGHT = 20;

/** null when there is nothing to draw, or nothing of it is judged. */
export function bullet(one: CriterionResult): Markup | null {
  const { estimate, limit } = one;
  if (one.verdict === "invalid") return null;
  if (estimate === null || limit === null || Number.isNaN(estimate)) return null;
  const { op } = parseCriterion(one.text);
  const atLeast = op.startsWith(">");
  const low = finite(one.low) ?? finite(estimate) ?? limit;
  const high = finite(one.high) ?? finite(estimate);
  const [from, to] = domain(one, [limit, low, high ?? limit, finite(estimate) ?? limit], atLeast);
  const x = (value: number): number => {
    const share = to === from ? 0 : (value - from) / (to - from);
    return Math.round(Math.min(1, Math.max(0, share)) * (WIDTH - 4) * 10) / 10 + 2;
  };
  const endless = one.kind !== "census" && high === null;
  const bar = interval(one, x(low), endless ? WIDTH : x(high ?? estimate));
  const mark = x(limit);
  return html`<svg class="bullet" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}"
 height="${HEIGHT}" aria-hidden="true" focusable="false">
<rect class="track" x="0" y="7" width="${WIDTH}" height="6" rx="3"/>${zone(op, mark)}${bar}
<line class="limit" x1="${mark}" x2="${mark}" y1="2" y2="18"/>${dot(one, x(estimate))}</svg>`;
}

const finite = (value: number | null): number | null =>
  value !== null && Number.isFinite(value) ? value : null;

/** The limit stands at about two thirds, unless what was found lies further out. */
function domain(
  one: CriterionResult,
  values: readonly number[],
  atLeast: boolean,
): readonly [number, number] {
  const limit = one.limit ?? 0;
  const most = Math.max(...values);
  const least = Math.min(...values);
  if (atLeast && one.unit === "ratio")
    return [Math.max(0, Math.min(least - 0.05 * (1 - least), limit - 2 * (1 - limit))), 1];
  const end = Math.max(most * 1.04, limit * 1.5);
  return [Math.min(0, least), end === 0 ? 1 : end];
}

/** Where the value must not be. */
function zone(op: string, limitX: number): Part {
  if (op === "==") return null;
  const [x, width] = op.startsWith(">") ? [0, limitX] : [limitX, WIDTH - limitX];
  return html`<rect class="zone" x="${x}" y="7" width="${width}" height="6"/>`;
}

function interval(one: CriterionResult, fromX: number, toX: number): Part {
  if (one.kind === "census" || one.low === null) return null;
  return html`<rect class="interval ${one.verdict}" x="${fromX}" y="8.5"
 width="${Math.max(1.5, toX - fromX)}" height="3" rx="1.5"/>`;
}

function dot(one: CriterionResult, x: number): Part {
  return html`<circle class="dot ${one.verdict}" cx="${Math.max(4, Math.min(WIDTH - 4, x))}" cy="10"
 r="3.6"/>`;
}
