// Response times by load, arm and start; a share that never answered is said, not hidden.
import { formatMs, formatNumber, formatPercent } from "../core/format.ts";
import { armName, msText } from "./labels.ts";
import type { Start } from "./platform-index.ts";
import type { JoinCounts, LatencyRow, Report } from "./result.ts";
import { columns, wrapped } from "./text-layout.ts";
import { VERSION_COLUMNS, versionCells, versionName } from "./version-words.ts";
import { frontText, joinedOf, joinText } from "./words.ts";

export function latencyLines(
  rows: readonly LatencyRow[],
  starts: { readonly [start in Start]: number },
  joins: JoinCounts | null,
  collected: string,
): string[] {
  if (rows.length === 0) return ["  no response at all: nothing can be said about times", ""];
  const head = ["  ms", "", "p50", "p95", "p99", "max", "n", ""];
  let last = "";
  const cells = rows.map((row) => {
    const name = armName(row);
    const shown = name === last ? "" : name;
    last = name;
    return [
      `  ${shown}`,
      row.start,
      ...[row.p50, row.p95, row.p99, row.max].map(msText),
      formatNumber(row.n),
      row.initP50 === null ? "" : `(init p50 ${formatMs(row.initP50)})`,
    ];
  });
  const unjoined = joins === null ? [] : joinedLine(starts, joins, collected);
  return [...columns([head, ...cells], "llrrrrrl"), ...unjoined, ""];
}

/** What each version answered; nothing where there is only one. */
export function versionLines(report: Report): string[] {
  const { versions } = report;
  if (versions.length === 0) return [];
  const cells = versions.map((row, i) => {
    const name = i > 0 && armName(versions[i - 1]!) === armName(row) ? "" : armName(row);
    return [`  ${name}`, versionName(row, report), ...versionCells(row)];
  });
  const head = ["  by version", "", ...VERSION_COLUMNS.slice(1), "errors"];
  return [...columns([head, ...cells], "llrrrrrrrl"), ""];
}

function joinedLine(
  starts: { readonly [start in Start]: number },
  joins: JoinCounts,
  collected: string,
): string[] {
  const joined = joinedOf(joins);
  const all = joined + joins.unjoined;
  if (all === 0) return [];
  const share = joined === 0 ? "" : ` · ${formatPercent(starts.cold / joined)} cold`;
  const missing = `${formatNumber(joins.unjoined)} starts unjoined`;
  const by = joined === 0 ? "" : `, the others joined by ${joinText(joins)}`;
  const more = [frontText(joins), collected].map((text) => (text === "" ? "" : ` · ${text}`));
  const head = `${missing} (${formatPercent(joins.unjoined / all)})${by}${share}`;
  return wrapped(`${head}${more.join("")}`, 2, "");
}
