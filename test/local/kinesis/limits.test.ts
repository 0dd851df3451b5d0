// What a shard and the API refuse: in whose words, and what stays untouched.
import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  PutRecordCommand,
  PutRecordsCommand,
} from "@aws-sdk/client-kinesis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { refusalOf } from "../clients.ts";
import { startVirtualKinesis, type VirtualKinesis } from "./virtual-kinesis.ts";

let kinesis: VirtualKinesis;
beforeEach(async () => {
  kinesis = await startVirtualKinesis();
  kinesis.stream("clicks", 2);
});
afterEach(() => kinesis[Symbol.asyncDispose]());

/** MD5: "a" belongs to the first of two shards, "b" to the second. */
const entries = (count: number, key: string, sizeBytes = 10) =>
  Array.from({ length: count }, () => ({ PartitionKey: key, Data: new Uint8Array(sizeBytes) }));

const put = (...Records: ReturnType<typeof entries>) =>
  kinesis.client.send(new PutRecordsCommand({ StreamName: "clicks", Records }));

async function iterator(): Promise<string> {
  const { ShardIterator } = await kinesis.client.send(
    new GetShardIteratorCommand({
      StreamName: "clicks",
      ShardId: "shardId-000000000000",
      ShardIteratorType: "TRIM_HORIZON",
    }),
  );
  return ShardIterator ?? "";
}
const read = (ShardIterator: string) =>
  kinesis.client.send(new GetRecordsCommand({ ShardIterator }));

const RATE_EXCEEDED =
  "Rate exceeded for shard shardId-000000000000 in stream clicks under account 000000000000.";

describe("writing", () => {
  it("beyond a shard's records fails by index, and the other shard's records pass", async () => {
    await put(...entries(500, "a"));
    await put(...entries(498, "a"));
    const { FailedRecordCount, Records = [] } = await put(
      ...entries(3, "a"),
      ...entries(1, "b"),
      ...entries(1, "a"),
    );
    expect(FailedRecordCount).toBe(2);
    expect(Records.map(({ ErrorCode, ShardId }) => ErrorCode ?? ShardId)).toEqual([
      "shardId-000000000000",
      "shardId-000000000000",
      "ProvisionedThroughputExceededException",
      "shardId-000000000001",
      "ProvisionedThroughputExceededException",
    ]);
    expect(Records[2]?.ErrorMessage).toBe(RATE_EXCEEDED);
    await kinesis.clock.advance(10);
    expect((await put(...entries(11, "a"))).FailedRecordCount).toBe(1);
  });

  it("beyond a shard's bytes fails too, answers 200 though nothing was stored", async () => {
    await put(...entries(1, "a", 1_048_575));
    const { FailedRecordCount, Records } = await put(...entries(2, "a", 1_000));
    expect([FailedRecordCount, Records?.length]).toEqual([2, 2]);
  });

  it("one record beyond the limit is an error of the call", async () => {
    await put(...entries(1, "a", 1_048_575));
    const [one] = entries(1, "a", 1_000);
    const again = new PutRecordCommand({ StreamName: "clicks", ...one! });
    expect(await refusalOf(kinesis.client.send(again))).toMatchObject({
      name: "ProvisionedThroughputExceededException",
      message: RATE_EXCEEDED,
      status: 400,
    });
  });

  it("is counted in CloudWatch by what was stored and what was refused", async () => {
    await put(...entries(1, "a", 1_048_575), ...entries(2, "a", 1_000), ...entries(1, "b", 99));
    const sum = (metric: string) => {
      const dimensions = [{ Name: "StreamName", Value: "clicks" }];
      const series = kinesis.metrics.find("AWS/Kinesis", metric, dimensions);
      return [...(series?.minutes.values() ?? [])].reduce((total, set) => total + set.sum, 0);
    };
    expect({
      stored: sum("IncomingRecords"),
      bytes: sum("IncomingBytes"),
      refused: sum("WriteProvisionedThroughputExceeded"),
      success: sum("PutRecords.Success"),
    }).toEqual({ stored: 2, bytes: 1_048_576 + 100, refused: 2, success: 1 });
  });
});

describe("what breaks the service's model is refused in its words", () => {
  const send = (input: object) =>
    fetch(kinesis.endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.1",
        "x-amz-target": "Kinesis_20131202.PutRecords",
        authorization:
          "AWS4-HMAC-SHA256 Credential=AKID/20260101/eu-west-1/kinesis/aws4_request, " +
          "SignedHeaders=host, Signature=0",
      },
      body: JSON.stringify({ StreamName: "clicks", ...input }),
    });
  const one = { Data: "", PartitionKey: "a" };

  it.each([
    [
      "no records",
      { Records: [] },
      "Value '[]' at 'records' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ],
    [
      "more than 500",
      { Records: Array(501).fill(one) },
      "at 'records' failed to satisfy constraint: Member must have length less than or equal to 500",
    ],
    [
      "no key",
      { Records: [one, { Data: "" }] },
      "Value null at 'records.2.member.partitionKey' failed to satisfy constraint: Member must not be null",
    ],
    [
      "a long key",
      { Records: [{ ...one, PartitionKey: "x".repeat(257) }] },
      "at 'records.1.member.partitionKey' failed to satisfy constraint: Member must have length less than or equal to 256",
    ],
    [
      "a large record",
      { Records: [{ ...one, Data: Buffer.alloc(1_048_577).toString("base64") }] },
      "Value 'java.nio.HeapByteBuffer[pos=0 lim=1048577 cap=1048577]' at 'records.1.member.data' failed to satisfy constraint: Member must have length less than or equal to 1048576",
    ],
    [
      "a hash that is no number",
      { Records: [{ ...one, ExplicitHashKey: "01" }] },
      "Value '01' at 'records.1.member.explicitHashKey' failed to satisfy constraint: Member must satisfy regular expression pattern: 0|([1-9]\\d{0,38})",
    ],
  ])("%s", async (_, input, message) => {
    const answer = await send(input);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      __type: "ValidationException",
      message: expect.stringContaining(message),
    });
  });

  it("a hash outside the space", async () => {
    const ExplicitHashKey = (2n ** 128n).toString();
    expect(await (await send({ Records: [{ ...one, ExplicitHashKey }] })).json()).toEqual({
      __type: "InvalidArgumentException",
      message:
        "Invalid ExplicitHashKey. ExplicitHashKey must be in the range: [0, 2^128-1]. " +
        `Specified value was ${ExplicitHashKey}`,
    });
  });

  it("more than 10 MB", async () => {
    const large = { ...one, Data: Buffer.alloc(1_048_576).toString("base64") };
    expect(await (await send({ Records: Array(10).fill(large) })).json()).toEqual({
      __type: "InvalidArgumentException",
      message: "Records size exceeds 10 MB limit",
    });
  });
});

describe("reading", () => {
  it("more than five times a second is refused", async () => {
    const from = await iterator();
    for (let i = 0; i < 5; i++) await read(from);
    expect(await refusalOf(read(from))).toMatchObject({
      name: "ProvisionedThroughputExceededException",
      message: RATE_EXCEEDED,
    });
    await kinesis.clock.advance(200);
    expect((await read(from)).Records).toEqual([]);
  });

  it("ends an answer at 10 MB, and waits five seconds after it", async () => {
    for (let i = 0; i < 11; i++) {
      await put(...entries(1, "a", 1_048_000));
      await kinesis.clock.advance(1_000);
    }
    const { Records, NextShardIterator } = await read(await iterator());
    expect(Records?.length).toBe(10);
    await kinesis.clock.advance(4_900);
    expect(await refusalOf(read(NextShardIterator ?? ""))).toMatchObject({
      name: "ProvisionedThroughputExceededException",
    });
    await kinesis.clock.advance(100);
    expect((await read(NextShardIterator ?? "")).Records?.length).toBe(1);
  });
});
