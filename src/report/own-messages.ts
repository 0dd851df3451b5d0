// Which messages of a queue are about this run's items alone: one pass over items/, in the memory
// of the messages and not of the run.
import { bySequence, type Claim, type ClaimedBatch } from "../core/claim.ts";
import type { ParquetColumns } from "./parquet-columns.ts";

/** Of items/. */
export const OWN_COLUMNS = ["load", "shard", "sequence"] as const;

/**
 * A message is the run's own if the queue has told its id to this run, or if each of the records
 * that it names is one that the stream has told this run it stored: as many between its two ends as
 * the batch had, both ends among them. `streams`: ARN by code of load; null = a queue.
 */
export async function ownMessages(
  items: AsyncIterable<ParquetColumns>,
  streams: readonly (string | null)[],
  claims: readonly Claim[],
): Promise<boolean[]> {
  const told = new Set<string>();
  const asked = new Set(claims.map(({ messageId }) => messageId));
  const shards = shardsOf(claims);
  for await (const segment of items) {
    const [loads, numbers] = [segment.ints("load"), segment.ints("shard")];
    for (let row = 0; row < segment.rows; row++) {
      const sequence = segment.text("sequence", row);
      const stream = streams[loads[row]!];
      if (sequence === null || stream === undefined) continue;
      if (stream !== null) shards.get(keyOf(stream, numbers[row]!))?.stored(sequence);
      else if (asked.has(sequence)) told.add(sequence);
    }
  }
  return claims.map(({ messageId, batch }) => {
    if (told.has(messageId)) return true;
    return batch !== null && shards.get(keyOf(batch.stream, batch.shard))!.isWhole(batch);
  });
}

const keyOf = (stream: string, shard: number): string => `${stream} ${shard}`;

function shardsOf(claims: readonly Claim[]): Map<string, ShardCount> {
  const points = new Map<string, Set<string>>();
  for (const { batch } of claims) {
    if (batch === null) continue;
    const key = keyOf(batch.stream, batch.shard);
    points.set(key, (points.get(key) ?? new Set()).add(batch.start).add(batch.end));
  }
  return new Map([...points].map(([key, set]) => [key, new ShardCount(set)]));
}

/** Counts a shard's records at the ends of batches and between them. */
class ShardCount {
  readonly #points: readonly string[];
  /** Records at point i; records between point i − 1 and point i. */
  readonly #at: Uint32Array;
  readonly #before: Uint32Array;

  constructor(points: ReadonlySet<string>) {
    this.#points = [...points].sort(bySequence);
    this.#at = new Uint32Array(points.size);
    this.#before = new Uint32Array(points.size + 1);
  }

  stored(sequence: string): void {
    const i = this.#place(sequence);
    if (this.#points[i] === sequence) this.#at[i]!++;
    else this.#before[i]!++;
  }

  isWhole({ start, end, size }: ClaimedBatch): boolean {
    const [first, last] = [this.#place(start), this.#place(end)];
    if (this.#at[first] === 0 || this.#at[last] === 0) return false;
    let count = this.#at[first]!;
    for (let i = first + 1; i <= last && count <= size; i++)
      count += this.#before[i]! + this.#at[i]!;
    return count === size;
  }

  /** Of the first point that is not below it. */
  #place(sequence: string): number {
    let [low, high] = [0, this.#points.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (bySequence(this.#points[middle]!, sequence) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
