// Two runs over each other: what was answered, how fast, and the percentile curves of each load.
import type { ChartData, GroupData, Points } from "../chart-data.ts";
import type { CompareData } from "../compare-data.ts";
import type { Column, SeriesOptions } from "./browser.ts";
import { drawCurveChart, type NamedCurve } from "./curves.ts";
import {
  answered,
  colour,
  type Drawing,
  draw,
  extent,
  figure,
  type Line,
  logAxis,
  logRange,
  milliseconds,
  moment,
} from "./drawing.ts";
import { edges, shade } from "./marks.ts";
import { type Frame, timeAxis, timeScale, valueAxis } from "./time-axis.ts";

const SIDES = ["A", "B"] as const;

/** One line of an overlay; dashed is the second of two that a run has in the chart. */
interface Trace {
  readonly label: string;
  readonly shade: string;
  readonly dashed: boolean;
  readonly column: Column;
  readonly text: (value: number) => string | null;
}

export function drawOverlay(data: CompareData, which: number): void {
  const name = data.groups[which] ?? data.groups[0];
  const groups = [data.a, data.b].map((run) => run.groups.find((one) => one.name === name));
  const [a, b] = groups;
  if (a === undefined || b === undefined) return;
  const at = momentsOf(data);
  const spread = (run: ChartData, points: Points): Column => {
    const bySecond = new Map(points.map((value, i) => [i * run.bucketS, value]));
    return at.map((second) => bySecond.get(second) ?? null);
  };
  const traces = (of: (group: GroupData) => Points, look: Look): Trace[] =>
    [a, b].map((group, side) => ({
      label: `${SIDES[side]!} ${look.label}`,
      shade: side === 0 ? "run-a" : "run-b",
      ...{ dashed: look.dashed, text: look.text },
      column: spread(side === 0 ? data.a : data.b, of(group)),
    }));
  const count = { text: figure };
  const rate = [
    ...traces(okOf, { label: "ok", dashed: false, ...count }),
    ...traces(badOf, { label: "not ok", dashed: true, ...count }),
  ];
  const time = { text: milliseconds };
  const latency = [
    ...traces((group) => group.p99, { label: "p99", dashed: false, ...time }),
    ...traces((group) => group.p50, { label: "p50", dashed: true, ...time }),
  ];
  const most = extent(rate.map(({ column }) => column))?.[1] || 1;
  const range = logRange(latency.map(({ column }) => column));
  drawTraces(data, at, rate, {
    ...{ id: "rate", height: 210 },
    scale: { range: () => [0, 1.08 * most] },
    axis: valueAxis("rate"),
  });
  drawTraces(data, at, latency, {
    ...{ id: "latency", height: 240 },
    scale: { distr: 3, range: () => range },
    axis: logAxis("latency"),
  });
}

interface Look {
  readonly label: string;
  readonly dashed: boolean;
  readonly text: Trace["text"];
}

/** Beginnings of the buckets of both: the same, unless one run is so long that its are wider. */
function momentsOf({ a, b }: CompareData): number[] {
  const all = [a, b].flatMap(({ buckets, bucketS }) =>
    Array.from({ length: buckets }, (_, i) => i * bucketS),
  );
  return [...new Set(all)].sort((x, y) => x - y);
}

const sum = (group: GroupData, names: readonly ("ok" | "degraded" | "throttled" | "errored")[]) =>
  group.p50.map((_, i) => names.reduce((total, name) => total + (group[name]?.[i] ?? 0), 0));

const okOf = (group: GroupData): Points => sum(group, ["ok", "degraded"]);

function badOf(group: GroupData): Points {
  const refused = sum(group, ["throttled", "errored"]);
  return refused.map((value, i) => value + (group.unknown?.[i] ?? 0) + (group.dropped?.[i] ?? 0));
}

interface Panel {
  readonly id: string;
  readonly height: number;
  readonly scale: Drawing["scales"][string];
  readonly axis: object;
}

/** Faults of B are shaded, or those of A where B has none. */
function drawTraces(data: CompareData, at: number[], traces: Trace[], panel: Panel): void {
  const longer = [data.a, data.b].reduce((x, y) => (lengthOf(x) >= lengthOf(y) ? x : y));
  const marked = data.b.faults.length > 0 ? data.b : data.a;
  draw({
    ...{ id: panel.id, height: panel.height, sync: "runs" },
    data: [at, ...traces.map(({ column }) => answered(column))],
    series: traces.map((trace): SeriesOptions => {
      const dash = trace.dashed ? { dash: [4, 3] } : {};
      const look = { stroke: colour(trace.shade), width: trace.dashed ? 1.25 : 1.75, ...dash };
      return { ...look, spanGaps: data.a.bucketS !== data.b.bucketS, points: { show: false } };
    }),
    scales: { x: timeScale(longer), y: panel.scale },
    axes: [timeAxis(), panel.axis],
    lines: traces.map(({ label, shade: name, dashed, column, text }): Line => {
      const shape = dashed ? "dash" : "line";
      const said = (index: number): string | null => {
        const value = column[index];
        return value === null || value === undefined ? null : text(value);
      };
      return { label, colour: colour(name), shape, at: said };
    }),
    title: (index) => moment(at[index] ?? 0),
    below: (chart) => shade(chart, marked, null),
    above: (chart) => edges(chart, marked),
  });
}

const lengthOf = ({ buckets, bucketS }: Frame): number => buckets * bucketS;

/** A chart for each load and start that both runs have, in the order of the page. */
export function drawOverlayCurves(data: CompareData): void {
  for (const [i, { name, start }] of data.curves.entries()) {
    const named = [data.a, data.b].flatMap(({ curves }, side): NamedCurve[] => {
      const curve = curves.find((one) => one.name === name && one.start === start);
      if (curve === undefined) return [];
      return [{ curve, label: SIDES[side]!, shade: side === 0 ? "run-a" : "run-b" }];
    });
    drawCurveChart(`curve-${i}`, named);
  }
}
