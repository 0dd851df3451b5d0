// The reconciliation of each sink in a few lines: the equation, then every difference by its id.
import { formatNumber } from "../core/format.ts";
import { DIFFERENCES } from "./ledger-book.ts";
import type { CellRow, SinkResult } from "./reconcile-result.ts";
import { wrapped } from "./text-layout.ts";

/** Where every difference of a sink is listed, within the run directory. */
export const differencesFile = (sink: string): string => `effects/${sink}/differences.ndjson`;

const IDS_MAX = 5;
const CELLS_MAX = 3;
const INDENT = 13;
const n = formatNumber;

export function ledgerLines(sinks: readonly SinkResult[]): string[] {
  return sinks.flatMap((sink) =>
    paragraphs(sink).flatMap((text, i) => wrapped(text, INDENT, i === 0 ? "  ledger" : "")),
  );
}

/** Sentences; also for outputs that lay out text themselves. */
export function paragraphs(sink: SinkResult): string[] {
  const head = `${sink.name}: ${stateText(sink)}`;
  if (!sink.read) return [head];
  if (sink.arrivals === 0) return [`${head}; the run has no ledger to compare it with`];
  return [
    `${head}; ${equation(sink)}`,
    ...(sink.counted ? extraText(sink) : differenceTexts(sink)),
    ...cellText(sink),
    ...foreignText(sink),
  ];
}

function stateText({ state, detail, settledUs, late }: SinkResult): string {
  const seconds = `${n(Math.round((settledUs ?? 0) / 1e6))} s`;
  const came = late === 0 ? "" : `, ${n(late)} came late`;
  switch (state) {
    case "quiet":
      return `quiet after ${seconds}${came}`;
    case "at-most":
      return `STILL CHANGING after ${seconds}${came}`;
    case "unread":
      return `NOT READ: ${detail}`;
    case "stopped":
      return `looked at once, the run was stopped`;
    case "looking":
      return "the run ended while it was read";
    case "never":
      return "not looked at";
  }
}

function equation(sink: SinkResult): string {
  const { acknowledged, unsure, givenUp, matched, lost, duplicated, undecided, misplaced } = sink;
  const left = [`${n(acknowledged)} acknowledged`];
  if (unsure > 0) left.push(`${n(unsure)} with unknown outcome`);
  if (givenUp > 0) left.push(`${n(givenUp)} refused until given up`);
  const once = sink.counted ? "counted once" : "found once";
  const right = [`${n(matched)} ${once}`, `${n(lost)} lost`, `${n(duplicated)} duplicated`];
  if (undecided > 0 || unsure > 0) right.push(`${n(undecided)} undecided`);
  if (misplaced > 0) right.push(`${n(misplaced)} in a wrong cell`);
  return `${left.join(" + ")} = ${right.join(" + ")}`;
}

function foreignText({ foreign: { rows, examples }, counted }: SinkResult): string[] {
  if (rows === 0) return [];
  return [`${n(rows)} rows of other ${counted ? "cells" : "ids"}, not judged: ${examples[0]} …`];
}

/** How far the sums are off in all: the share that a reader would compare with a bound. */
function extraText({ extra, lost, acknowledged, unsure, givenUp }: SinkResult): string[] {
  const total = Math.max(1, acknowledged + unsure + givenUp);
  const percent = (count: number): string => `${((100 * count) / total).toFixed(2)} %`;
  const parts = [
    ...(extra > 0 ? [`${n(extra)} counted too often (+${percent(extra)})`] : []),
    ...(lost > 0 ? [`${n(lost)} missing (−${percent(lost)})`] : []),
  ];
  return parts.length === 0 ? [] : [parts.join(", ")];
}

const WORDS = {
  lost: "lost",
  duplicated: "duplicated",
  undecided: "undecided",
  unexpected: "there though never accepted",
  misplaced: "in a wrong cell",
} as const;

function differenceTexts(sink: SinkResult): string[] {
  return DIFFERENCES.flatMap((kind) => {
    const count = sink[kind];
    if (count === 0) return [];
    const places = sink.windows.flatMap(({ window, counts }) => {
      const here = counts[kind] ?? 0;
      return here === 0 ? [] : [`${n(here)} due in ${window === "" ? "no phase" : window}`];
    });
    const ids = sink.named.filter((one) => one.kind === kind).map(({ id }) => id);
    const more = count > IDS_MAX ? ` … (all in ${differencesFile(sink.name)})` : "";
    const extra = kind === "duplicated" && sink.extra > count ? `, ${n(sink.extra)} too many` : "";
    const named = ids.slice(0, IDS_MAX).join(" ");
    return [`${n(count)} ${WORDS[kind]}${extra} (${places.join(", ")}): ${named}${more}`];
  });
}

function cellText({ cells, name }: SinkResult): string[] {
  if (cells.count === 0) return [];
  const { length } = cells.differing;
  const of = `${n(length)} of ${n(cells.count)} cells differ`;
  if (length === 0) return [of];
  const row = ({ cell, expected, observed }: CellRow): string =>
    `${cell} ${n(observed)} of ${n(expected)}`;
  const shown = cells.differing.slice(0, CELLS_MAX).map(row).join(", ");
  const more = length > CELLS_MAX ? ` … (all in ${differencesFile(name)})` : "";
  return [`${of}: ${shown}${more}`];
}
