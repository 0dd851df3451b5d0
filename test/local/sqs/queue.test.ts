// A standard queue in virtual time: delays, visibility, receive counts, dead letters, retention.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MetricStore } from "../../../src/local/metrics/store.ts";
import type { Message } from "../../../src/local/sqs/message.ts";
import { md5OfAttributes } from "../../../src/local/sqs/message.ts";
import { IN_FLIGHT_MAX, type Queue } from "../../../src/local/sqs/queue.ts";
import { QueueTable } from "../../../src/local/sqs/queue-table.ts";
import { DEFAULT_SETTINGS, type QueueSettings } from "../../../src/local/sqs/settings.ts";
import { SqsMetrics } from "../../../src/local/sqs/sqs-metrics.ts";
import { TestClock } from "../../support/test-clock.ts";

class Bench {
  readonly clock = new TestClock();
  readonly queues = new QueueTable({
    clock: this.clock,
    account: "000000000000",
    region: "eu-west-1",
    metrics: new SqsMetrics(new MetricStore()),
  });
  readonly queue: Queue;

  constructor(settings: Partial<QueueSettings> = {}) {
    this.queue = this.queues.create("orders", { ...DEFAULT_SETTINGS, ...settings });
  }

  send(body: string, delayS?: number): Message {
    const message = { body, attributes: {}, systemAttributes: {}, senderId: "0" };
    return this.queues.send(this.queue, message, body.length, delayS);
  }

  async receive({ max = 10, waitS = 0, visibilityS = 30, queue = this.queue } = {}) {
    const received = await this.queues.receive(queue, { max, waitS, visibilityS });
    return received.map(({ message, receipt }) => ({
      body: message.body,
      count: message.receiveCount,
      receipt,
    }));
  }

  async bodies(options: { max?: number; waitS?: number; queue?: Queue } = {}): Promise<string[]> {
    return (await this.receive(options)).map(({ body }) => body);
  }
}

describe("a long run", () => {
  it("keeps nothing of messages that were deleted long before their timeout", async () => {
    const bench = new Bench();
    for (let i = 0; i < 5_000; i++) {
      bench.send(`m${i}`);
      const [received] = await bench.receive({ visibilityS: 43_200 });
      bench.queue.remove(bench.queue.find(received?.receipt ?? "") as Message);
    }
    expect(bench.queue.entries).toBeLessThan(1_010);
  });

  it("keeps nothing of messages that nobody ever received, once they are too old", async () => {
    const bench = new Bench({ retentionS: 60 });
    for (let minute = 0; minute < 10; minute++) {
      for (let i = 0; i < 1_000; i++) bench.send("m");
      await bench.clock.advance(61_000);
      bench.queue.advance(bench.queues.now());
    }
    expect(bench.queue.counts().visible).toBe(0);
    expect(bench.queue.entries).toBeLessThan(2_010);
  });

  it("hands out in order, and once, what is left when most have gone", async () => {
    const bench = new Bench();
    for (let i = 0; i < 4_000; i++) bench.send(String(i), i % 2);
    await bench.clock.advance(2_000);
    const seen: string[] = [];
    for (let some = await bench.receive({ visibilityS: 600 }); some.length > 0; ) {
      for (const { receipt, body } of some) {
        seen.push(body);
        if (Number(body) % 100 > 0) bench.queue.remove(bench.queue.find(receipt) as Message);
      }
      some = await bench.receive({ visibilityS: 600 });
    }
    expect(new Set(seen).size).toBe(4_000);
    for (let i = 0; i < 2_000; i++)
      bench.queue.hideFor(bench.send("x"), 1_000_000, bench.queues.now());
    await bench.clock.advance(601_000);
    const back: string[] = [];
    for (let some = await bench.bodies(); some.length > 0; some = await bench.bodies())
      back.push(...some.filter((body) => body !== "x"));
    expect(back.length).toBe(40);
  });
});

describe("a queue", () => {
  it("hides what was received until the visibility timeout ends, and counts receives", async () => {
    const bench = new Bench();
    bench.send("a");
    expect(await bench.receive()).toMatchObject([{ body: "a", count: 1 }]);
    await bench.clock.advance(29_999);
    expect(await bench.receive()).toEqual([]);
    await bench.clock.advance(1);
    expect(await bench.receive()).toMatchObject([{ body: "a", count: 2 }]);
  });

  it("shows a delayed message when its delay ends", async () => {
    const bench = new Bench({ delayS: 3 });
    bench.send("own", 1);
    bench.send("queue's");
    expect(bench.queue.counts()).toEqual({ visible: 0, delayed: 2, inFlight: 0 });
    await bench.clock.advance(1_000);
    expect(await bench.bodies()).toEqual(["own"]);
    await bench.clock.advance(2_000);
    expect(await bench.bodies()).toEqual(["queue's"]);
  });

  it("wakes a long poll with a message that is sent, in the order of the polls", async () => {
    const bench = new Bench();
    const polls = [bench.bodies({ max: 1, waitS: 20 }), bench.bodies({ max: 1, waitS: 20 })];
    await bench.clock.advance(5_000);
    bench.send("first");
    expect(await polls[0]).toEqual(["first"]);
    bench.send("second");
    expect(await polls[1]).toEqual(["second"]);
  });

  it("wakes a long poll when a visibility timeout ends", async () => {
    const bench = new Bench();
    bench.send("a");
    await bench.receive({ visibilityS: 4 });
    let got: string[] | null = null;
    const poll = bench.bodies({ waitS: 20 }).then((bodies) => {
      got = bodies;
    });
    await bench.clock.advance(3_999);
    expect(got).toBeNull();
    await bench.clock.advance(1);
    await poll;
    expect(got).toEqual(["a"]);
  });

  it("ends a long poll without a message after its wait", async () => {
    const bench = new Bench();
    let over = false;
    const poll = bench.bodies({ waitS: 2 }).then(() => {
      over = true;
    });
    await bench.clock.advance(1_999);
    expect(over).toBe(false);
    await bench.clock.advance(1);
    await poll;
    expect(over).toBe(true);
  });

  it("moves a message to the dead-letter queue at the receive after maxReceiveCount", async () => {
    const deadLetterTargetArn = "arn:aws:sqs:eu-west-1:000000000000:dead";
    const bench = new Bench({ redrive: { deadLetterTargetArn, maxReceiveCount: 2 } });
    const dead = bench.queues.create("dead", DEFAULT_SETTINGS);
    const sent = bench.send("poison");
    for (let receive = 1; receive <= 2; receive++) {
      expect(await bench.bodies()).toEqual(["poison"]);
      await bench.clock.advance(30_000);
    }
    expect(await bench.bodies()).toEqual([]);
    const [moved] = await bench.queues.receive(dead, { max: 1, waitS: 0, visibilityS: 30 });
    expect(moved?.message).toMatchObject({
      id: sent.id,
      sentEpochMs: sent.sentEpochMs,
      deadLetterSource: bench.queue.arn,
    });
    expect(bench.queue.counts()).toEqual({ visible: 0, delayed: 0, inFlight: 0 });
  });

  it("keeps a message whose dead-letter queue does not exist", async () => {
    const redrive = { deadLetterTargetArn: "arn:aws:sqs:eu-west-1:0:gone", maxReceiveCount: 1 };
    const bench = new Bench({ redrive });
    bench.send("a");
    await bench.receive();
    await bench.clock.advance(30_000);
    expect(await bench.receive()).toMatchObject([{ body: "a", count: 2 }]);
  });

  it("deletes with the latest handle, also when the message is visible again", async () => {
    const bench = new Bench();
    bench.send("a");
    const [first] = await bench.receive();
    await bench.clock.advance(30_000);
    const [second] = await bench.receive();
    expect(bench.queue.find(first?.receipt ?? "")).toBe("stale");
    await bench.clock.advance(30_000);
    const found = bench.queue.find(second?.receipt ?? "");
    expect(found).toMatchObject({ body: "a" });
    bench.queue.remove(found as Message);
    expect(await bench.bodies()).toEqual([]);
  });

  it("drops what is older than the retention period", async () => {
    const bench = new Bench({ retentionS: 60 });
    bench.send("old");
    await bench.clock.advance(60_001);
    expect(await bench.bodies()).toEqual([]);
    expect(bench.queue.counts().visible).toBe(0);
  });

  it("hands out no more than 120,000 messages at once", async () => {
    const bench = new Bench();
    for (let i = 0; i < IN_FLIGHT_MAX + 5; i++) bench.send("x");
    let taken = 0;
    for (let got = 10; got > 0; taken += got) got = (await bench.receive()).length;
    expect(taken).toBe(IN_FLIGHT_MAX);
  });

  it("loses and doubles nothing, whatever is received, deleted and waited for", async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("send" as const), delayS: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ do: fc.constant("receive" as const), hideS: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ do: fc.constant("delete" as const), which: fc.nat(9) }),
      fc.record({ do: fc.constant("wait" as const), ms: fc.nat(4_000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const bench = new Bench();
        const left = new Set<string>();
        const receipts: { receipt: string; body: string }[] = [];
        for (const [i, one] of steps.entries()) {
          if (one.do === "send") left.add(bench.send(String(i), one.delayS).body);
          if (one.do === "wait") await bench.clock.advance(one.ms);
          if (one.do === "receive")
            receipts.unshift(...(await bench.receive({ visibilityS: one.hideS })));
          const handle = one.do === "delete" ? receipts[one.which] : undefined;
          const found = handle === undefined ? null : bench.queue.find(handle.receipt);
          if (typeof found === "object" && found !== null) {
            bench.queue.remove(found);
            left.delete(found.body);
          }
          const { visible, delayed, inFlight } = bench.queue.counts();
          expect(visible + delayed + inFlight).toBe(left.size);
        }
        await bench.clock.advance(10_000);
        const all: string[] = [];
        for (let got = await bench.bodies(); got.length > 0; got = await bench.bodies())
          all.push(...got);
        expect(all.sort()).toEqual([...left].sort());
      }),
      { numRuns: 60 },
    );
  });
});

it.each([
  // As published with other SQS clients and stand-ins.
  [{ "SOME_Valid.attribute-Name": "1493147359900" }, "36655e7e9d7c0e8479fa3f3f42247ae7"],
  [{ timestamp: "1493147359900" }, "235c5c510d26fb653d073faed50ae77c"],
])("the checksum of the number attribute %o is %s", (numbers, sum) => {
  const attributes = Object.entries(numbers).map(([name, StringValue]) => [
    name,
    { DataType: "Number", StringValue },
  ]);
  expect(md5OfAttributes(Object.fromEntries(attributes))).toBe(sum);
});
