// The stream's consumer: what a batch adds, and how far its shard is counted, in one transaction.
import { commit, isOvertaken, readCheckpoint } from "./aggregates.mjs";
import { cellsOf, orderOf, shardOf } from "./events.mjs";

/**
 * `none`: every batch is counted as often as it is delivered. `any`: what is at or below the
 * checkpoint is left out, but the checkpoint becomes the batch's last record, also where it was
 * further. `forward`: it only moves on.
 */
const { CHECKPOINT } = process.env;

/** Shard → checkpoint: read once per environment, and again when another one has moved it. */
const known = new Map();

export const handler = async (event) => {
  if (event.gatecrash === "probe") return { probe: true };
  const { Records } = event;
  const shard = shardOf(Records[0]);
  try {
    await count(shard, Records);
  } catch (failure) {
    known.delete(shard); // whether the transaction went through is not known here
    if (!isOvertaken(failure)) throw failure;
    await count(shard, Records);
  }
};

async function count(shard, records) {
  if (CHECKPOINT === "none") return commit(shard, cellsOf(records), null);
  const from = known.get(shard) ?? (await readCheckpoint(shard));
  const last = orderOf(records.at(-1).kinesis.sequenceNumber);
  const to = CHECKPOINT === "any" || last > from ? last : from;
  const fresh = records.filter(({ kinesis }) => orderOf(kinesis.sequenceNumber) > from);
  if (to !== from) await commit(shard, cellsOf(fresh), { from, to });
  known.set(shard, to);
}
