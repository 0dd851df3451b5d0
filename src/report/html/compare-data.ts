// What the page of a comparison draws: the charts' numbers of both runs, and what both have.
import type { Report } from "../result.ts";
import { type ChartData, chartData } from "./chart-data.ts";

export interface CompareData {
  readonly a: ChartData;
  readonly b: ChartData;
  /** Names of the loads that both have, their sum first where both have one. */
  readonly groups: readonly string[];
  /** One chart each. */
  readonly curves: readonly { readonly name: string; readonly start: string }[];
}

/** More charts than this make the page long and say no more. */
const CURVE_CHARTS_MAX = 8;

export function compareData(runs: readonly [Report, Report]): CompareData {
  const [a, b] = [chartData(runs[0]), chartData(runs[1])];
  const groups = a.groups.map(({ name }) => name);
  const curves = a.curves
    .map(({ name, start }) => ({ name, start }))
    .filter((one) => b.curves.some(({ name, start }) => name === one.name && start === one.start));
  return {
    ...{ a, b },
    groups: groups.filter((name) => b.groups.some((group) => group.name === name)),
    curves: curves.slice(0, CURVE_CHARTS_MAX),
  };
}
