// A stream in the timeline: records by shard as a heat map, the age of what its reader sees.
import { formatNumber, formatPercent } from "../../core/format.ts";
import type { Report } from "../result.ts";
import type { ShardSeries } from "../shards.ts";
import { chart } from "./chart.ts";
import { html, type Part } from "./markup.ts";
import { table } from "./parts.ts";

/** More rows than this are left to the table. */
const SHARD_ROWS_MAX = 24;
/** Records a second that a shard takes in. */
const SHARD_RECORDS_MAX = 1_000;

/** The busiest, in order of load and shard. */
export function shownShards({ drawn }: Report): readonly ShardSeries[] {
  const { shards } = drawn.streams;
  const busiest = [...shards].sort((a, b) => b.records - a.records).slice(0, SHARD_ROWS_MAX);
  return shards.filter((one) => busiest.includes(one));
}

/** Nothing for a run without streams. */
export function shardCharts({ drawn }: Report): Part {
  const ages = drawn.iteratorAge.map(({ name }) => name).join(", ");
  return [
    drawn.streams.shards.length > 0 &&
      chart("shards", "Records by shard", "stored per second; the stronger, the more"),
    ages !== "" &&
      chart("age", "Age of what is read, s", `of the oldest record by minute, of ${ages}`),
  ];
}

const number = (title: string) => ({ title, number: true });
const COLUMNS = [{ title: "Load" }, ...["Shard", "Records", "Share"].map(number)];
const TABLE_ROWS_MAX = 50;

export function shardTable({ drawn }: Report): Part {
  const { shards, refused } = drawn.streams;
  if (shards.length === 0) return null;
  const seconds = drawn.series.bucketUs / 1e6;
  const totals = new Map<string, number>();
  for (const { load, records } of shards) totals.set(load, (totals.get(load) ?? 0) + records);
  const rows = shards
    .slice(0, TABLE_ROWS_MAX)
    .map(({ load, shard, records, stored }) => [
      load,
      formatNumber(shard),
      formatNumber(records),
      formatPercent(records / totals.get(load)!, 1),
      formatNumber(stored.reduce((a, b) => Math.max(a, b), 0) / seconds, 0),
    ]);
  const names = Object.entries(refused).map(([load, n]) => `${formatNumber(n)} of ${load}`);
  const most = seconds === 1 ? "Most in a second" : `Most per second, over ${seconds} seconds`;
  const more = shards.length > TABLE_ROWS_MAX ? `, the first ${TABLE_ROWS_MAX}` : "";
  return [
    table(`Records by shard${more}`, [...COLUMNS, number(most)], rows),
    html`<p class="note">A shard takes in ${formatNumber(SHARD_RECORDS_MAX)} records a second, of
all its writers, and 1 MB. Refused for it, each attempt counted: ${
      names.length === 0 ? "none" : names.join(", ")
    }; the stream does not say by which shard.</p>`,
  ];
}
