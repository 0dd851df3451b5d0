// Text that cannot end its cell or start markup of its own, and a criterion as a row of a table.
import { formatNumber } from "../core/format.ts";
import type { VerdictName } from "../core/verdict.ts";
import { marginText } from "./criterion-view.ts";
import type { CriterionResult, LastGood } from "./result.ts";
import { foundText, limitText } from "./words.ts";

const MARKS: { readonly [verdict in VerdictName]: string } = {
  pass: "🟢",
  fail: "🔴",
  inconclusive: "🟡",
  invalid: "⚪",
};

/** With a column for an earlier run, where one was named. */
export function tableHead(lastGood: LastGood | undefined): string[] {
  const [title, line] = lastGood === undefined ? ["", ""] : ["last good | ", "--:|"];
  return [
    `| | criterion | this run | limit | ${title}margin | n |`,
    `|---|---|--:|--:|${line}--:|--:|`,
  ];
}

/** `primary` is said where some are not. */
export function criterionRow(
  one: CriterionResult,
  someSecondary: boolean,
  lastGood?: LastGood,
): string {
  const primary = someSecondary && one.primary ? " **primary**" : "";
  const margin = marginCell(one);
  const cells = [MARKS[one.verdict], code(one.text) + primary, foundText(one), limitText(one)];
  const before = lastGood === undefined ? [] : [lastGood.found[one.text] || "–"];
  return `| ${[...cells, ...before, margin, formatNumber(one.n)].join(" | ")} |`;
}

function marginCell(one: CriterionResult): string {
  if (one.verdict === "invalid") return "not judged";
  return one.verdict === "inconclusive" ? plain(one.reason) : marginText(one);
}

/** In a table even code may not hold a bare `|`. */
export function code(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll("|", "\\|").replace(/\s+/g, " ")}\``;
}

/** Free text: no markup, no link, no picture, and nobody is called by `@name`. */
export function plain(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_[\]|~#]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/@(?=\w)/g, "@\u2060");
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const align = head.map((_, i) => (i === 0 ? "---" : "--:"));
  return [line(head), line(align), ...rows.map(line)];
}
