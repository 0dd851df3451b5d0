// A mapping from a queue in virtual time: scaling, batches, failures, throttles, receive counts.
import { describe, expect, it } from "vitest";
import type { SqsMappingSpec } from "../../../src/local/template/types.ts";
import { TEST_EPOCH_MS } from "../../support/test-clock.ts";
import { failing, QueueBench } from "./queue-mapping.ts";

const bodiesOf = (bench: QueueBench): (readonly string[])[] =>
  bench.invokes.map(({ bodies }) => bodies);
const timesOf = (bench: QueueBench): number[] => bench.invokes.map(({ atMs }) => atMs);

describe("scaling", () => {
  it("starts with five batches, adds 300 a minute while behind, and stops at 1,250", async () => {
    const slow = { visibilityTimeoutS: 3_600 };
    const bench = new QueueBench(() => ({ takesMs: 3_000_000 }), { batchMax: 1 }, slow);
    bench.sendMany(2_000);
    const seen: { [second: number]: number } = {};
    for (const second of [0.5, 1.5, 60.5, 120.5, 300.5]) {
      await bench.clock.advance(second * 1_000 - bench.clock.nowUs() / 1_000);
      seen[second] = bench.running;
    }
    expect(seen).toEqual({ 0.5: 5, 1.5: 10, 60.5: 305, 120.5: 605, 300.5: 1_250 });
  });

  it("never runs more batches than MaximumConcurrency", async () => {
    const bench = new QueueBench(() => ({ takesMs: 5_000 }), {
      batchMax: 1,
      maximumConcurrency: 20,
    });
    bench.sendMany(500);
    let most = 0;
    for (let second = 0; second < 60; second++) {
      await bench.clock.advance(1_000);
      most = Math.max(most, bench.running);
    }
    expect(most).toBe(20);
  });

  it("starts with less than five when MaximumConcurrency says so", async () => {
    const bench = new QueueBench(() => ({ takesMs: 5_000 }), {
      batchMax: 1,
      maximumConcurrency: 2,
    });
    bench.sendMany(10);
    await bench.clock.advance(100);
    expect(bench.running).toBe(2);
  });

  it("goes back to five when there is nothing left to do", async () => {
    const bench = new QueueBench(() => ({ takesMs: 1_000 }), { batchMax: 1 });
    bench.sendMany(3_000);
    await bench.clock.advance(120_000);
    expect(bench.invokes.length).toBe(3_000);
    await bench.clock.advance(300_000);
    bench.sendMany(100);
    await bench.clock.advance(500);
    expect(bench.running).toBe(5);
  });
});

describe("a batch", () => {
  it("is exactly the event that AWS sends", async () => {
    const bench = new QueueBench(() => ({}));
    bench.queues.send(
      bench.queue,
      {
        body: "hello",
        attributes: { depot: { DataType: "String", StringValue: "ghent" } },
        systemAttributes: { AWSTraceHeader: { DataType: "String", StringValue: "Root=1" } },
        senderId: "000000000000",
      },
      5,
    );
    await bench.clock.advance(1);
    const record = bench.invokes[0]?.event.Records[0];
    expect(Object.keys(record ?? {})).toEqual([
      ...["messageId", "receiptHandle", "body", "attributes", "messageAttributes"],
      ...["md5OfMessageAttributes", "md5OfBody", "eventSource", "eventSourceARN", "awsRegion"],
    ]);
    expect(record).toMatchObject({
      body: "hello",
      attributes: {
        ApproximateReceiveCount: "1",
        AWSTraceHeader: "Root=1",
        SentTimestamp: String(TEST_EPOCH_MS),
        SenderId: "000000000000",
        ApproximateFirstReceiveTimestamp: String(TEST_EPOCH_MS),
      },
      messageAttributes: {
        depot: {
          stringValue: "ghent",
          stringListValues: [],
          binaryListValues: [],
          dataType: "String",
        },
      },
      md5OfMessageAttributes: null,
      md5OfBody: "5d41402abc4b2a76b9719d911017c592",
      eventSource: "aws:sqs",
      eventSourceARN: "arn:aws:sqs:eu-west-1:000000000000:hooks",
      awsRegion: "eu-west-1",
    });
  });

  it("is gathered until the window is over, across receives of ten", async () => {
    const bench = new QueueBench(() => ({}), { batchMax: 25, windowS: 5, maximumConcurrency: 1 });
    bench.send("first");
    await bench.clock.advance(2_000);
    for (let i = 0; i < 20; i++) bench.send(`later ${i}`);
    await bench.clock.advance(2_999);
    expect(bench.invokes).toEqual([]);
    await bench.clock.advance(1);
    expect(bench.invokes.map(({ atMs, bodies }) => [atMs, bodies.length])).toEqual([[5_000, 21]]);
  });

  it("goes at once when it is full", async () => {
    const bench = new QueueBench(() => ({}), { batchMax: 25, windowS: 5, maximumConcurrency: 1 });
    bench.sendMany(25);
    await bench.clock.advance(1);
    expect(bench.invokes.map(({ bodies }) => bodies.length)).toEqual([25]);
  });

  it("over 6 MB becomes two payloads", async () => {
    const bench = new QueueBench(() => ({}), { maximumConcurrency: 1 });
    bench.send(...Array.from({ length: 10 }, (_, i) => String(i).repeat(1_000_000)));
    await bench.clock.advance(1);
    expect(bench.invokes.map(({ bodies }) => bodies.length)).toEqual([5, 5]);
  });
});

describe("the function's answer", () => {
  it("deletes the messages when it is null, {} or an empty list", async () => {
    const payloads = ["null", "{}", '{"batchItemFailures":[]}', '{"batchItemFailures":null}'];
    for (const payload of payloads) {
      const bench = new QueueBench(() => ({ payload }), { reportFailures: true });
      bench.send("a");
      await bench.clock.advance(40_000);
      expect([payload, bodiesOf(bench)]).toEqual([payload, [["a"]]]);
    }
  });

  it("brings back only the messages that it names, when their visibility timeout ends", async () => {
    const bench = new QueueBench((invoke, index) => (index === 0 ? failing(invoke, "b") : {}), {
      reportFailures: true,
      maximumConcurrency: 1,
    });
    bench.queue.send(
      { body: "a", attributes: {}, systemAttributes: {}, senderId: "" },
      bench.queues.now(),
    );
    bench.send("b");
    await bench.clock.advance(60_000);
    expect(bodiesOf(bench)).toEqual([["a", "b"], ["b"]]);
    expect(timesOf(bench)).toEqual([0, 30_000]);
    expect(bench.invokes[1]?.event.Records[0]?.attributes).toMatchObject({
      ApproximateReceiveCount: "2",
    });
  });

  it.each([
    ["an unknown id", '{"batchItemFailures":[{"itemIdentifier":"x"}]}'],
    ["an empty id", '{"batchItemFailures":[{"itemIdentifier":""}]}'],
    ["another key", '{"batchItemFailures":[{"id":"x"}]}'],
    ["no list", '{"batchItemFailures":{}}'],
    ["no object", '"fine"'],
  ])("fails the whole batch when it has %s", async (_, payload) => {
    const bench = new QueueBench(() => ({ payload }), { reportFailures: true });
    bench.send("a");
    await bench.clock.advance(31_000);
    expect(bodiesOf(bench)).toEqual([["a"], ["a"]]);
  });

  it("is not looked at unless items are reported", async () => {
    const bench = new QueueBench(() => ({
      payload: '{"batchItemFailures":[{"itemIdentifier":"x"}]}',
    }));
    bench.send("a");
    await bench.clock.advance(40_000);
    expect(bodiesOf(bench)).toEqual([["a"]]);
  });
});

describe("a function error", () => {
  it("is retried when the visibility timeout ends, and lands in the dead-letter queue", async () => {
    const redrive = {
      deadLetterTargetArn: "arn:aws:sqs:eu-west-1:000000000000:dead",
      maxReceiveCount: 3,
    };
    const bench = new QueueBench(() => ({ kind: "function-error" }), {}, { redrive });
    bench.send("poison");
    await bench.clock.advance(100_000);
    expect(timesOf(bench)).toEqual([0, 30_000, 60_000]);
    expect(bench.dead.counts().visible).toBe(1);
  });

  const allFail = async (reportFailures: boolean): Promise<number> => {
    const bench = new QueueBench(() => ({ kind: "function-error", takesMs: 500 }), {
      batchMax: 1,
      reportFailures,
    });
    bench.sendMany(5_000);
    await bench.clock.advance(20_000);
    return bench.invokes.length;
  };

  it("takes pollers away, which reporting items prevents", async () => {
    const [backedOff, not] = [await allFail(false), await allFail(true)];
    expect(backedOff).toBeLessThan(150);
    expect(not).toBeGreaterThan(1_500);
  });
});

describe("a throttle", () => {
  it("holds the messages and tries again until their visibility timeout ends", async () => {
    const bench = new QueueBench((_, index) => ({ kind: index < 5 ? "throttled" : "ok" }));
    bench.send("a");
    await bench.clock.advance(60_000);
    // 1, 2, 4, 8 s apart; the next would come after 30 s, so the message is let go.
    expect(timesOf(bench)).toEqual([0, 1_000, 3_000, 7_000, 15_000, 30_000]);
    expect(bench.invokes[5]?.event.Records[0]?.attributes).toMatchObject({
      ApproximateReceiveCount: "2",
    });
  });

  it("alone can push a message into the dead-letter queue", async () => {
    const redrive = {
      deadLetterTargetArn: "arn:aws:sqs:eu-west-1:000000000000:dead",
      maxReceiveCount: 2,
    };
    const bench = new QueueBench(() => ({ kind: "throttled" }), {}, { redrive });
    bench.send("healthy");
    await bench.clock.advance(90_000);
    expect(bench.dead.counts().visible).toBe(1);
    expect(bench.queue.counts()).toEqual({ visible: 0, delayed: 0, inFlight: 0 });
  });

  /** A tenth of noisy-neighbour: as many as come are let in up to a ceiling of 15, 9 s a batch. */
  async function squeezed(spec: Partial<SqsMappingSpec>, visibilityTimeoutS: number) {
    const redrive = {
      deadLetterTargetArn: "arn:aws:sqs:eu-west-1:000000000000:dead",
      maxReceiveCount: 5,
    };
    let refused = 0;
    const bench: QueueBench = new QueueBench(
      () => {
        // The invoke that asks is not counted yet.
        if (bench.running < 15) return { takesMs: 9_000 };
        refused++;
        return { kind: "throttled" };
      },
      { batchMax: 10, reportFailures: true, maximumConcurrency: 100, ...spec },
      { visibilityTimeoutS, redrive },
      { start: 5, perMinute: 30, max: 125 },
    );
    for (let second = 0; second < 170; second++) {
      for (let i = 0; i < 30; i++) bench.send(`${second} ${i}`);
      await bench.clock.advance(1_000);
    }
    await bench.clock.advance(300_000);
    expect(bench.queue.counts()).toEqual({ visible: 0, delayed: 0, inFlight: 0 });
    return { refused, dead: bench.dead.counts().visible };
  }

  it("takes pollers away, which reporting items prevents", async () => {
    const backedOff = await squeezed({ reportFailures: false }, 30);
    const not = await squeezed({}, 30);
    expect(backedOff.refused).toBeLessThan(200);
    expect(not.refused).toBeGreaterThan(3_000);
    expect(backedOff.dead).toBe(0);
  });

  it.each([
    ["uses up five receives of healthy messages while there are more pollers than room", {}, 30, 1],
    ["uses up none when the visibility timeout is six times the function's", {}, 90, 0],
    ["does not happen when MaximumConcurrency is below", { maximumConcurrency: 10 }, 30, 0],
  ] as const)("%s", async (_, spec, visibilityS, lost) => {
    const { dead } = await squeezed(spec, visibilityS);
    if (lost > 0) expect(dead).toBeGreaterThan(100);
    else expect(dead).toBe(0);
  });
});

it("processes a message twice when the function outlasts the visibility timeout", async () => {
  const bench = new QueueBench(() => ({ takesMs: 31_000 }));
  bench.send("a");
  await bench.clock.advance(100_000);
  expect(timesOf(bench).slice(0, 2)).toEqual([0, 30_000]);
});

it("invokes no more once stopped, waits for what runs, and goes on when started", async () => {
  const bench = new QueueBench(() => ({ takesMs: 5_000 }), { batchMax: 1 });
  bench.sendMany(8);
  await bench.clock.advance(1);
  let stopped = false;
  const stop = bench.source.stop().then(() => {
    stopped = true;
  });
  await bench.clock.advance(4_000);
  expect([stopped, bench.invokes.length]).toEqual([false, 5]);
  await bench.clock.advance(20_000);
  await stop;
  expect(bench.invokes.length).toBe(5);
  bench.source.start();
  await bench.clock.advance(1);
  expect(bench.invokes.length).toBe(8);
});
