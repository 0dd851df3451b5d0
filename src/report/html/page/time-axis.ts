// The time axis that charts of a run share: its buckets, its zoom, its labels.
import type { ChartData } from "../chart-data.ts";
import type { Chart, ChartOptions, Column } from "./browser.ts";
import { axis, isNarrow, moment } from "./drawing.ts";

const SECONDS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400,
];

/** Buckets of one width from 0 on. */
export type Frame = Pick<ChartData, "buckets" | "bucketS">;

/** Beginnings of the buckets, and the end of the last. */
export const times = (data: Frame): number[] =>
  Array.from({ length: data.buckets + 1 }, (_, i) => i * data.bucketS);

/** A step needs its end: the last value again. */
export const held = (column: Column): Column => [...column, column.at(-1) ?? null];

/** What the read-out calls a bucket. */
export const titleOf =
  ({ buckets, bucketS }: Frame) =>
  (index: number): string =>
    moment(Math.min(index, buckets - 1) * bucketS);

type TimeScale = ChartOptions["scales"][string];

/** The span chosen by dragging, or all; the same for charts whose points lie in mid-bucket. */
export function timeScale({ buckets, bucketS }: Frame): TimeScale {
  const end = buckets * bucketS;
  const range = (_: Chart, min: number | null, max: number | null): [number, number] => {
    if (min === null || max === null || max <= min) return [0, end];
    return min <= bucketS && max >= end - bucketS
      ? [0, end]
      : [Math.max(0, min), Math.min(end, max)];
  };
  return { time: false, range };
}

export const timeAxis = (): object =>
  axis({
    incrs: SECONDS,
    space: 64,
    values: (_: Chart, splits: readonly number[]) => splits.map(moment),
    size: 26,
    gap: 4,
  });

export const valueAxis = (id: string): object => axis({ size: isNarrow(id) ? 42 : 56, gap: 4 });

/** Each point held over the buckets of so many seconds from it on, or until the next. */
export function overTime(
  data: Frame,
  at: readonly number[],
  values: Column,
  heldS: number,
): Column {
  return Array.from({ length: data.buckets }, (_, bucket) => {
    const second = bucket * data.bucketS;
    const i = at.findLastIndex((start) => start <= second);
    return i < 0 || second >= at[i]! + heldS ? null : (values[i] ?? null);
  });
}
