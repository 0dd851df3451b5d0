// Percentile curves: from the median to the slowest answer, cold and warm side by side.
import type { ChartData, CurveData } from "../chart-data.ts";
import type { Chart, Column, SeriesOptions } from "./browser.ts";
import {
  answered,
  axis,
  colour,
  draw,
  type Line,
  logAxis,
  logRange,
  milliseconds,
} from "./drawing.ts";

/** 1 ÷ (1 − p) where the axis is named. */
const TAILS: { readonly [tail: string]: string } = {
  2: "p50",
  10: "p90",
  100: "p99",
  1000: "p99.9",
  10000: "p99.99",
  100000: "p99.999",
  1000000: "p99.9999",
  10000000: "p99.99999",
};

export function drawCurves(data: ChartData): void {
  const names = [...new Set(data.curves.map(({ name }) => name))];
  for (const [i, name] of names.entries())
    drawCurveChart(
      `curve-${i}`,
      data.curves
        .filter((curve) => curve.name === name)
        .map((curve) => ({ curve, label: curve.start, shade: `s-${curve.start}` })),
    );
}

/** One curve of a chart: its name in the legend, and its colour in the style sheet. */
export interface NamedCurve {
  readonly curve: CurveData;
  readonly label: string;
  readonly shade: string;
}

export function drawCurveChart(id: string, named: readonly NamedCurve[]): void {
  const curves = named.map(({ curve }) => curve);
  const all = curves.flatMap(({ tail }) => tail).filter((tail) => tail >= 2);
  const tails = [...new Set(all)].sort((a, b) => a - b);
  if (tails.length < 2) return;
  const placed = (curve: CurveData, of: Column): Column => {
    const byTail = new Map(curve.tail.map((tail, i) => [tail, of[i] ?? null]));
    return tails.map((tail) => byTail.get(tail) ?? null);
  };
  const columns = curves.map((curve) => ({
    ms: placed(curve, curve.ms),
    low: placed(curve, curve.low),
    high: placed(curve, curve.high),
  }));
  const quiet: SeriesOptions = { width: 0, spanGaps: true, points: { show: false } };
  const range = logRange(columns.flatMap(({ ms, high }) => [ms, high]));
  const last = tails.at(-1)!;
  draw({
    ...{ id, height: 260 },
    data: [tails, ...columns.flatMap(({ ms, low, high }) => [ms, low, high].map(answered))],
    series: named.flatMap(({ shade }): SeriesOptions[] => [
      { stroke: colour(shade), width: 2, spanGaps: true, points: { show: false } },
      quiet,
      quiet,
    ]),
    bands: named.map(({ shade }, i) => ({
      series: [3 * i + 3, 3 * i + 2],
      fill: colour(`${shade}-area`),
    })),
    scales: {
      x: { time: false, distr: 3, range: () => [2, last] },
      y: { distr: 3, range: () => range },
    },
    axes: [
      axis({
        splits: () =>
          Object.keys(TAILS)
            .map(Number)
            .filter((tail) => tail <= last),
        filter: (_: Chart, splits: readonly number[]) => splits,
        values: (_: Chart, splits: readonly number[]) => splits.map((tail) => TAILS[tail] ?? ""),
        size: 26,
        gap: 4,
      }),
      logAxis(id),
    ],
    lines: named.map(({ label, shade }, i): Line => {
      const { ms, low, high } = columns[i]!;
      return {
        ...{ label, colour: colour(shade), shape: "line" as const },
        at: (index) => withInterval(ms[index], low[index], high[index]),
      };
    }),
    title: (index) => `p${Number((100 - 100 / tails[index]!).toFixed(5))}`,
  });
}

function withInterval(
  ms: number | null | undefined,
  low: number | null | undefined,
  high: number | null | undefined,
): string | null {
  const found = milliseconds(ms);
  if (found === null) return null;
  return `${found} [${milliseconds(low) ?? "0"} – ${milliseconds(high) ?? "no upper end"}]`;
}
