// A stream over time: records by shard as a heat map, and the age of what its reader sees.
import type { ChartData } from "../chart-data.ts";
import type { Chart, SeriesOptions } from "./browser.ts";
import {
  axis,
  colour,
  draw,
  extent,
  figure,
  isNarrow,
  type Line,
  moment,
  page,
} from "./drawing.ts";
import { edges, shade } from "./marks.ts";
import { held, overTime, timeAxis, timeScale, times, valueAxis } from "./time-axis.ts";

const ROW_PX = 22;
const SILENT: SeriesOptions = { width: 0, points: { show: false } };

export function drawShards(data: ChartData): void {
  const { shards } = data;
  if (shards.length === 0) return;
  const most = Math.max(1, ...shards.flatMap(({ stored }) => stored.map((count) => count ?? 0)));
  // The first row on top.
  const middle = (row: number): number => shards.length - row - 0.5;
  draw({
    ...{ id: "shards", height: 60 + ROW_PX * shards.length, sync: "run" },
    data: [times(data), ...shards.map(({ stored }) => held(stored))],
    series: shards.map(() => SILENT),
    scales: { x: timeScale(data), y: { range: () => [0, shards.length] } },
    axes: [
      timeAxis(),
      axis({
        ...{ size: isNarrow("shards") ? 78 : 110, gap: 4, grid: { show: false } },
        splits: () => shards.map((_, row) => middle(row)),
        values: () => shards.map(({ name }) => name),
      }),
    ],
    lines: shards.map(({ name, stored }): Line => {
      const at = (index: number) => figure(stored[Math.min(index, data.buckets - 1)] ?? 0);
      return { label: name, colour: colour("c-ok"), shape: "area", at };
    }),
    legend: false,
    title: (index) => moment(Math.min(index, data.buckets - 1) * data.bucketS),
    below: (chart) => heat(chart, data, most, middle),
    above: (chart) => edges(chart, data),
  });
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
    title: (index) => moment(Math.min(index, data.buckets - 1) * data.bucketS),
    below: (chart) => shade(chart, data, null),
    above: (chart) => edges(chart, data),
  });
}

function heat(
  chart: Chart,
  { shards, bucketS }: ChartData,
  most: number,
  middle: (row: number) => number,
): void {
  const { ctx } = chart;
  const x = (bucket: number) => chart.valToPos(bucket * bucketS, "x", true);
  const { left, width } = chart.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, chart.bbox.top, width, chart.bbox.height);
  ctx.clip();
  ctx.fillStyle = colour("c-p99");
  for (const [row, { stored }] of shards.entries()) {
    const top = chart.valToPos(middle(row) + 0.5, "y", true) + page.devicePixelRatio;
    const height = (ROW_PX - 4) * page.devicePixelRatio;
    for (const [bucket, count] of stored.entries()) {
      if (count === null || count === 0) continue;
      ctx.globalAlpha = 0.1 + 0.9 * (count / most);
      ctx.fillRect(x(bucket), top, Math.max(1, x(bucket + 1) - x(bucket)), height);
    }
  }
  ctx.restore();
}
