// The table by version in words, the same in text, Markdown and HTML.
import { formatNumber, formatPercent } from "../core/format.ts";
import type { VersionRow } from "./by-version.ts";
import { msText } from "./labels.ts";
import type { Report } from "./result.ts";

export const VERSION_COLUMNS = ["version", "n", "share", "weight", "cold", "p50", "p95", "p99"];

/** `checkout v42`; the function only where several are told apart. */
export function versionName(row: VersionRow, { versions }: Pick<Report, "versions">): string {
  if (row.kind === "before") return "before any";
  if (row.kind === "open") return "not known";
  const functions = new Set(versions.map((one) => one.function).filter((name) => name !== ""));
  return functions.size > 1 ? `${row.function} ${row.version}` : row.version;
}

/** As VERSION_COLUMNS without its first, and the errors last. */
export function versionCells(row: VersionRow): string[] {
  return [
    formatNumber(row.n),
    formatPercent(row.share),
    row.weight === null ? "" : formatPercent(row.weight, 0),
    row.joined === 0 ? "" : formatPercent(row.cold / row.joined),
    ...[row.p50, row.p95, row.p99].map(timeText),
    errorsText(row),
  ];
}

function timeText(us: number): string {
  return Number.isNaN(us) ? "" : msText(us);
}

/** `1.49 % (3)`: of the row's own arrivals, whatever did not end ok. */
function errorsText({ n, ok }: VersionRow): string {
  return n === 0 ? "" : `${formatPercent((n - ok) / n)} (${formatNumber(n - ok)})`;
}

export const VERSION_NOTE =
  "By the version that had the last attempt of each arrival. “Before any” was refused or failed " +
  "before a version was asked; “not known” has no line in a function's log. Rows of a load add " +
  "up to what it sent; errors are whatever did not end ok.";
