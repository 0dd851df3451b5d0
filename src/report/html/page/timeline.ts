// The three charts of the timeline, with faults shaded and phases marked.
import type { ChartData, GroupData } from "../chart-data.ts";
import type { Column, SeriesOptions } from "./browser.ts";
import {
  answered,
  colour,
  draw,
  extent,
  figure,
  type Line,
  logAxis,
  logRange,
  milliseconds,
  page,
} from "./drawing.ts";
import { edges, LANE, neverMarks, rings, shade, waveLines } from "./marks.ts";
import { held, overTime, timeAxis, timeScale, times, titleOf, valueAxis } from "./time-axis.ts";

const STACK = ["ok", "degraded", "throttled", "errored", "unknown", "dropped"] as const;
/** More steps than this make a dashed line a cloud of dots. */
const DASHES_MAX = 240;

export function drawTimeline(data: ChartData, which: number): void {
  const group = data.groups[which] ?? data.groups[0];
  if (group === undefined) return;
  drawRate(data, group);
  drawLatency(data, group);
  drawFlight(data, group);
}

const countLine = (label: string, shade: string, shape: Line["shape"], column: Column): Line => ({
  label,
  colour: shade,
  shape,
  at: (index) => {
    const value = column[Math.min(index, column.length - 1)];
    return value === null || value === undefined || value === 0 ? null : figure(value);
  },
});

function drawRate(data: ChartData, group: GroupData): void {
  const present = STACK.filter((name) => group[name] !== null);
  const sums: Column[] = [];
  let below: Column = new Array<number>(data.buckets).fill(0);
  for (const name of present) {
    const under = below;
    below = group[name]!.map((value, i) => (value ?? 0) + (under[i] ?? 0));
    sums.push(below);
  }
  const stepped = page.uPlot.paths.stepped({ align: 1 });
  // From the top of the stack to its bottom: each covers the foot of the one before.
  const areas = present.map((name): SeriesOptions => {
    const shade = colour(`c-${name}`);
    return { fill: shade, width: 0, paths: stepped, points: { show: false } };
  });
  const over = (
    [
      ["planned", "dash"],
      ["attempts", "line"],
    ] as const
  ).filter(([name]) => group[name] !== null);
  const lines = over.map(([name, shape]): SeriesOptions => {
    const many = data.buckets > DASHES_MAX;
    const dash = shape === "dash" && !many ? { dash: [4, 3] } : {};
    const look = { stroke: colour(`c-${name}`), width: many ? 0.75 : 1.5, ...dash };
    return { ...look, paths: stepped, points: { show: false } };
  });
  const lanes = lanesOf(data);
  draw({
    ...{ id: "rate", height: 210 + lanes.count * LANE, sync: "run" },
    padding: [lanes.count * LANE + 24, 22, 0, 0],
    data: [
      times(data),
      ...sums.toReversed().map(held),
      ...over.map(([name]) => held(group[name]!)),
    ],
    series: [...areas.toReversed(), ...lines],
    scales: {
      x: timeScale(data),
      y: { range: () => [0, 1.08 * (extent([...sums, group.planned ?? []])?.[1] || 1)] },
    },
    axes: [timeAxis(), valueAxis("rate")],
    lines: [
      ...over.map(([name, shape]) => countLine(name, colour(`c-${name}`), shape, group[name]!)),
      ...present.map((name) => countLine(name, colour(`c-${name}`), "area", group[name]!)),
      ...waveLines(data),
    ],
    title: titleOf(data),
    below: (chart) => shade(chart, data, lanes.of),
    above: (chart) => edges(chart, data),
  });
}

function drawLatency(data: ChartData, group: GroupData): void {
  const names = ["p50", "p95", "p99"] as const;
  const series = names.map((name): SeriesOptions => {
    const width = name === "p50" ? 2 : 1.5;
    return { stroke: colour(`c-${name}`), width, points: { show: data.buckets === 1 } };
  });
  const middle = times(data)
    .slice(0, -1)
    .map((second) => second + data.bucketS / 2);
  const range = logRange([...names.map((name) => group[name]), group.cold]);
  const lines = names.map((name): Line => {
    const at = (index: number) => milliseconds(group[name][index]);
    return { label: name, colour: colour(`c-${name}`), shape: "line", at };
  });
  const never: Line = { label: "p99 never answered", colour: colour("c-unknown"), shape: "area" };
  const cold: Line = { label: "cold start", colour: colour("c-cold"), shape: "ring" };
  draw({
    ...{ id: "latency", height: 240, sync: "run" },
    data: [middle, ...names.map((name) => answered(group[name]))],
    series,
    scales: { x: timeScale(data), y: { distr: 3, range: () => range } },
    axes: [timeAxis(), logAxis("latency")],
    lines: [
      ...lines,
      ...(group.cold.length > 0 ? [cold] : []),
      ...waveLines(data),
      ...(group.p99.some((value) => value !== null && value < 0) ? [never] : []),
    ],
    title: titleOf(data),
    below: (chart) => shade(chart, data, null),
    above: (chart) => {
      edges(chart, data);
      rings(chart, group);
      neverMarks(chart, middle, group);
    },
  });
}

function drawFlight(data: ChartData, group: GroupData): void {
  const stepped = page.uPlot.paths.stepped({ align: 1 });
  const flight = group.inFlight;
  const platform = data.concurrency.map(({ at, values }) => overTime(data, at, values, 60));
  const limits = data.limits.map(({ at, values }) =>
    overTime(data, at, values, Number.POSITIVE_INFINITY),
  );
  const shades = [colour("c-flight"), colour("c-cold"), colour("c-unknown"), colour("c-errored")];
  const platformLine = (i: number) => shades[(i + 1) % shades.length]!;
  draw({
    ...{ id: "flight", height: 150, sync: "run" },
    data: [times(data), held(flight), ...platform.map(held), ...limits.map(held)],
    series: [
      {
        ...{
          stroke: colour("c-flight"),
          fill: colour("c-flight-area"),
          width: 1.5,
          paths: stepped,
        },
        points: { show: false },
      },
      ...platform.map((_, i): SeriesOptions => {
        const common = { stroke: platformLine(i), width: 1.5, dash: [6, 3], paths: stepped };
        return { ...common, points: { show: false } };
      }),
      ...limits.map((): SeriesOptions => {
        const common = { stroke: colour("fail"), width: 1.5, paths: stepped };
        return { ...common, points: { show: false } };
      }),
    ],
    scales: {
      x: timeScale(data),
      y: { range: () => [0, 1.1 * (extent([flight, ...platform, ...limits])?.[1] || 1)] },
    },
    axes: [timeAxis(), valueAxis("flight")],
    lines: [
      countLine("in flight", colour("c-flight"), "line", flight),
      ...data.concurrency.map(({ name }, i) =>
        countLine(`${name} (CloudWatch)`, platformLine(i), "dash", platform[i]!),
      ),
      ...data.limits.map(
        ({ name }, i): Line => ({
          ...{ label: name, colour: colour("fail"), shape: "line" },
          at: (index) => limitText(limits[i]![Math.min(index, data.buckets - 1)]),
        }),
      ),
    ],
    title: titleOf(data),
    below: (chart) => shade(chart, data, null),
    above: (chart) => edges(chart, data),
  });
}

/** A limit of 0 says more than any other. */
const limitText = (value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : figure(value);

/** Faults that overlap are named below one another. */
function lanesOf(data: ChartData): { readonly count: number; readonly of: readonly number[] } {
  const ends: number[] = [];
  const of = data.faults.map(({ times: [asked = null, , , cleared = null], wave }) => {
    const from = asked ?? 0;
    let lane = ends.findIndex((end) => end <= from);
    if (lane < 0) lane = ends.length;
    ends[lane] = Math.max(cleared ?? Number.POSITIVE_INFINITY, wave?.[1] ?? 0);
    return lane;
  });
  return { count: ends.length, of };
}
