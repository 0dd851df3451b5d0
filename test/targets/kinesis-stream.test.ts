// The kinesis-stream target: what every target promises, and what becomes of each record of a call.
import { describe, expect, it } from "vitest";
import { FAKE_CREDENTIALS } from "../../src/aws/identity.ts";
import type { Answer, BatchTarget, ItemCall } from "../../src/core/arrival.ts";
import { systemClock } from "../../src/run/clock.ts";
import {
  type KinesisStreamOptions,
  kinesisStreamTarget,
} from "../../src/targets/kinesis-stream.ts";
import { overRawServer } from "../conformance/raw-target.ts";
import { describeTarget } from "../conformance/target.ts";
import { startVirtualKinesis } from "../local/kinesis/virtual-kinesis.ts";
import { rawServer } from "../wire/raw-server.ts";

const record = (key: string, text = "x"): ItemCall => ({
  kind: "item",
  key,
  data: Buffer.from(text),
});

function targetOf(endpoint: string, more: Partial<KinesisStreamOptions> = {}): BatchTarget {
  return kinesisStreamTarget({
    stream: "clicks",
    endpoint,
    region: "eu-west-1",
    credentials: async () => FAKE_CREDENTIALS,
    clock: systemClock(),
    timeoutUs: 5_000_000,
    ...more,
  });
}

const sendAll = (target: BatchTarget, ...records: ItemCall[]): Promise<readonly Answer[]> =>
  new Promise((resolve) => target.sendBatch(records, resolve));

const response = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\nx-amzn-requestid: id-1\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const STORED = { SequenceNumber: "4959", ShardId: "shardId-000000000003" };
const REFUSED = {
  ErrorCode: "ProvisionedThroughputExceededException",
  ErrorMessage: "Rate exceeded for shard shardId-000000000003 in stream clicks under account 0.",
};
const results = (...records: object[]): string =>
  response("200 OK", JSON.stringify({ FailedRecordCount: 0, Records: records }));

describeTarget({
  name: "kinesis-stream",
  open: overRawServer(
    record("k"),
    {
      ok: results(STORED),
      throttle: results(REFUSED),
      fail: results({ ErrorCode: "InternalFailure" }),
    },
    targetOf,
  ),
});

/** How two records of one call end when this is the answer. */
async function endOf(answer: string) {
  await using server = await rawServer((_, socket) => socket.write(answer));
  await using target = targetOf(server.url);
  const answers = await sendAll(target, record("a"), record("b"));
  return answers.map(({ outcome, refusedBy, reason }) => [outcome, refusedBy, reason].join(" "));
}

describe("an answer", () => {
  it("says for each record by its position how it ended", async () => {
    await using server = await rawServer((_, socket) => socket.write(results(REFUSED, STORED)));
    await using target = targetOf(server.url);
    const answers = await sendAll(target, record("a"), record("b"));
    const [refused, stored] = answers.map(({ outcome, refusedBy, requestId, item }) => ({
      ...{ outcome, refusedBy, requestId, item },
    }));
    expect([refused, stored]).toEqual([
      {
        outcome: "throttled",
        refusedBy: "kinesis.shard",
        requestId: "id-1",
        item: { call: 0, position: 0, items: 2, shard: -1, sequence: "" },
      },
      {
        outcome: "ok",
        refusedBy: "",
        requestId: "id-1",
        item: { call: 0, position: 1, items: 2, shard: 3, sequence: "4959" },
      },
    ]);
  });

  it.each([
    [
      "of a refused call is every record's throttle",
      response(
        "400 Bad Request",
        JSON.stringify({ __type: "com.amazonaws#ProvisionedThroughputExceededException" }),
      ),
      "throttled kinesis.shard ",
    ],
    [
      "of a failed call is every record's error",
      response("400 Bad Request", '{"__type":"ResourceNotFoundException"}'),
      "errored  service",
    ],
    [
      "with ended credentials is ours",
      response("400 Bad Request", '{"__type":"ExpiredTokenException"}'),
      "errored  credentials",
    ],
    [
      "with a server's error may have stored some",
      response("500 Oops", '{"__type":"InternalFailure"}'),
      "unknown  service",
    ],
    ["for another number of records is none", results(STORED), "unknown  parse"],
    ["that is no JSON is none", response("200 OK", "<html>"), "unknown  parse"],
  ])("%s", async (_, answer, end) => {
    expect(await endOf(answer)).toEqual([end, end]);
  });

  it("that cannot be asked for, as nothing can be signed, is our own failure", async () => {
    await using target = targetOf("http://127.0.0.1:1", {
      credentials: () => Promise.reject(new Error("no credentials")),
    });
    const [answer] = await sendAll(target, record("a"));
    expect([answer?.outcome, answer?.reason]).toEqual(["errored", "credentials"]);
  });
});

it("stores in local Kinesis what is stored, and says which records were refused", async () => {
  await using kinesis = await startVirtualKinesis();
  kinesis.stream("clicks", 2);
  await using target = targetOf(kinesis.endpoint);
  const many = Array.from({ length: 400 }, (_, i) => record("a", `event ${i} é`));
  const calls = [await sendAll(target, ...many), await sendAll(target, ...many)];
  calls.push(await sendAll(target, ...many, record("b")));
  const counts = calls.map((answers) => answers.filter(({ outcome }) => outcome === "ok").length);
  expect(counts).toEqual([400, 400, 201]);
  const [shard] = kinesis.streams.get("clicks")!.shards;
  const stored = shard!.read(0, 10_000, Number.POSITIVE_INFINITY);
  expect(Buffer.from(stored[399]!.data, "base64").toString()).toBe("event 399 é");
  const told = calls.flat().flatMap(({ item }) => (item?.shard === 0 ? [item.sequence] : []));
  expect(told).toEqual(stored.map(({ sequenceNumber }) => sequenceNumber));
});
