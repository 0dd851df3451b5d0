// The table of criteria: failures first, then undecided, then what holds.
import { formatNumber } from "../core/format.ts";
import { bySeverity, marginText } from "./criterion-view.ts";
import { CRITERION_VERDICTS } from "./labels.ts";
import type { CriterionResult } from "./result.ts";
import { columns, paint, VERDICT_COLOURS, WIDTH, widthOf, wrapped } from "./text-layout.ts";
import { foundText, limitText } from "./words.ts";

export function criterionLines(criteria: readonly CriterionResult[], colour: boolean): string[] {
  if (criteria.length === 0) return [];
  const sorted = bySeverity(criteria);
  const someSecondary = criteria.some((one) => !one.primary);
  const rows = sorted.map((one) => rowOf(one, someSecondary && one.primary, colour));
  const head = ["  criterion", "n", "found", "limit", "margin", ""];
  const lines = columns([head, ...rows], "lrllrl");
  if (lines.every((line) => widthOf(line.trimEnd()) <= WIDTH)) return [...lines, ""];
  return [...stacked(sorted, rows, colour), ""];
}

const signOf = ({ verdict }: CriterionResult, colour: boolean): string =>
  paint(
    CRITERION_VERDICTS[verdict].mark,
    verdict === "invalid" ? "dim" : VERDICT_COLOURS[verdict],
    colour,
  );

function rowOf(one: CriterionResult, markPrimary: boolean, colour: boolean): string[] {
  const decided = one.verdict !== "inconclusive";
  return [
    `${signOf(one, colour)} ${one.text}`,
    formatNumber(one.n),
    foundText(one),
    limitText(one),
    one.verdict === "invalid" ? "not judged" : decided ? marginText(one) : "undecided",
    [markPrimary ? "primary" : "", decided ? "" : one.reason].filter((x) => x !== "").join("  "),
  ];
}

function marginCell(margin: string): string {
  if (margin === "undecided") return "";
  return margin === "" || margin === "not judged" ? margin : `margin ${margin}`;
}

/** Long criteria take a line of their own, what was found stands below. */
function stacked(
  criteria: readonly CriterionResult[],
  rows: readonly (readonly string[])[],
  colour: boolean,
): string[] {
  const cells = rows.map(([, n = "", found = "", limit = "", margin = ""]) => [
    `    ${found === "" ? "nothing found" : found}`,
    `n ${n}`,
    limit === "" ? "" : `limit ${limit}`,
    marginCell(margin),
  ]);
  const details = columns(cells, "llll");
  const someSecondary = criteria.some((one) => !one.primary);
  return criteria.flatMap((one, i) => {
    const primary = someSecondary && one.primary ? "   primary" : "";
    const why = one.verdict === "inconclusive" ? wrapped(`undecided: ${one.reason}`, 4, "") : [];
    return [`${signOf(one, colour)} ${one.text}${primary}`, details[i]!, ...why];
  });
}
