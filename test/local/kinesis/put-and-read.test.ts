// What goes into a stream and comes out again, by the SDK's default client (HTTP/2).
import {
  CreateStreamCommand,
  DeleteStreamCommand,
  DescribeStreamCommand,
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type GetShardIteratorCommandInput,
  ListShardsCommand,
  ListStreamsCommand,
  PutRecordCommand,
  PutRecordsCommand,
} from "@aws-sdk/client-kinesis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TEST_EPOCH_MS } from "../../support/test-clock.ts";
import { refusalOf } from "../clients.ts";
import { startVirtualKinesis, type VirtualKinesis } from "./virtual-kinesis.ts";

let kinesis: VirtualKinesis;
beforeEach(async () => {
  kinesis = await startVirtualKinesis();
});
afterEach(() => kinesis[Symbol.asyncDispose]());

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const entry = (key: string, text = key) => ({ PartitionKey: key, Data: bytes(text) });

const put = (StreamName: string, ...keys: string[]) =>
  kinesis.client.send(
    new PutRecordsCommand({ StreamName, Records: keys.map((key) => entry(key)) }),
  );

async function iterator(input: Omit<GetShardIteratorCommandInput, "ShardId">): Promise<string> {
  const given = { ShardId: "shardId-000000000000", ...input };
  const { ShardIterator } = await kinesis.client.send(new GetShardIteratorCommand(given));
  return ShardIterator ?? "";
}

async function read(ShardIterator: string, Limit?: number) {
  const command = new GetRecordsCommand({
    ShardIterator,
    ...(Limit === undefined ? {} : { Limit }),
  });
  const answer = await kinesis.client.send(command);
  const keys = (answer.Records ?? []).map(({ PartitionKey }) => PartitionKey);
  return { keys, next: answer.NextShardIterator ?? "", behindMs: answer.MillisBehindLatest };
}

describe("a stream", () => {
  it("is created, described, listed and deleted, each in its time", async () => {
    const { client, clock } = kinesis;
    await client.send(new CreateStreamCommand({ StreamName: "clicks", ShardCount: 2 }));
    const describeNow = async () => {
      const answer = await client.send(new DescribeStreamCommand({ StreamName: "clicks" }));
      return answer.StreamDescription;
    };
    expect(await describeNow()).toMatchObject({ StreamStatus: "CREATING", Shards: [] });
    expect(await refusalOf(put("clicks", "a"))).toMatchObject({
      name: "ResourceNotFoundException",
      message: "Stream clicks under account 000000000000 not found.",
      status: 400,
    });
    await clock.advance(500);
    expect(await describeNow()).toEqual({
      StreamName: "clicks",
      StreamARN: "arn:aws:kinesis:eu-west-1:000000000000:stream/clicks",
      StreamStatus: "ACTIVE",
      StreamModeDetails: { StreamMode: "PROVISIONED" },
      StreamCreationTimestamp: new Date(TEST_EPOCH_MS),
      RetentionPeriodHours: 24,
      EnhancedMonitoring: [{ ShardLevelMetrics: [] }],
      EncryptionType: "NONE",
      HasMoreShards: false,
      Shards: [
        {
          ShardId: "shardId-000000000000",
          HashKeyRange: {
            StartingHashKey: "0",
            EndingHashKey: "170141183460469231731687303715884105727",
          },
          SequenceNumberRange: { StartingSequenceNumber: expect.stringMatching(/^49\d{54}$/) },
        },
        {
          ShardId: "shardId-000000000001",
          HashKeyRange: {
            StartingHashKey: "170141183460469231731687303715884105728",
            EndingHashKey: "340282366920938463463374607431768211455",
          },
          SequenceNumberRange: { StartingSequenceNumber: expect.stringMatching(/^49\d{54}$/) },
        },
      ],
    });
    expect(
      (await client.send(new DescribeStreamSummaryCommand({ StreamName: "clicks" })))
        .StreamDescriptionSummary,
    ).toMatchObject({ OpenShardCount: 2, ConsumerCount: 0, MaxRecordSizeInKiB: 1_024 });
    expect((await client.send(new ListStreamsCommand({}))).StreamNames).toEqual(["clicks"]);
    await client.send(new DeleteStreamCommand({ StreamName: "clicks" }));
    expect(await describeNow()).toMatchObject({ StreamStatus: "DELETING" });
    await clock.advance(500);
    expect((await client.send(new ListStreamsCommand({}))).StreamNames).toEqual([]);
  });

  it("is refused a second time under its name", async () => {
    kinesis.stream("clicks", 1);
    const again = new CreateStreamCommand({ StreamName: "clicks", ShardCount: 1 });
    expect(await refusalOf(kinesis.client.send(again))).toMatchObject({
      name: "ResourceInUseException",
      message: "Stream clicks under account 000000000000 already exists.",
    });
  });

  it("lists its shards page by page", async () => {
    kinesis.stream("clicks", 3);
    const first = await kinesis.client.send(
      new ListShardsCommand({ StreamName: "clicks", MaxResults: 2 }),
    );
    const second = await kinesis.client.send(new ListShardsCommand({ NextToken: first.NextToken }));
    const ids = [first, second].map(({ Shards }) => Shards?.map(({ ShardId }) => ShardId));
    expect(ids).toEqual([
      ["shardId-000000000000", "shardId-000000000001"],
      ["shardId-000000000002"],
    ]);
    expect(second.NextToken).toBeUndefined();
  });
});

describe("records", () => {
  it("are routed by the MD5 of their key, or by their explicit hash", async () => {
    kinesis.stream("clicks", 2);
    const highest = (2n ** 128n - 1n).toString();
    const { Records } = await kinesis.client.send(
      new PutRecordsCommand({
        StreamName: "clicks",
        // MD5: "a" = 0cc1…, "b" = 92eb…
        Records: [entry("a"), entry("b"), { ...entry("a"), ExplicitHashKey: highest }],
      }),
    );
    expect(Records?.map(({ ShardId }) => ShardId?.slice(-1))).toEqual(["0", "1", "1"]);
  });

  it("come back as they were, in order, with growing sequence numbers", async () => {
    kinesis.stream("clicks", 1);
    await put("clicks", "a", "b");
    await kinesis.clock.advance(1_500);
    const one = await kinesis.client.send(
      new PutRecordCommand({ StreamName: "clicks", ...entry("c", "payload ü") }),
    );
    const ShardIterator = await iterator({
      StreamName: "clicks",
      ShardIteratorType: "TRIM_HORIZON",
    });
    const { Records = [] } = await kinesis.client.send(new GetRecordsCommand({ ShardIterator }));
    expect(Records.map(({ PartitionKey }) => PartitionKey)).toEqual(["a", "b", "c"]);
    expect(Records[2]).toEqual({
      PartitionKey: "c",
      Data: bytes("payload ü"),
      SequenceNumber: one.SequenceNumber,
      ApproximateArrivalTimestamp: new Date(TEST_EPOCH_MS + 1_500),
    });
    const numbers = Records.map(({ SequenceNumber }) => BigInt(SequenceNumber ?? ""));
    expect(numbers[0]! < numbers[1]! && numbers[1]! < numbers[2]!).toBe(true);
  });

  it("are gone after the retention period", async () => {
    kinesis.stream("clicks", 1);
    await put("clicks", "old");
    await kinesis.clock.advance(24 * 3_600_000 + 1);
    await put("clicks", "new");
    const from = await iterator({ StreamName: "clicks", ShardIteratorType: "TRIM_HORIZON" });
    expect((await read(from)).keys).toEqual(["new"]);
  });
});

describe("an iterator", () => {
  beforeEach(async () => {
    kinesis.stream("clicks", 1);
    await put("clicks", "a");
    await kinesis.clock.advance(1_000);
    await put("clicks", "b", "c");
    await kinesis.clock.advance(1_000);
  });

  it("begins where its type says", async () => {
    const { SequenceNumber } = await kinesis.client.send(
      new PutRecordCommand({ StreamName: "clicks", ...entry("d") }),
    );
    const StreamName = "clicks";
    const StartingSequenceNumber = SequenceNumber;
    const latest = await iterator({ StreamName, ShardIteratorType: "LATEST" });
    await put("clicks", "e");
    const Timestamp = new Date(TEST_EPOCH_MS + 1_000);
    const at = async (input: Omit<GetShardIteratorCommandInput, "ShardId" | "StreamName">) =>
      (await read(await iterator({ StreamName, ...input }))).keys.join("");
    expect([
      await at({ ShardIteratorType: "AT_SEQUENCE_NUMBER", StartingSequenceNumber }),
      await at({ ShardIteratorType: "AFTER_SEQUENCE_NUMBER", StartingSequenceNumber }),
      await at({ ShardIteratorType: "AT_TIMESTAMP", Timestamp }),
      (await read(latest)).keys.join(""),
    ]).toEqual(["de", "e", "bcde", "e"]);
  });

  it("leads on, and says how far behind the tip its reader is", async () => {
    const from = await iterator({ StreamName: "clicks", ShardIteratorType: "TRIM_HORIZON" });
    const first = await read(from, 1);
    const second = await read(first.next, 2);
    const third = await read(second.next);
    expect([first, second, third].map(({ keys, behindMs }) => [keys.join(""), behindMs])).toEqual([
      ["a", 1_000],
      ["bc", 0],
      ["", 0],
    ]);
  });

  it("lives for five minutes", async () => {
    const from = await iterator({ StreamName: "clicks", ShardIteratorType: "TRIM_HORIZON" });
    await kinesis.clock.advance(300_000);
    expect((await read(from)).keys).toEqual(["a", "b", "c"]);
    await kinesis.clock.advance(1);
    expect(await refusalOf(read(from))).toMatchObject({
      name: "ExpiredIteratorException",
      message:
        "Iterator expired. The iterator was created at time Thu Jan 01 00:00:02 UTC 2026 while " +
        "right now it is Thu Jan 01 00:05:02 UTC 2026 which is further in the future than the " +
        "tolerated delay of 300000 milliseconds.",
    });
  });

  it("is refused when it is none, or when its stream is another one by now", async () => {
    const from = await iterator({ StreamName: "clicks", ShardIteratorType: "TRIM_HORIZON" });
    expect(await refusalOf(read("nonsense"))).toMatchObject({
      name: "InvalidArgumentException",
      message: "Invalid ShardIterator.",
    });
    await kinesis.client.send(new DeleteStreamCommand({ StreamName: "clicks" }));
    await kinesis.clock.advance(1_000);
    kinesis.stream("clicks", 1);
    expect(await refusalOf(read(from))).toMatchObject({ name: "ResourceNotFoundException" });
  });
});
