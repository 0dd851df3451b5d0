// A comparison of two runs for a terminal, as Markdown, and as data.
import { formatNumber } from "../core/format.ts";
import type { ComparedRow, Comparison } from "./compare.ts";
import { showValue } from "./criterion-text.ts";
import { columns, wrapped } from "./text-layout.ts";

const HEAD = ["load", "start", "measure", "A", "B", "B ÷ A (95 %)", "", "n of A, B"];
const ALIGN = "lllrrlll";

export function compareText(comparison: Comparison): string {
  const rows = comparison.rows.map(cellsOf);
  const lines = [
    ...["A", "B"].flatMap((side) => wrapped(runText(comparison, side), 4, side)),
    comparison.window === null ? "over the whole run" : `during ${comparison.window}`,
    "",
    ...(rows.length === 0 ? [] : columns([HEAD, ...rows], ALIGN)),
    "",
    ...comparison.doubts.flatMap((doubt) => wrapped(doubt, 9, "warning")),
    ...wrapped(lastSentence(comparison), 0, ""),
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** For a pull request: no directory, account or host in it. */
export function compareMarkdown(comparison: Comparison): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const lines = [
    ...["A", "B"].map(
      (side) => `**${side}** ${runText(comparison, side).replaceAll("|", "\\|")}  `,
    ),
    "",
    row(HEAD),
    row([...ALIGN].map((side) => (side === "r" ? "---:" : "---"))),
    ...comparison.rows.map((one) => row(cellsOf(one))),
    "",
    ...comparison.doubts.map((doubt) => `⚠️ ${doubt}  `),
    lastSentence(comparison),
  ];
  return `${lines.join("\n")}\n`;
}

function runText({ a, b }: Comparison, side: string): string {
  const plan = side === "A" ? a : b;
  const { variant, environment } = plan.scenario;
  const arrivals = plan.loads.reduce((sum, { planned }) => sum + planned, 0);
  const which = variant === null ? environment : `${variant} · ${environment}`;
  return `${plan.run}: ${plan.title} · ${which} · ${formatNumber(arrivals)} arrivals planned`;
}

function cellsOf(row: ComparedRow): string[] {
  const { unit, ratio } = row;
  const shown = [row.a, row.b].map((value) => showValue(value, unit));
  const factor = (value: number): string => formatNumber(value, 2);
  const interval =
    ratio === null ? "" : `${factor(ratio.estimate)} (${factor(ratio.low)}–${factor(ratio.high)})`;
  const word = row.standsOut && row.word !== "no clear difference" ? `${row.word} *` : row.word;
  const counts = `${formatNumber(row.nA)}, ${formatNumber(row.nB)}`;
  return [row.load, row.start, row.measure, ...shown, interval, word, counts];
}

function lastSentence({ rows }: Comparison): string {
  const told = rows.filter(({ word }) => word !== "too few").length;
  return (
    `Of ${told} rows at 95 % about one in twenty differs by chance alone; those with * still do ` +
    "when all are asked at once. Two runs of one system differ more than their seconds do: " +
    "repeat before you believe a small difference."
  );
}

/** Times in ms, rates 0–1, ratios as factors; null = too few, or without end. */
export function compareJson({ a, b, window, rows, doubts }: Comparison): string {
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const runs = [a, b].map(({ run, title, scenario, seed, version }) => {
    return { run, title, scenario, seed, version };
  });
  const document = {
    gatecrash_compare: 1,
    a: runs[0],
    b: runs[1],
    during: window,
    rows: rows.map((row) => {
      const scale = row.unit === "us" ? 1_000 : 1;
      return {
        load: row.load,
        start: row.start,
        measure: row.measure,
        unit: row.unit === "us" ? "ms" : "ratio",
        a: finite(row.a / scale),
        b: finite(row.b / scale),
        n_a: row.nA,
        n_b: row.nB,
        ratio: row.ratio === null ? null : ends(row.ratio, 1),
        difference: row.difference === null ? null : ends(row.difference, scale),
        word: row.word,
        beyond_chance: row.standsOut && row.word !== "no clear difference",
      };
    }),
    doubts,
  };
  return `${JSON.stringify(document, null, 2)}\n`;

  function ends(of: NonNullable<ComparedRow["ratio"]>, scale: number) {
    const { estimate, low, high } = of;
    return {
      estimate: finite(estimate / scale),
      low: finite(low / scale),
      high: finite(high / scale),
    };
  }
}
