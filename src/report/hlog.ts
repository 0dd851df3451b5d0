// Response times as an HdrHistogram log, for the tools of that family; nothing is judged from it.
import { build, HistogramLogWriter } from "hdr-histogram-js";
import { outcomeCode } from "../core/outcome.ts";
import { US_PER_S } from "../core/time.ts";
import { type ArrivalTable, UNSEEN } from "./arrival-table.ts";
import { type Facts, readFacts } from "./facts-reader.ts";
import { STARTS } from "./platform-index.ts";
import { readTables, type Tables } from "./tables.ts";

const OK = outcomeCode("ok");
const UNKNOWN = outcomeCode("unknown");
/** Figures that are kept; HdrHistogram's usual choice. */
const FIGURES = 3;

/** The log of a run directory. Throws what reading it throws. */
export async function hlogOf(runDir: string): Promise<string> {
  const facts: Facts = await readFacts(runDir);
  return hlogOfTables(await readTables(facts, false));
}

/** An interval per second of due time, load, arm and start; values in µs, `Interval_Max` in ms. */
function hlogOfTables(tables: Tables): string {
  const { plan } = tables;
  let text = "";
  const writer = new HistogramLogWriter((line) => {
    text += line;
  });
  writer.outputLogFormatVersion();
  const began = new Date(plan.epoch_ms).toISOString();
  const startedS = (plan.epoch_ms / 1_000).toFixed(3);
  writer.outputComment(`[StartTime: ${startedS} (seconds since epoch), ${began}]`);
  writer.outputComment("[Values: response time in µs, from due to the end of the last attempt]");
  writer.outputComment("[Outcomes: ok; unknown ones are recorded as their load's timeout]");
  writer.outputLegend();
  const sources = tables.arrivals.map((table) => sourceOf(table, tables));
  const seconds = sources.reduce((most, source) => Math.max(most, source.ends.length - 1), 0);
  for (let second = 0; second < seconds; second++)
    for (const source of sources) writeSecond(source, second, writer);
  return text;
}

interface Source {
  readonly table: ArrivalTable;
  readonly timeoutUs: number;
  /** Arrivals that count, by due second; second s is order[ends[s]…ends[s + 1]). */
  readonly order: Uint32Array;
  readonly ends: Uint32Array;
  startOf(i: number): number;
  /** By start; filled and emptied second by second. */
  readonly histograms: readonly ReturnType<typeof build>[];
  readonly tags: readonly string[];
}

function sourceOf(table: ArrivalTable, { plan, platform }: Tables): Source {
  const load = plan.loads[table.load]!;
  const arm = plan.arms[table.arm] ?? "";
  const name = [load.name, ...(arm === "" ? [] : [arm])].join("/").replace(/[\s,=]/g, "_");
  const histograms = STARTS.map(() => build({ numberOfSignificantValueDigits: FIGURES }));
  const tags = STARTS.map((start) => `${name}/${start}`);
  const startOf = (i: number) => platform.startOf(table.report[i]!);
  return { table, timeoutUs: load.timeout_us, ...bySecond(table), startOf, histograms, tags };
}

/** Counting sort by due second. */
function bySecond(table: ArrivalTable): Pick<Source, "order" | "ends"> {
  const counts = (i: number) => table.outcome[i] === OK || table.outcome[i] === UNKNOWN;
  const secondOf = (i: number) => Math.max(0, Math.floor(table.dueUs[i]! / US_PER_S));
  let seconds = 0;
  for (let i = 0; i < table.length; i++)
    if (table.outcome[i] !== UNSEEN) seconds = Math.max(seconds, secondOf(i) + 1);
  const ends = new Uint32Array(seconds + 1);
  for (let i = 0; i < table.length; i++) if (counts(i)) ends[secondOf(i) + 1]!++;
  for (let second = 1; second <= seconds; second++) ends[second]! += ends[second - 1]!;
  const next = ends.slice();
  const order = new Uint32Array(ends[seconds]!);
  for (let i = 0; i < table.length; i++) if (counts(i)) order[next[secondOf(i)]!++] = i;
  return { order, ends };
}

function writeSecond(source: Source, second: number, writer: HistogramLogWriter): void {
  const { table, order, ends, histograms, tags, timeoutUs } = source;
  if (second >= ends.length - 1 || ends[second] === ends[second + 1]) return;
  for (const i of order.subarray(ends[second], ends[second + 1])) {
    const us = table.outcome[i] === OK ? table.responseUs[i]! : timeoutUs;
    histograms[source.startOf(i)]!.recordValue(Math.max(0, us));
  }
  for (const [start, histogram] of histograms.entries()) {
    if (histogram.totalCount === 0) continue;
    histogram.tag = tags[start]!; // emptying takes the tag away
    writer.outputIntervalHistogram(histogram, second, second + 1, 1_000);
    histogram.reset();
  }
}
