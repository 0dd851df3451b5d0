// Where the time of an answer went, on average: in the function, in its init, or on the way.
import { formatMs, formatPercent } from "../core/format.ts";
import { outcomeCode } from "../core/outcome.ts";
import { COLD } from "./platform-index.ts";
import type { Tables } from "./tables.ts";

/** Means in µs over `n` answers; the three parts add up to the whole. */
export interface TimeSplit {
  readonly n: number;
  readonly responseUs: number;
  readonly functionUs: number;
  readonly initUs: number;
  /** Network, front, and whatever else lies between the load and the function. */
  readonly wayUs: number;
}

const OK = outcomeCode("ok");

/** Over first attempts that were ok and have a REPORT line: means add up, percentiles do not. */
export function timeSplitOf({ arrivals, platform }: Tables): TimeSplit | null {
  let [n, response, running, init] = [0, 0, 0, 0];
  for (const table of arrivals)
    for (let i = 0; i < table.length; i++) {
      const report = table.report[i]!;
      if (report < 0 || table.outcome[i] !== OK || table.last[i] !== 1) continue;
      n++;
      response += table.responseUs[i]!;
      running += Math.round(platform.duration[report]! * 1_000);
      // A provisioned environment's init was over before the call came.
      if (platform.start[report] === COLD && !Number.isNaN(platform.init[report]!))
        init += Math.round(platform.init[report]! * 1_000);
    }
  if (n === 0 || response === 0) return null;
  const [responseUs, functionUs, initUs] = [response / n, running / n, init / n];
  return { n, responseUs, functionUs, initUs, wayUs: responseUs - functionUs - initUs };
}

/** `46 ms on average = function 31 (67 %) + cold init 4 (9 %) + network and front 11 (24 %)`. */
export function splitText({ responseUs, functionUs, initUs, wayUs }: TimeSplit): string {
  const part = (name: string, us: number): string =>
    `${name} ${formatMs(Math.max(0, us))} (${formatPercent(Math.max(0, us) / responseUs, 0)})`;
  const parts = [
    part("function", functionUs),
    part("cold init", initUs),
    part("network and front", wayUs),
  ];
  return `${formatMs(responseUs)} ms on average = ${parts.join(" + ")}`;
}
