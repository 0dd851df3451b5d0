// PutRecord: one record, stored or refused as a whole call.
import type { JsonInput } from "../wire/aws-json.ts";
import type { World } from "../world.ts";
import { rateExceeded, throughputExceeded } from "./errors.ts";
import { activeStreamOf } from "./input.ts";
import { routedRecord } from "./record-input.ts";

/** `SequenceNumberForOrdering` is always kept here: a shard's order is the order of arrival. */
export function putRecord(world: World, input: JsonInput): object {
  const stream = activeStreamOf(world, input);
  const { shard, record } = routedRecord(stream, input, "");
  const { streams } = world;
  const at = streams.now();
  const put = streams.put(stream, shard, record, at);
  streams.metrics.put(stream.name, "PutRecord", at.epochMs, {
    records: 1,
    stored: put === null ? 0 : 1,
    storedBytes: put === null ? 0 : record.sizeBytes,
  });
  if (put === null) throw throughputExceeded(rateExceeded(shard.id, stream.name, world.account));
  return { SequenceNumber: put.sequenceNumber, ShardId: shard.id, EncryptionType: "NONE" };
}
