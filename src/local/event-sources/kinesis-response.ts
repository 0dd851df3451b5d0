// What a stream's function said about its batch: all done, from where on not, or nothing usable.
import type { Waiting } from "./kinesis-event.ts";

/**
 * Index of the first record that is not done; the batch's length when all are. Null: an answer that
 * cannot be understood, by which the whole batch counts as failed.
 */
export function firstFailed(payload: string, batch: readonly Waiting[]): number | null {
  const items = itemFailures(payload);
  if (items === null) return null;
  let first = batch.length;
  if (items.length === 0) return first;
  const indexOf = new Map<unknown, number>(
    batch.map(({ record }, index) => [record.sequenceNumber, index]),
  );
  for (const item of items) {
    const index = indexOf.get((item as { itemIdentifier?: unknown } | null)?.itemIdentifier);
    if (index === undefined) return null;
    first = Math.min(first, index);
  }
  return first;
}

/** An absent, null or empty answer or list means that nothing failed. */
function itemFailures(payload: string): unknown[] | null {
  const answer = parsed(payload);
  if (answer === null || answer === "") return [];
  if (typeof answer !== "object" || Array.isArray(answer)) return null;
  const { batchItemFailures: items = null } = answer as { batchItemFailures?: unknown };
  if (items === null) return [];
  return Array.isArray(items) ? items : null;
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}
