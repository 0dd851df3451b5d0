// Event source mappings from a stream, in virtual time: batches, retries, order, what is given up.
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { runUs } from "../../../src/core/time.ts";
import { TEST_EPOCH_MS } from "../../support/test-clock.ts";
import { FAILS, OK, poisonedBy, StreamBench, THROTTLED } from "./stream-mapping.ts";

const QUEUE = "arn:aws:sqs:eu-west-1:000000000000:failed";

describe("batches", () => {
  it("are polled once a second and hold what is there", async () => {
    const bench = new StreamBench(async () => OK);
    bench.put("a", "b");
    bench.mapping.start();
    await bench.clock.advance(500);
    bench.put("c");
    await bench.clock.advance(1_500);
    expect(bench.seen()).toEqual(["0: ab", "1000: c"]);
    expect(bench.mapping.lastResult).toBe("OK");
  });

  it("have the shape that AWS sends", async () => {
    const bench = new StreamBench(async () => OK);
    const [sequenceNumber] = bench.put("a");
    bench.mapping.start();
    await bench.clock.advance(0);
    expect(bench.batches[0]?.event).toEqual({
      Records: [
        {
          kinesis: {
            kinesisSchemaVersion: "1.0",
            partitionKey: "a",
            sequenceNumber,
            data: "",
            approximateArrivalTimestamp: TEST_EPOCH_MS / 1_000,
          },
          eventSource: "aws:kinesis",
          eventVersion: "1.0",
          eventID: `shardId-000000000000:${sequenceNumber}`,
          eventName: "aws:kinesis:record",
          invokeIdentityArn: "arn:aws:iam::000000000000:role/local",
          awsRegion: "eu-west-1",
          eventSourceARN: "arn:aws:kinesis:eu-west-1:000000000000:stream/clicks",
        },
      ],
    });
  });

  it("are cut at the batch size", async () => {
    const bench = new StreamBench(async () => OK, { batchMax: 2 });
    bench.put("a", "b", "c", "d", "e");
    bench.mapping.start();
    await bench.clock.advance(1_000);
    expect(bench.seen()).toEqual(["0: ab", "0: cd", "200: e"]);
  });

  it("wait for the window to fill, but no longer", async () => {
    const bench = new StreamBench(async () => OK, { batchMax: 3, windowS: 2 });
    bench.put("a");
    bench.mapping.start();
    await bench.clock.advance(500);
    bench.put("b");
    await bench.clock.advance(2_000);
    expect(bench.seen()).toEqual(["2000: ab"]);
    bench.put("c", "d", "e");
    await bench.clock.advance(1_000);
    expect(bench.seen()).toEqual(["3000: cde"]);
  });

  it("are one at a time per shard, shards side by side", async () => {
    const slow = async () => {
      await bench.clock.sleepUntil(runUs(bench.clock.nowUs() + 3_000_000));
      return OK;
    };
    const bench = new StreamBench(slow, { batchMax: 1 }, { shards: 2 });
    bench.put("a", "b"); // MD5 sends them to different shards
    bench.put("a", "b");
    bench.mapping.start();
    await bench.clock.advance(7_000);
    expect([bench.seen().sort(), bench.runningMax]).toEqual([
      ["0: a", "0: b", "3000: a", "3000: b"],
      2,
    ]);
  });

  it("begin at LATEST without what was there before", async () => {
    const bench = new StreamBench(async () => OK, { startingPosition: { type: "LATEST" } });
    bench.put("a");
    bench.mapping.start();
    bench.put("b");
    await bench.clock.advance(1_000);
    expect(bench.seen()).toEqual(["0: b"]);
  });
});

describe("a failing batch", () => {
  it("is retried as it is until it passes, and the shard waits", async () => {
    const bench = new StreamBench(async (_, invoke) => (invoke <= 2 ? FAILS : OK));
    bench.put("a", "b");
    bench.mapping.start();
    await bench.clock.advance(100);
    bench.put("c");
    expect(bench.mapping.lastResult).toBe("PROBLEM: Function call failed");
    await bench.clock.advance(2_000);
    expect(bench.seen()).toEqual(["0: ab", "200: ab", "600: ab", "1000: c"]);
  });

  it("is given up after its retries and reported to the queue as AWS does", async () => {
    const bench = new StreamBench(poisonedBy("b"), { retriesMax: 1, onFailure: QUEUE });
    const [first, last] = bench.put("a", "b");
    bench.mapping.start();
    await bench.clock.advance(500);
    bench.put("c");
    await bench.clock.advance(1_000);
    expect(bench.seen()).toEqual(["0: ab", "200: ab", "1000: c"]);
    const arrived = "2026-01-01T00:00:00.000Z";
    expect(bench.failures).toEqual([
      {
        queue: QUEUE,
        body: {
          requestContext: {
            requestId: "11111111-0000-4000-8000-000000000000",
            functionArn: "arn:aws:lambda:eu-west-1:000000000000:function:count",
            condition: "RetryAttemptsExhausted",
            approximateInvokeCount: 2,
          },
          responseContext: {
            statusCode: 200,
            executedVersion: "$LATEST",
            functionError: "Unhandled",
          },
          version: "1.0",
          timestamp: "2026-01-01T00:00:00.200Z",
          KinesisBatchInfo: {
            shardId: "shardId-000000000000",
            startSequenceNumber: first,
            endSequenceNumber: last,
            approximateArrivalOfFirstRecord: arrived,
            approximateArrivalOfLastRecord: arrived,
            batchSize: 2,
            streamArn: "arn:aws:kinesis:eu-west-1:000000000000:stream/clicks",
          },
        },
      },
    ]);
  });

  it("is halved until the poison is alone, and only that is given up", async () => {
    const bench = new StreamBench(poisonedBy("f"), {
      bisect: true,
      retriesMax: 1,
      onFailure: QUEUE,
    });
    bench.put("a", "b", "c", "d", "e", "f", "g", "h");
    bench.mapping.start();
    await bench.clock.advance(900);
    expect(bench.seen()).toEqual([
      "0: abcdefgh",
      "0: abcd",
      "0: efgh",
      "0: ef",
      "0: e",
      "0: f",
      "200: f",
      "200: gh",
    ]);
    expect(bench.failures.map(({ body }) => body.KinesisBatchInfo)).toMatchObject([
      { batchSize: 1 },
    ]);
  });

  it("is given up when it is too old, with no response in the report", async () => {
    const bench = new StreamBench(async () => FAILS, { recordAgeMaxS: 60, onFailure: QUEUE });
    bench.put("a");
    bench.mapping.start();
    await bench.clock.advance(70_000);
    expect(bench.failures.map(({ body }) => [body.requestContext, body.responseContext])).toEqual([
      [expect.objectContaining({ condition: "RecordAgeExceeded" }), undefined],
    ]);
  });
});

describe("partial failures", () => {
  const failing = (...poison: string[]) => {
    const bench: StreamBench = new StreamBench(
      async (keys) => {
        const index = keys.findIndex((key) => poison.includes(key));
        if (index === -1) return { ...OK, payload: '{"batchItemFailures":[]}' };
        const { kinesis } = bench.batches.at(-1)!.event.Records[index]!;
        const itemIdentifier = (kinesis as { sequenceNumber: string }).sequenceNumber;
        return { ...OK, payload: JSON.stringify({ batchItemFailures: [{ itemIdentifier }] }) };
      },
      { reportFailures: true, retriesMax: 1, onFailure: QUEUE },
    );
    return bench;
  };

  it("begin again at the lowest that failed, and give up what is left with no function error", async () => {
    const bench = failing("c");
    bench.put("a", "b", "c", "d");
    bench.mapping.start();
    await bench.clock.advance(900);
    expect(bench.seen()).toEqual(["0: abcd", "0: cd", "200: cd"]);
    expect(bench.failures[0]?.body).toMatchObject({
      requestContext: { approximateInvokeCount: 2 },
      responseContext: { functionError: null },
      KinesisBatchInfo: { batchSize: 2 },
    });
  });

  it.each(["null", "{}", '{"batchItemFailures":null}', '""'])(
    "%s says that all is done",
    async (payload) => {
      const bench = new StreamBench(async () => ({ ...OK, payload }), { reportFailures: true });
      bench.put("a");
      bench.mapping.start();
      await bench.clock.advance(10_000);
      expect(bench.seen()).toEqual(["0: a"]);
    },
  );

  it.each([
    "[]",
    "5",
    '{"batchItemFailures":[{}]}',
    '{"batchItemFailures":[{"itemIdentifier":"9"}]}',
  ])("%s fails the whole batch", async (payload) => {
    const answer = async () => ({ ...OK, payload });
    const bench = new StreamBench(answer, { reportFailures: true, retriesMax: 0 });
    bench.put("a");
    bench.mapping.start();
    await bench.clock.advance(100);
    expect(bench.mapping.lastResult).toBe("PROBLEM: Function call failed");
  });
});

describe("throttling", () => {
  it("is no failure: no retry is used up, nothing is halved, the shard is blocked and ages", async () => {
    let open = false;
    const script = async () => (open ? OK : THROTTLED);
    const bench = new StreamBench(script, { retriesMax: 0, bisect: true, onFailure: QUEUE });
    bench.put("a", "b");
    bench.mapping.start();
    await bench.clock.advance(60_000);
    const tries = bench.seen();
    expect([new Set(tries.map((one) => one.split(": ")[1])), bench.failures]).toEqual([
      new Set(["ab"]),
      [],
    ]);
    expect(bench.ages.at(-1)).toBeGreaterThan(45_000);
    open = true;
    await bench.clock.advance(10_000);
    expect(bench.seen().map((one) => one.split(": ")[1])).toEqual(["ab"]);
  });

  it("ends when the record has expired in the stream, and nobody is told", async () => {
    const bench = new StreamBench(
      async () => THROTTLED,
      { onFailure: QUEUE },
      { retentionHours: 1 },
    );
    bench.put("a");
    bench.mapping.start();
    await bench.clock.advance(3_620_000);
    bench.seen();
    await bench.clock.advance(60_000);
    expect([bench.seen(), bench.failures]).toEqual([[], []]);
  });
});

describe("a mapping that is stopped", () => {
  it("goes on where it was, and what was with the function is not delivered again", async () => {
    const slow = async () => {
      await bench.clock.sleepUntil(runUs(bench.clock.nowUs() + 1_000_000));
      return OK;
    };
    const bench = new StreamBench(slow, { batchMax: 2 });
    bench.put("a", "b", "c");
    bench.mapping.start();
    await bench.clock.advance(500);
    const stopped = bench.mapping.stop();
    await bench.clock.advance(5_000);
    await stopped;
    bench.put("d");
    bench.mapping.start();
    await bench.clock.advance(5_000);
    expect(bench.seen()).toEqual(["0: ab", "5500: cd"]);
  });
});

it("delivers every record once and in order per key, whatever the lanes and the script", async () => {
  const keys = ["a", "b", "c", "d", "e", "f"];
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        batchMax: fc.integer({ min: 1, max: 5 }),
        parallelization: fc.integer({ min: 1, max: 4 }),
        windowS: fc.integer({ min: 0, max: 2 }),
        shards: fc.integer({ min: 1, max: 3 }),
      }),
      fc.array(fc.constantFrom(...keys), { maxLength: 40 }),
      fc.infiniteStream(fc.constantFrom(OK, OK, FAILS, THROTTLED)),
      fc.infiniteStream(fc.nat({ max: 2_000 })),
      async ({ shards, ...spec }, puts, answers, durations) => {
        const done: string[] = [];
        const bench: StreamBench = new StreamBench(
          async () => {
            const { event } = bench.batches.at(-1)!;
            const ids = event.Records.map(({ kinesis, eventID }) => {
              return `${(kinesis as { partitionKey: string }).partitionKey} ${eventID}`;
            });
            const ms = durations.next().value!;
            await bench.clock.sleepUntil(runUs(bench.clock.nowUs() + ms * 1_000));
            const answer = answers.next().value!;
            if (answer === OK) done.push(...ids);
            return answer;
          },
          spec,
          { shards },
        );
        bench.mapping.start();
        for (const key of puts) {
          bench.put(key);
          await bench.clock.advance(97);
        }
        await bench.clock.advance(1_200_000);
        for (const key of keys) {
          const mine = done.filter((one) => one.startsWith(key));
          expect(mine).toEqual([...new Set(mine)].sort());
          expect(mine.length).toBe(puts.filter((one) => one === key).length);
        }
      },
    ),
    { numRuns: 25 },
  );
});

it("leaves no listener behind for each time that it waited", async () => {
  const held = new Map<EventTarget, number>();
  const count = (by: number) =>
    function counted(this: EventTarget) {
      held.set(this, (held.get(this) ?? 0) + by);
    };
  const spies = (["addEventListener", "removeEventListener"] as const).map((name, at) => {
    const own = AbortSignal.prototype[name];
    const note = count(at === 0 ? 1 : -1);
    return vi.spyOn(AbortSignal.prototype, name).mockImplementation(function (
      this: AbortSignal,
      ...given: Parameters<typeof own>
    ) {
      note.call(this);
      own.apply(this, given);
    });
  });
  const slowly = async () => {
    await bench.clock.sleepUntil(runUs(bench.clock.nowUs() + 500_000));
    return OK;
  };
  const bench: StreamBench = new StreamBench(slowly, { batchMax: 1 });
  bench.put(...Array.from({ length: 100 }, (_, i) => `k${i}`));
  bench.mapping.start();
  await bench.clock.advance(60_000);
  for (const spy of spies) spy.mockRestore();
  expect(bench.batches).toHaveLength(100);
  expect(Math.max(...held.values())).toBeLessThan(10);
});
