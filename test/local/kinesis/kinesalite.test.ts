// The same random commands to local Kinesis and to kinesalite: routing, order, iterators agree.
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import kinesalite from "kinesalite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startVirtualKinesis, type VirtualKinesis } from "./virtual-kinesis.ts";

let ours: VirtualKinesis;
let oracle: Server;
let endpoints: readonly string[];
beforeAll(async () => {
  ours = await startVirtualKinesis();
  oracle = kinesalite({ createStreamMs: 0, shardLimit: 100_000 });
  await new Promise<void>((resolve) => {
    oracle.listen({ port: 0, host: "127.0.0.1" }, resolve);
  });
  const { port } = oracle.address() as AddressInfo;
  endpoints = [ours.endpoint, `http://127.0.0.1:${port}`];
});
afterAll(async () => {
  await ours[Symbol.asyncDispose]();
  oracle.closeAllConnections();
  oracle.close();
});

type Answer = { readonly [member: string]: unknown };

async function call(endpoint: string, operation: string, input: object): Promise<Answer> {
  const answer = await fetch(endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `Kinesis_20131202.${operation}`,
      "x-amz-date": "20260101T000000Z",
      authorization:
        "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/kinesis/aws4_request, " +
        "SignedHeaders=host, Signature=0",
    },
    body: JSON.stringify(input),
  });
  const text = await answer.text();
  return text === "" ? {} : JSON.parse(text);
}

const key = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const record = fc.record({
  PartitionKey: key,
  ExplicitHashKey: fc.option(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map(String), {
    freq: 3,
    nil: undefined,
  }),
  Data: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("base64")),
});
const shard = fc.nat({ max: 6 });
const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ put: fc.array(record, { minLength: 1, maxLength: 8 }) }) },
  fc.record({
    open: fc.constantFrom("TRIM_HORIZON", "LATEST"),
    shard,
  }),
  fc.record({
    open: fc.constantFrom("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"),
    shard,
    nth: fc.nat({ max: 5 }),
  }),
  {
    weight: 2,
    arbitrary: fc.record({ read: fc.nat({ max: 5 }), limit: fc.integer({ min: 1, max: 9 }) }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** What one of the two services answered so far. */
class Session {
  readonly seen: unknown[] = [];
  readonly #endpoint: string;
  readonly #stream: string;
  readonly #shards: number;
  /** Shard → sequence numbers of its records. */
  readonly #sequences = new Map<number, string[]>();
  readonly #iterators: string[] = [];

  constructor(endpoint: string, stream: string, shards: number) {
    this.#endpoint = endpoint;
    this.#stream = stream;
    this.#shards = shards;
  }

  async begin(): Promise<void> {
    const StreamName = this.#stream;
    await this.#call("CreateStream", { StreamName, ShardCount: this.#shards });
    await ours.clock.advance(500);
    for (;;) {
      const answer = await this.#call("DescribeStream", { StreamName });
      const { StreamStatus, Shards } = answer.StreamDescription as {
        StreamStatus: string;
        Shards: { ShardId: string; HashKeyRange: object }[];
      };
      if (StreamStatus !== "ACTIVE") continue;
      this.seen.push(Shards.map(({ ShardId, HashKeyRange }) => [ShardId, HashKeyRange]));
      return;
    }
  }

  async run(command: Command): Promise<void> {
    await ours.clock.advance(1_000); // so that nothing is refused for its rate
    if ("put" in command) await this.#put(command.put);
    else if ("read" in command) await this.#read(command.read, command.limit);
    else
      await this.#open(
        command.open,
        command.shard % this.#shards,
        "nth" in command ? command.nth : null,
      );
  }

  async #put(Records: object[]): Promise<void> {
    const answer = await this.#call("PutRecords", { StreamName: this.#stream, Records });
    for (const { ShardId, SequenceNumber } of answer.Records as {
      ShardId: string;
      SequenceNumber: string;
    }[]) {
      const index = Number(ShardId.slice(-12));
      const sequences = this.#sequences.get(index) ?? [];
      const last = sequences.at(-1);
      const grows = last === undefined || BigInt(SequenceNumber) > BigInt(last);
      this.#sequences.set(index, [...sequences, SequenceNumber]);
      this.seen.push([ShardId, grows, SequenceNumber.length]);
    }
  }

  async #open(ShardIteratorType: string, index: number, nth: number | null): Promise<void> {
    const StartingSequenceNumber = nth === null ? undefined : this.#sequences.get(index)?.[nth];
    if (nth !== null && StartingSequenceNumber === undefined) return;
    const { ShardIterator } = await this.#call("GetShardIterator", {
      StreamName: this.#stream,
      ShardId: `shardId-${String(index).padStart(12, "0")}`,
      ShardIteratorType,
      StartingSequenceNumber,
    });
    this.#iterators.push(String(ShardIterator));
  }

  async #read(which: number, Limit: number): Promise<void> {
    const ShardIterator = this.#iterators[which];
    if (ShardIterator === undefined) return;
    const answer = await this.#call("GetRecords", { ShardIterator, Limit });
    this.#iterators[which] = String(answer.NextShardIterator);
    this.seen.push(
      (answer.Records as { PartitionKey: string; Data: string }[]).map(({ PartitionKey, Data }) => [
        PartitionKey,
        Data,
      ]),
    );
  }

  #call(operation: string, input: object): Promise<Answer> {
    return call(this.#endpoint, operation, input);
  }
}

let streams = 0;

it("answers as kinesalite does", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 7 }),
      fc.array(command, { maxLength: 25 }),
      async (shards, commands) => {
        const name = `stream-${streams++}`;
        const sessions = endpoints.map((endpoint) => new Session(endpoint, name, shards));
        for (const session of sessions) {
          await session.begin();
          for (const one of commands) await session.run(one);
        }
        expect(sessions[0]!.seen).toEqual(sessions[1]!.seen);
      },
    ),
    { numRuns: 120 },
  );
});
