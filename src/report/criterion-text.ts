// Small words about values: how a measured number, a limit or a margin is written for a person.
import type { Comparison, Unit } from "../core/criterion.ts";
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";

/** `288 ms`, `0.22 %`, `1,234`, `1.03`; seconds from ten on. */
export function showValue(value: number, unit: Unit): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return unit === "us" ? "never" : "∞";
  if (unit === "us") {
    if (Math.abs(value) >= 10_000_000) return `${formatNumber(value / 1e6, 1)} s`;
    return `${trimmed(formatMs(value))} ms`;
  }
  if (unit === "ratio") return formatPercent(value, digitsFor(value));
  if (unit === "usd") return showUsd(value);
  return formatNumber(value, Number.isInteger(value) ? 0 : 2);
}

/**
 * As `showValue`, with the digits that tell it from a limit that it is not: of 300.4 ms against
 * 300 ms nobody could see that it fails.
 */
export function showBeside(value: number, limit: number | null, unit: Unit): string {
  const shown = showValue(value, unit);
  if (limit === null || value === limit || !Number.isFinite(value)) return shown;
  if (shown !== showValue(limit, unit)) return shown;
  const [scale, before, after] = partsOf(value, unit);
  for (let digits = 1; digits <= DIGITS_MAX; digits++) {
    const text = formatNumber(value * scale, digits);
    if (text !== formatNumber(limit * scale, digits)) return `${before}${text}${after}`;
  }
  return shown;
}

const DIGITS_MAX = 9;

function partsOf(value: number, unit: Unit): readonly [number, string, string] {
  if (unit === "us") return Math.abs(value) >= 10_000_000 ? [1e-6, "", " s"] : [1e-3, "", " ms"];
  if (unit === "ratio") return [100, "", " %"];
  return unit === "usd" ? [1, "$", ""] : [1, "", ""];
}

/** `$1,234.50`, `$0.84`; small amounts keep two digits that say something: `$0.0012`. */
export function showUsd(usd: number): string {
  if (usd === 0 || Math.abs(usd) >= 0.1) return `$${formatNumber(usd, 2)}`;
  const digits = Math.min(12, 1 - Math.floor(Math.log10(Math.abs(usd))));
  return `$${formatNumber(usd, digits)}`;
}

/** `300.0` → `300`, `1.80` → `1.8`. */
export function trimmed(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A limit as it would be written: `1 %`, `300 ms`, `99.9 %`. */
export function showLimit(value: number, unit: Unit): string {
  if (unit === "us" && value >= 10_000_000) return `${trimmed(formatNumber(value / 1e6, 1))} s`;
  if (unit === "ratio") return `${trimmed(formatNumber(value * 100, 3))} %`;
  return unit === "number" ? trimmed(showValue(value, unit)) : showValue(value, unit);
}

/** Words for a comparison, before the limit: `at most 1 % allowed`. */
export function showWish(op: Comparison, limit: string): string {
  if (op === "<=") return `at most ${limit} allowed`;
  if (op === "<") return `less than ${limit} wanted`;
  if (op === ">=") return `at least ${limit} wanted`;
  return op === ">" ? `more than ${limit} wanted` : `exactly ${limit} wanted`;
}

/** Difference of two values with its sign: `−0.10 pt` for shares. */
export function showMargin(margin: number, unit: Unit): string {
  if (!Number.isFinite(margin)) return margin < 0 ? "−∞" : "∞";
  if (unit === "ratio") return `${formatNumber(margin * 100, 2)} pt`;
  return showValue(margin, unit);
}

/** Shares near 0 or 1 keep the digits that tell them from it. */
function digitsFor(share: number): number {
  const edge = Math.min(Math.abs(share), Math.abs(1 - share));
  return edge > 0 && edge < 0.0001 ? 4 : 2;
}

/** Stable id of a criterion: its text in letters, digits and dashes. */
export function idOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll("<=", " at-most ")
    .replaceAll(">=", " at-least ")
    .replaceAll("==", " equals ")
    .replaceAll("<", " below ")
    .replaceAll(">", " above ")
    .replaceAll("%", "pct")
    .replace(/[^a-z0-9.]+/g, "-")
    .replace(/^-|-$/g, "");
}
