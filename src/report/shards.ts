// Records of a stream by shard and time: a hot shard shows as a dark row among light ones.
import { outcomeCode } from "../core/outcome.ts";
import { NEVER, UNSEEN } from "./arrival-table.ts";
import type { Facts } from "./facts-reader.ts";
import { frameOf } from "./series.ts";
import type { Tables } from "./tables.ts";

const THROTTLED = outcomeCode("throttled");

/** What one load put into one shard. */
export interface ShardSeries {
  readonly load: string;
  readonly shard: number;
  readonly records: number;
  /** By the bucket of the timeline in which the stream's answer came. */
  readonly stored: readonly number[];
}

export interface ShardResult {
  /** By load and shard; empty for a run without a stream. */
  readonly shards: readonly ShardSeries[];
  /** Records refused, by load, each attempt counted; the stream does not say by which shard. */
  readonly refused: { readonly [load: string]: number };
}

export const NO_SHARDS: ShardResult = { shards: [], refused: {} };

export async function shardsOf(facts: Facts, tables: Tables): Promise<ShardResult> {
  const stored = new Map<string, { load: number; shard: number; counts: Float64Array }>();
  const refused = new Float64Array(tables.plan.loads.length);
  const frame = frameOf(tables);
  for await (const rows of facts.items(["load", "index", "outcome", "shard"])) {
    const [load, index] = [rows.ints("load"), rows.ints("index")];
    const [outcome, shard] = [rows.ints("outcome"), rows.ints("shard")];
    for (let row = 0; row < rows.rows; row++) {
      const code = load[row]!;
      if (outcome[row] === THROTTLED) refused[code]!++;
      const at = shard[row]! < 0 ? -1 : answeredUs(tables, code, index[row]!);
      if (at < 0) continue;
      const key = `${code} ${shard[row]}`;
      const counts = stored.get(key)?.counts ?? new Float64Array(frame.buckets);
      stored.set(key, { load: code, shard: shard[row]!, counts });
      counts[Math.min(frame.buckets - 1, Math.floor(at / frame.bucketUs))]!++;
    }
  }
  if (stored.size === 0) return NO_SHARDS;
  const nameOf = (code: number): string => tables.plan.loads[code]?.name ?? "";
  return {
    shards: [...stored.values()]
      .sort((a, b) => a.load - b.load || a.shard - b.shard)
      .map(({ load, shard, counts }) => ({
        ...{ load: nameOf(load), shard, stored: [...counts] },
        records: counts.reduce((sum, count) => sum + count, 0),
      })),
    refused: Object.fromEntries(
      [...refused].flatMap((count, code) => (count === 0 ? [] : [[nameOf(code), count] as const])),
    ),
  };
}

/** When the last answer about an arrival came, µs of the run; −1 = nothing is known of it. */
function answeredUs({ arrivals }: Tables, load: number, index: number): number {
  const table = arrivals.find((one) => one.load === load && one.arm === 0);
  if (table === undefined || index >= table.length || table.outcome[index] === UNSEEN) return -1;
  const response = table.responseUs[index]!;
  return table.dueUs[index]! + (response === NEVER ? 0 : response);
}
