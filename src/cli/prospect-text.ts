// Criteria before a run, as a table for people and as data.
import { formatNumber, formatPercent } from "../core/format.ts";
import type { Prospect } from "../report/prospects.ts";
import { columns } from "../report/text-layout.ts";

const SIGNS: { readonly [decidable in Prospect["decidable"]]: string } = {
  yes: "✓",
  unlikely: "?",
  no: "✗",
  open: "·",
};

/** One row a criterion: how many samples it will get, how many it needs, its odds. */
export function prospectLines(prospects: readonly Prospect[]): string[] {
  if (prospects.length === 0) return ["no criteria: nothing will be decided"];
  const head = [" ", "criterion", "samples", "needs", "odds", ""];
  return columns([head, ...prospects.map(row)], "llrrrl").map((line) => line.trimEnd());
}

function row(one: Prospect): string[] {
  const most = one.atMost ? "≤ " : "";
  return [
    SIGNS[one.decidable],
    one.text,
    one.samples === null ? "–" : `${most}${formatNumber(one.samples)}`,
    one.needed === null ? "" : formatNumber(one.needed),
    one.odds === null ? "" : formatPercent(one.odds, 0),
    one.primary ? "primary" : "",
  ];
}

/** `needed`: samples for 80 % odds; `odds`: of a pass at half the allowance. null = not known. */
export function prospectJson(one: Prospect) {
  return {
    text: one.text,
    primary: one.primary,
    kind: one.kind,
    samples: one.samples,
    samples_at_most: one.atMost,
    needed: one.needed,
    odds: one.odds,
    decidable: one.decidable,
    problem: one.problem,
  };
}
