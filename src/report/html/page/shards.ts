// A stream over time: records by shard as a heat map, and the age of what its reader sees.
import type { ChartData, Points } from "../chart-data.ts";
import type { Chart, SeriesOptions } from "./browser.ts";
import { axis, colour, draw, extent, figure, isNarrow, type Line, page } from "./drawing.ts";
import { edges, shade } from "./marks.ts";
import { held, overTime, timeAxis, timeScale, times, titleOf, valueAxis } from "./time-axis.ts";

const ROW_PX = 22;
const SILENT: SeriesOptions = { width: 0, points: { show: false } };

/** A line of the map: a shard, or before the shards of each of several loads the load's name. */
interface Row {
  readonly label: string;
  readonly stored: Points | null;
}

function rowsOf({ shards }: ChartData): Row[] {
  const several = new Set(shards.map(({ load }) => load)).size > 1;
  return shards.flatMap(({ load, shard, stored }, i): Row[] => [
    ...(several && shards[i - 1]?.load !== load ? [{ label: load, stored: null }] : []),
    { label: String(shard), stored },
  ]);
}

export function drawShards(data: ChartData): void {
  const { shards } = data;
  if (shards.length === 0) return;
  const rows = rowsOf(data);
  // The first row on top.
  const middle = (row: number): number => rows.length - row - 0.5;
  draw({
    ...{ id: "shards", height: 60 + ROW_PX * rows.length, sync: "run" },
    data: [times(data), ...shards.map(({ stored }) => held(stored))],
    series: shards.map(() => SILENT),
    scales: { x: timeScale(data), y: { range: () => [0, rows.length] } },
    axes: [
      timeAxis(),
      axis({
        ...{ size: isNarrow("shards") ? 42 : 56, gap: 4, grid: { show: false } },
        splits: () => rows.map((_, row) => middle(row)),
        values: () => rows.map(({ label, stored }) => (stored === null ? "" : label)),
      }),
    ],
    lines: shards.map(({ load, shard, stored }): Line => {
      const at = (index: number) => figure(stored[Math.min(index, data.buckets - 1)] ?? 0);
      return { label: `${load} ${shard}`, colour: colour("c-ok"), shape: "area", at };
    }),
    legend: false,
    title: titleOf(data),
    below: (chart) => {
      for (const [row, { label, stored }] of rows.entries())
        if (stored === null) loadName(chart, label, middle(row));
      heat(chart, data, rows, middle);
    },
    above: (chart) => edges(chart, data),
  });
}

function loadName(chart: Chart, name: string, y: number): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.font = `${11 * page.devicePixelRatio}px system-ui, sans-serif`;
  ctx.fillStyle = colour("muted");
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(name, bbox.left, chart.valToPos(y, "y", true));
  ctx.restore();
}

export function drawAge(data: ChartData): void {
  const { age } = data;
  if (age.length === 0) return;
  const stepped = page.uPlot.paths.stepped({ align: 1 });
  const columns = age.map(({ at, values }) => overTime(data, at, values, 60));
  const shades = ["c-flight", "c-cold", "c-unknown", "c-errored"];
  const shadeOf = (i: number): string => colour(shades[i % shades.length]!);
  draw({
    ...{ id: "age", height: 130, sync: "run" },
    data: [times(data), ...columns.map(held)],
    series: age.map((_, i): SeriesOptions => {
      return { stroke: shadeOf(i), width: 1.5, paths: stepped, points: { show: false } };
    }),
    scales: {
      x: timeScale(data),
      y: { range: () => [0, 1.1 * (extent(columns)?.[1] || 1)] },
    },
    axes: [timeAxis(), valueAxis("age")],
    lines: age.map(({ name }, i): Line => {
      const at = (index: number) => {
        const value = columns[i]![Math.min(index, data.buckets - 1)];
        return value === null || value === undefined ? null : `${figure(value)} s`;
      };
      return { label: name, colour: shadeOf(i), shape: "line", at };
    }),
    title: titleOf(data),
    below: (chart) => shade(chart, data, null),
    above: (chart) => edges(chart, data),
  });
}

/** The stronger, the more of the most that any shard took in. */
function heat(
  chart: Chart,
  { bucketS }: ChartData,
  rows: readonly Row[],
  middle: (row: number) => number,
): void {
  const { ctx, bbox } = chart;
  const most = extent(rows.map(({ stored }) => stored ?? []))?.[1] || 1;
  const x = (bucket: number) => chart.valToPos(bucket * bucketS, "x", true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colour("c-p99");
  const height = (ROW_PX - 4) * page.devicePixelRatio;
  for (const [row, { stored }] of rows.entries()) {
    const top = chart.valToPos(middle(row) + 0.5, "y", true) + page.devicePixelRatio;
    for (const [bucket, count] of (stored ?? []).entries()) {
      if (count === null || count === 0) continue;
      ctx.globalAlpha = 0.1 + 0.9 * (count / most);
      ctx.fillRect(x(bucket), top, Math.max(1, x(bucket + 1) - x(bucket)), height);
    }
  }
  ctx.restore();
}
