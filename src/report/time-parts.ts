// Where the time of an answer went: init, handler, the API front, and the way there and back.
import { outcomeCode } from "../core/outcome.ts";
import type { ArrivalTable } from "./arrival-table.ts";
import { ExactValues } from "./exact-values.ts";
import { STARTS, type Start } from "./platform-index.ts";
import type { Tables } from "./tables.ts";

const OK = outcomeCode("ok");
const PARTS = ["init", "handler", "front", "way"] as const;
type PartName = (typeof PARTS)[number];

/** µs; null = no line says it. The medians of parts do not add up to the median of the whole. */
export interface TimePart {
  readonly p50Us: number;
  readonly p99Us: number;
}

export interface TimeParts {
  readonly load: string;
  readonly arm: string;
  readonly start: Start;
  /** Answers that were ok at the first attempt and are joined with their REPORT line. */
  readonly n: number;
  /** What the REPORT line says. */
  readonly init: TimePart | null;
  readonly handler: TimePart | null;
  /** The access line's response latency without these two. */
  readonly front: TimePart | null;
  /** The rest of the response time: network, our own lateness, and the front where unknown. */
  readonly way: TimePart | null;
}

/** By load, arm and start; rows without a joined answer are left out. */
export function timePartsOf(tables: Tables): TimeParts[] {
  const { plan } = tables;
  return tables.arrivals.flatMap((table) =>
    bagsOf(table, tables).flatMap(({ n, bags }, code): TimeParts[] => {
      if (n === 0) return [];
      const load = plan.loads[table.load]!.name;
      const parts = Object.fromEntries(PARTS.map((name) => [name, partOf(bags[name])]));
      const names = { load, arm: plan.arms[table.arm] ?? "", start: STARTS[code]! };
      return [{ ...names, n, ...(parts as Pick<TimeParts, PartName>) }];
    }),
  );
}

function partOf(bag: ExactValues): TimePart | null {
  return bag.n === 0 ? null : { p50Us: bag.quantile(0.5), p99Us: bag.quantile(0.99) };
}

function bagsOf(table: ArrivalTable, { platform }: Tables) {
  const byStart = STARTS.map(() => ({
    n: 0,
    bags: Object.fromEntries(PARTS.map((name) => [name, new ExactValues()])) as {
      readonly [part in PartName]: ExactValues;
    },
  }));
  for (let i = 0; i < table.length; i++) {
    const report = table.report[i]!;
    if (report < 0 || table.outcome[i] !== OK || table.last[i] !== 1) continue;
    const sum = byStart[platform.start[report]!]!;
    const initMs = platform.init[report]!;
    const insideMs = platform.duration[report]! + (Number.isNaN(initMs) ? 0 : initMs);
    const frontMs = platform.frontMs[report]!;
    const seenMs = Number.isNaN(frontMs) ? insideMs : frontMs;
    if (Number.isNaN(insideMs)) continue;
    sum.n++;
    sum.bags.handler.add(platform.duration[report]! * 1_000);
    if (!Number.isNaN(initMs)) sum.bags.init.add(initMs * 1_000);
    if (!Number.isNaN(frontMs)) sum.bags.front.add((frontMs - insideMs) * 1_000);
    sum.bags.way.add(table.responseUs[i]! - seenMs * 1_000);
  }
  return byStart;
}
