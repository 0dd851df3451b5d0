// Closed forms of capacity, cost and retries against worked examples, figure by figure.
import { describe, expect, it, test } from "vitest";
import {
  batchesOf,
  burstNeeds,
  concurrencyOf,
  consumersFor,
  provisionedFor,
  recordsPerSecond,
  shardsFor,
  shardsForCpu,
  splitInFlight,
} from "../../src/model/capacity.ts";
import {
  dynamoWriteUsd,
  firehoseUsd,
  HOURS_PER_MONTH,
  kinesisOnDemandUsd,
  kinesisUsd,
  lambdaUsd,
  provisionedUsd,
  SECONDS_PER_MONTH,
  testCost,
} from "../../src/model/cost.ts";
import { PRICES } from "../../src/model/prices.ts";
import {
  backlogOf,
  meanAttempts,
  visibilityTimeoutMs,
  worstAttempts,
} from "../../src/model/retries.ts";

/** 100,000 events of 1 KB a second, about 24 to a Kinesis record. */
const STREAM = { eventsPerSecond: 100_000, eventBytes: 1_000, eventsPerRecord: 24 };
const SHARDS = 125;

describe("a pipeline of 100,000 events a second", () => {
  const batches = batchesOf(STREAM, SHARDS, 2_000);
  const batchMs = 40 + batches.eventsPerBatch * 0.05;

  it("needs 4,167 records a second, 100 shards by bytes, 125 with headroom", () => {
    expect(recordsPerSecond(STREAM)).toBeCloseTo(4_167, 0);
    expect([shardsFor(STREAM), shardsFor(STREAM, 0.25)]).toEqual([100, 125]);
  });

  it("is 62.5 invocations a second of 1,600 events in about 67 records: 1.6 MB, 7.5 at once", () => {
    expect(batches.invocationsPerSecond).toBe(62.5);
    expect(batches.eventsPerBatch).toBe(1_600);
    expect(Math.round(batches.recordsPerBatch)).toBe(67);
    expect(batches.batchBytes).toBe(1_600_000);
    expect(batchMs).toBe(120);
    expect(concurrencyOf(batches.invocationsPerSecond, batchMs)).toBe(7.5);
  });

  it("needs 200 shards and 200 GB-s a second when an event takes 2 ms of processor", () => {
    expect(shardsForCpu(100_000, 2)).toBe(200);
    expect(STREAM.eventsPerSecond / SHARDS).toBe(800);
    expect(concurrencyOf(STREAM.eventsPerSecond, 2)).toBe(200);
    const [idle, busy] = [lambdaUsd(1, 0, 1_024), lambdaUsd(1, 1_000, 1_024)];
    expect(Math.round(200 * SECONDS_PER_MONTH * (busy - idle))).toBe(8_760);
  });

  it("costs what the worked example says, by the month of 730 hours", () => {
    const records = recordsPerSecond(STREAM) * SECONDS_PER_MONTH;
    const invocations = batches.invocationsPerSecond * SECONDS_PER_MONTH;
    const bytes = STREAM.eventsPerSecond * STREAM.eventBytes * SECONDS_PER_MONTH;
    const provisioned = kinesisUsd(SHARDS, HOURS_PER_MONTH, records, 24_000);
    const onDemand = kinesisOnDemandUsd(bytes, 2);
    const lambda = lambdaUsd(invocations, batchMs, 1_024);
    const perEvent = STREAM.eventsPerSecond * SECONDS_PER_MONTH * PRICES.lambdaRequest.usd;
    const dynamo = dynamoWriteUsd(invocations * (2 * 1 + 2 * 4 * 1.05));
    const archive = firehoseUsd(records, 24_000);
    const total = provisioned + lambda + dynamo + archive;
    const whole = [provisioned, onDemand, lambda, perEvent, dynamo, archive, total];
    expect(whole.map(Math.round)).toEqual([1_522, 42_048, 361, 52_560, 1_068, 7_939, 10_890]);
    expect((100 * archive) / total).toBeCloseTo(73, 0);
    expect(onDemand / provisioned).toBeGreaterThan(20);
  });
});

describe("a click counter", () => {
  it("of 2,000 clicks a second at 15 ms needs 30 environments", () => {
    expect(concurrencyOf(2_000, 15)).toBe(30);
  });
});

describe("a burst on a 120 ms handler with 12 warm environments", () => {
  test.each([
    [100, 1_000, 12, 0, 0, 0],
    [5_000, 1_000, 600, 588, 0, 0],
    [15_000, 1_000, 1_800, 988, 0, 800],
    [15_000, 3_000, 1_800, 1_788, 7.9, 0],
  ])("at %i/s, quota %i", (perSecond, quota, needed, cold, scalingS, gap) => {
    const found = burstNeeds({ perSecond, quota, durationMs: 120, warm: 12 });
    expect([found.needed, found.cold, found.gap]).toEqual([needed, cold, gap]);
    expect(found.scalingS).toBeCloseTo(scalingS, 1);
  });

  it("leaves a gap of 44 % at 15,000/s and a quota of 1,000", () => {
    const found = burstNeeds({ perSecond: 15_000, quota: 1_000, durationMs: 120, warm: 12 });
    expect((100 * found.gapShare).toFixed(0)).toBe("44");
  });

  it("meets the request rate before the concurrency when the handler is short", () => {
    const found = burstNeeds({ perSecond: 30_000, quota: 1_000, durationMs: 20, warm: 0 });
    expect([found.needed, found.gap, found.rateCeiling]).toEqual([600, 0, 10_000]);
  });

  it("is met by 660 provisioned environments; 600 of 1 GB cost 9 $ an hour, 6,570 $ a month", () => {
    expect(provisionedFor(600)).toBe(660);
    expect(provisionedUsd(600, 1_024, 1).toFixed(2)).toBe("9.00");
    expect(Math.round(provisionedUsd(600, 1_024, HOURS_PER_MONTH))).toBe(6_570);
  });
});

describe("a partner that takes 100 requests a second of 200 ms", () => {
  it("allows 20 consumers", () => expect(consumersFor(100, 200)).toBe(20));

  it("gets up to 64 attempts for one request through three layers of three retries", () => {
    expect(worstAttempts(3, 3)).toBe(64);
    expect(meanAttempts(1, 4)).toBe(4);
    expect(meanAttempts(0, 4)).toBe(1);
    expect(meanAttempts(0.5, 3)).toBe(1.75);
  });

  it("is down for 600 s: 36,000 queued, 900 s to drain, 25 min in all, the first waits 10 min", () => {
    expect(backlogOf({ perSecond: 60, outageS: 600, capacityPerSecond: 100 })).toEqual({
      queued: 36_000,
      drainS: 900,
      incidentS: 1_500,
      firstWaitS: 600,
    });
  });

  it("never drains without headroom", () => {
    const { drainS } = backlogOf({ perSecond: 100, outageS: 1, capacityPerSecond: 100 });
    expect(drainS).toBe(Number.POSITIVE_INFINITY);
    expect(backlogOf({ perSecond: 0, outageS: 9, capacityPerSecond: 0 }).incidentS).toBe(9);
  });

  it("wants a visibility timeout of six function timeouts", () => {
    expect(visibilityTimeoutMs(30_000)).toBe(180_000);
    expect(visibilityTimeoutMs(30_000, 2_000)).toBe(182_000);
  });
});

describe("an endpoint that moves", () => {
  test.each([
    [40, 6],
    [200, 30],
  ])("at %i/s of 150 ms has %i in flight", (perSecond, inFlight) => {
    expect(concurrencyOf(perSecond, 150)).toBe(inFlight);
  });
});

describe("a checkout with 400 provisioned and 800 reserved", () => {
  test.each([
    [2_000, 150, 300],
    [4_500, 150, 675],
    [4_500, 600, 2_700],
  ])("at %i/s of %i ms has %i in flight", (perSecond, durationMs, inFlight) => {
    expect(concurrencyOf(perSecond, durationMs)).toBe(inFlight);
  });

  test.each([
    [300, { provisioned: 300, spilled: 0, refused: 0 }],
    [675, { provisioned: 400, spilled: 275, refused: 0 }],
    [850, { provisioned: 400, spilled: 400, refused: 50 }],
  ])("%i in flight are split", (inFlight, split) => {
    expect(splitInFlight(inFlight, { provisioned: 400, reserved: 800 })).toEqual(split);
  });
});

describe("the cost of a test", () => {
  const use = {
    httpRequests: 1_000_000,
    invocations: 1_000_000,
    durationMs: 100,
    memoryMb: 1_024,
    sqsMessages: 0,
    kinesisRecords: 0,
    recordBytes: 0,
    logBytes: 1e9,
    metricsRequested: 1_000,
    ...{ traces: 1_000_000, answerBytes: 4e9, schedules: 2, sinks: 1 },
  };

  it("names every part and what is not priced", () => {
    const lines = testCost(use).map(({ what, usd }) => `${what} ${usd?.toFixed(2) ?? "?"}`);
    expect(lines).toEqual([
      "gateway (HTTP API) 1.00",
      "function requests 0.20",
      "function time 1.67",
      "logs 0.50",
      "tracing 5.00",
      "data out 0.36",
      "scheduler, at most 0.00",
      "metrics read 0.01",
      "reading the sinks ?",
      "what the functions call ?",
    ]);
  });

  it("leaves out what there is nothing of, and says that tracing is not known", () => {
    const none = { ...use, traces: null, answerBytes: 0, schedules: 0, sinks: 0 };
    expect(testCost(none).map(({ what }) => what)).toEqual([
      ...["gateway (HTTP API)", "function requests", "function time", "logs", "metrics read"],
      ...["tracing where it is active", "what the functions call"],
    ]);
  });

  it("says so when the duration is not known", () => {
    const lines = testCost({ ...use, durationMs: null }).filter(({ usd }) => usd === null);
    expect(lines.map(({ what }) => what)).toContain("function time (its duration is not known)");
  });

  it("gives every price a source and a date", () => {
    for (const { source, date } of Object.values(PRICES)) {
      expect(source).not.toBe("");
      expect(date).toMatch(/^2026(-\d\d-\d\d)?$/);
    }
  });
});
