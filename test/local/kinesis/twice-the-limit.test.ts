// A shard that is offered twice its limit for ten seconds, in virtual time: what it takes, exactly.
import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  PutRecordsCommand,
} from "@aws-sdk/client-kinesis";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startVirtualKinesis, type VirtualKinesis } from "./virtual-kinesis.ts";

const RATE_PER_SECOND = 1_000;
const CALLS = 100;
const CALL_MS = 100;
const RECORDS_PER_CALL = 200;

let kinesis: VirtualKinesis;
beforeEach(async () => {
  kinesis = await startVirtualKinesis();
  kinesis.stream("clicks", 1);
});
afterEach(() => kinesis[Symbol.asyncDispose]());

/** Sends these events in one call; gives back those that were refused, by index. */
async function put(events: readonly number[]): Promise<number[]> {
  const Records = events.map((event) => ({
    PartitionKey: `k-${event}`,
    Data: Buffer.from(`${event}`),
  }));
  const { FailedRecordCount, Records: answers = [] } = await kinesis.client.send(
    new PutRecordsCommand({ StreamName: "clicks", Records }),
  );
  const refused = events.filter((_, index) => answers[index]?.ErrorCode !== undefined);
  expect(FailedRecordCount).toBe(refused.length);
  return refused;
}

async function stored(): Promise<number[]> {
  const { ShardIterator: first } = await kinesis.client.send(
    new GetShardIteratorCommand({
      StreamName: "clicks",
      ShardId: "shardId-000000000000",
      ShardIteratorType: "TRIM_HORIZON",
    }),
  );
  const events: number[] = [];
  for (let ShardIterator = first; ShardIterator !== undefined; ) {
    await kinesis.clock.advance(1_000);
    const page = await kinesis.client.send(new GetRecordsCommand({ ShardIterator }));
    events.push(...(page.Records ?? []).map(({ Data }) => Number(Buffer.from(Data ?? []))));
    if (page.MillisBehindLatest === 0) return events;
    ShardIterator = page.NextShardIterator;
  }
  return events;
}

it("takes its bucket and the rate times the time; the rest is resent by index, nothing twice", async () => {
  const waiting: number[] = [];
  let taken = 0;
  for (let call = 0; call < CALLS; call++) {
    const offered = Array.from({ length: RECORDS_PER_CALL }, (_, i) => call * RECORDS_PER_CALL + i);
    const refused = await put(offered);
    taken += offered.length - refused.length;
    waiting.push(...refused);
    if (call < CALLS - 1) await kinesis.clock.advance(CALL_MS);
  }
  const seconds = ((CALLS - 1) * CALL_MS) / 1_000;
  expect(taken).toBe(RATE_PER_SECOND + RATE_PER_SECOND * seconds);
  expect(taken + waiting.length).toBe(CALLS * RECORDS_PER_CALL);
  while (waiting.length > 0) {
    await kinesis.clock.advance(CALL_MS);
    const again = waiting.splice(0, 500);
    waiting.push(...(await put(again)));
  }
  const events = await stored();
  expect(events).toHaveLength(CALLS * RECORDS_PER_CALL);
  expect(new Set(events).size).toBe(events.length);
}, 60_000);
