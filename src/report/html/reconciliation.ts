// Double entry with the sinks: what was acknowledged against what is there; absent without sinks.
import { formatNumber, formatPercent } from "../../core/format.ts";
import { secondsText } from "../criterion-view.ts";
import { DIFFERENCES, type DifferenceKind } from "../ledger-book.ts";
import type { Difference, SinkResult } from "../reconcile-result.ts";
import { differencesFile, paragraphs } from "../reconcile-text.ts";
import type { Report } from "../result.ts";
import { html, type Markup, type Part } from "./markup.ts";
import { section, table } from "./parts.ts";

/** Differences on the page, of each sink; a file beside the facts holds all. */
const NAMED_MAX = 40;
const CELLS_MAX = 50;

const COLUMNS = [
  { title: "Sink" },
  ...[
    ...["Acknowledged", "Outcome unknown", "Given up", "Found once", "Wrong cell", "Lost"],
    ...["Duplicated", "Undecided", "Left over", "Never accepted"],
  ].map((title) => ({ title, number: true })),
];

export function reconciliationSection({ reconciliation }: Report): Part {
  if (reconciliation.length === 0) return null;
  return section(
    "reconciliation",
    "Counted exactly once?",
    table("Events acknowledged, and where they are", COLUMNS, reconciliation.map(row)),
    html`<p class="note">Acknowledged + unknown + given up = found once + in a wrong cell + lost +
duplicated + undecided. What is left over must be 0. An event that was refused until its sender
gave up is lost; one of unknown outcome that is not there is undecided.</p>`,
    reconciliation.map(detail),
  );
}

function row(sink: SinkResult): Part[] {
  const { acknowledged, unsure, givenUp, matched, misplaced, lost, duplicated, undecided } = sink;
  const n = formatNumber;
  if (!sink.read) return [sink.name, ...COLUMNS.slice(1).map(() => "–")];
  const sent = acknowledged + unsure + givenUp;
  const over = sent - matched - misplaced - lost - duplicated - undecided;
  const wrong = (count: number) => (count === 0 ? "0" : html`<b class="bad">${n(count)}</b>`);
  return [
    [sink.name, html`<small>${sink.kind} of ${sink.of.join(", ")}</small>`],
    ...[acknowledged, unsure, givenUp, matched].map((count) => n(count)),
    ...[misplaced, lost, duplicated].map(wrong),
    n(undecided),
    wrong(over),
    wrong(sink.unexpected),
  ];
}

function detail(sink: SinkResult): Markup {
  return html`<h3>${sink.name}</h3>
${paragraphs(sink).map((text) => html`<p>${text}</p>`)}
<div class="columns">${windowsTable(sink)}${cellsTable(sink)}</div>
${stretchesTable(sink)}
${namedTable(sink)}`;
}

const WORDS: { readonly [kind in DifferenceKind]: string } = {
  lost: "Lost",
  duplicated: "Duplicated",
  undecided: "Undecided",
  unexpected: "Never accepted",
  misplaced: "Wrong cell",
};

function windowsTable({ windows, name }: SinkResult): Part {
  if (windows.length === 0) return null;
  const kinds = DIFFERENCES.filter((kind) => windows.some(({ counts }) => (counts[kind] ?? 0) > 0));
  const columns = [
    { title: "Due in" },
    ...kinds.map((kind) => ({ title: WORDS[kind], number: true })),
  ];
  const rows = windows.map(({ window, counts }) => [
    window === "" ? "no phase" : window,
    ...kinds.map((kind) => formatNumber(counts[kind] ?? 0)),
  ]);
  return table(`Differences in ${name}, by when they were due`, columns, rows);
}

/** From which moment to which, and how much of what was due there. */
function stretchesTable({ stretches, name }: SinkResult): Part {
  if (stretches.length === 0) return null;
  const columns = [
    ...[{ title: "What" }, { title: "Load" }],
    ...["Due from", "To", "Index", "Differ", "Of due there"].map((title) => {
      return { title, number: true };
    }),
  ];
  const n = formatNumber;
  const rows = stretches.map(({ kind, load, firstIndex, lastIndex, ...one }) => [
    WORDS[kind],
    load,
    secondsText(one.fromUs),
    secondsText(one.toUs),
    firstIndex === lastIndex ? n(firstIndex) : `${n(firstIndex)} to ${n(lastIndex)}`,
    n(one.count),
    [formatPercent(one.count / one.of), html`<small>of ${n(one.of)}</small>`],
  ]);
  return table(`Where the differences in ${name} lie`, columns, rows);
}

function cellsTable({ cells, name }: SinkResult): Part {
  const { length } = cells.differing;
  if (length === 0) return null;
  const rows = cells.differing
    .slice(0, CELLS_MAX)
    .map(({ cell, expected, observed }) => [
      html`<code>${cell}</code>`,
      formatNumber(expected),
      formatNumber(observed),
      formatNumber(observed - expected),
    ]);
  const columns = [
    { title: "Cell" },
    ...["Expected", "Observed", "Difference"].map((title) => ({ title, number: true })),
  ];
  const many = `${formatNumber(length)} of ${formatNumber(cells.count)} cells of ${name} differ`;
  const rest = length > CELLS_MAX ? `; all in ${differencesFile(name)}` : "";
  return table(`${many}, the furthest first${rest}`, columns, rows);
}

function namedTable({ named, name }: SinkResult): Part {
  if (named.length === 0) return null;
  const columns = [
    ...[{ title: "Event" }, { title: "What" }, { title: "Cell" }, { title: "Load" }],
    { title: "Counted", number: true },
    { title: "Due", number: true },
  ];
  const rows = named
    .slice(0, NAMED_MAX)
    .map((one: Difference) => [
      html`<code>${one.id}</code>`,
      WORDS[one.kind],
      one.cell,
      `${one.load} ${formatNumber(one.index)}`,
      formatNumber(one.count),
      secondsText(one.dueUs),
    ]);
  const shown = named.length > NAMED_MAX ? `the first ${NAMED_MAX}` : "each";
  return html`<details><summary>Events that differ</summary>
${table(`Events of ${name} that differ, ${shown}; all in ${differencesFile(name)}`, columns, rows)}
</details>`;
}
