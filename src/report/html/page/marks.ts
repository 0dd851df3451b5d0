// What is drawn below and above the lines: faults, phases, cold starts, answers that never came.
import type { ChartData, GroupData } from "../chart-data.ts";
import type { Canvas, Chart } from "./browser.ts";
import { colour, type Line, page } from "./drawing.ts";

/** Height of a line of names above the plot, px. */
export const LANE = 20;
const FULL = Math.PI * 2;
/** Cold starts that an undo caused are no part of its fault: another colour. */
const WAVE = "c-p95";

/** For the legend, where there is such a wave. */
export const waveLines = ({ faults }: ChartData): Line[] =>
  faults.some(({ wave }) => wave !== null)
    ? [{ label: "cold wave of an undo", colour: colour(WAVE), shape: "area" }]
    : [];

/** Shades each fault: strongly while it acted, lightly as it came and went; then its cold wave. */
export function shade(chart: Chart, data: ChartData, lanes: readonly number[] | null): void {
  const { ctx, bbox } = chart;
  const end = data.buckets * data.bucketS;
  for (const [i, { name, times, wave }] of data.faults.entries()) {
    const [asked = null, onset = null, restore = null, cleared = null] = times;
    if (asked === null) continue;
    const over = cleared ?? end;
    const last = Math.max(over, wave?.[1] ?? 0);
    inPlot(chart, () => {
      ctx.fillStyle = colour("fault");
      band(chart, asked, over, 0.1);
      if (onset !== null) band(chart, onset, restore ?? over, 0.16);
      if (wave === null) return;
      ctx.fillStyle = colour(WAVE);
      band(chart, ...wave, 0.22);
    });
    if (lanes === null) continue;
    const top = bbox.top - ((lanes[i]! + 1) * LANE + 3) * page.devicePixelRatio;
    const left = chart.valToPos(asked, "x", true);
    const right = Math.min(chart.valToPos(last, "x", true), bbox.left + bbox.width);
    if (right <= bbox.left) continue;
    ctx.fillStyle = colour("fault");
    const height = 2 * page.devicePixelRatio;
    ctx.fillRect(
      Math.max(bbox.left, left),
      top - height,
      right - Math.max(bbox.left, left),
      height,
    );
    const began = wave === null ? right : chart.valToPos(wave[0], "x", true);
    const words = [
      [name, left, Math.min(began, right)],
      [`cold wave of ${name}`, began, right],
    ] as const;
    for (const [text, from, to] of words)
      label(chart, text, Math.max(bbox.left, from), to, top + height, "fault-text");
  }
  if (lanes !== null) phaseNames(chart, data, Math.max(0, ...lanes.map((lane) => lane + 1)));
}

function band(chart: Chart, from: number, to: number, alpha: number): void {
  const { ctx, bbox } = chart;
  const left = chart.valToPos(from, "x", true);
  ctx.globalAlpha = alpha;
  ctx.fillRect(left, bbox.top, Math.max(1, chart.valToPos(to, "x", true) - left), bbox.height);
}

function phaseNames(chart: Chart, data: ChartData, lanes: number): void {
  const { bbox } = chart;
  const top = bbox.top - (lanes * LANE + 20) * page.devicePixelRatio;
  for (const [i, { name, at }] of data.phases.entries()) {
    const next = data.phases[i + 1]?.at ?? data.buckets * data.bucketS;
    const left = Math.max(bbox.left, chart.valToPos(at, "x", true));
    const right = Math.min(bbox.left + bbox.width, chart.valToPos(next, "x", true));
    label(chart, name, left, right, top, "muted");
  }
}

/** Text that fits between two edges; what does not fit is left to the table. */
function label(
  chart: Chart,
  text: string,
  left: number,
  right: number,
  top: number,
  shadeName: string,
): void {
  const { ctx } = chart;
  const ratio = page.devicePixelRatio;
  ctx.save();
  ctx.font = `${shadeName === "muted" ? "" : "600 "}${11 * ratio}px system-ui, sans-serif`;
  ctx.fillStyle = colour(shadeName);
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  if (ctx.measureText(text).width + 4 * ratio <= right - left)
    ctx.fillText(text, left + 3 * ratio, top);
  ctx.restore();
}

/** Where phases begin, and where faults began and ceased to act. */
export function edges(chart: Chart, data: ChartData): void {
  const { ctx, bbox } = chart;
  inPlot(chart, () => {
    ctx.fillStyle = colour("fault");
    for (const { times } of data.faults)
      for (const second of [times[1] ?? null, times[2] ?? null])
        if (second !== null)
          ctx.fillRect(
            Math.round(chart.valToPos(second, "x", true)),
            bbox.top,
            page.devicePixelRatio,
            bbox.height,
          );
    ctx.strokeStyle = colour("edge");
    ctx.lineWidth = page.devicePixelRatio;
    ctx.setLineDash([2 * page.devicePixelRatio, 3 * page.devicePixelRatio]);
    for (const { at } of data.phases.slice(1)) {
      const x = Math.round(chart.valToPos(at, "x", true)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
  });
}

/** A ring for each cold start; one that never answered lies at the upper edge. */
export function rings(chart: Chart, group: GroupData): void {
  const { ctx, bbox } = chart;
  const ratio = page.devicePixelRatio;
  inPlot(chart, () => {
    ctx.strokeStyle = colour("c-cold");
    ctx.lineWidth = 1.5 * ratio;
    for (const [i, second] of group.coldAt.entries()) {
      const value = group.cold[i]!;
      const y = value < 0 ? bbox.top + 6 * ratio : chart.valToPos(value, "y", true);
      ctx.beginPath();
      ctx.arc(chart.valToPos(second, "x", true), y, 3 * ratio, 0, FULL);
      ctx.stroke();
    }
  });
}

/** Seconds whose p99 never came: a triangle at the upper edge. */
export function neverMarks(chart: Chart, at: readonly number[], group: GroupData): void {
  const { ctx, bbox } = chart;
  const size = 4 * page.devicePixelRatio;
  inPlot(chart, () => {
    ctx.fillStyle = colour("c-unknown");
    for (const [i, value] of group.p99.entries()) {
      if (value === null || value >= 0) continue;
      triangle(ctx, chart.valToPos(at[i]!, "x", true), bbox.top + 1, size);
    }
  });
}

function triangle(ctx: Canvas, x: number, y: number, size: number): void {
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x + size, y + size * 1.6);
  ctx.lineTo(x - size, y + size * 1.6);
  ctx.closePath();
  ctx.fill();
}

/** Nothing that `paint` draws leaves the plotting area. */
function inPlot(chart: Chart, paint: () => void): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  paint();
  ctx.restore();
}
