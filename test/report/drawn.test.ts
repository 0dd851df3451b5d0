// What a report shows beside its verdicts: faults, where time went, cold starts, streams.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, describe, expect, it } from "vitest";
import type { FaultEvent, PlatformRow, RunEvent } from "../../src/core/facts.ts";
import { outcomeCode } from "../../src/core/outcome.ts";
import type { Drawn } from "../../src/report/drawn-result.ts";
import { report } from "../../src/report/report.ts";
import { reportOf, requestId } from "../support/judged-run.ts";
import {
  type AttemptSpec,
  EPOCH_MS,
  planFor,
  plannedLoad,
  platformRow,
  quietEvents,
  type RunSpec,
  writeRun,
} from "../support/run-directory.ts";

const S = 1e6;
const dir = mkdtempSync(join(tmpdir(), "gatecrash-drawn-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const drawnOf = async (spec: RunSpec): Promise<Drawn> => (await reportOf(spec)).drawn;

const step = (t: number, name: FaultEvent["step"], more: Partial<FaultEvent> = {}): RunEvent => {
  return { t, kind: "fault", fault: "zero", step: name, ...more };
};

describe("a fault", () => {
  /** Ten a second for twenty seconds; a buyer of every second one, refused from 6 s to 8 s. */
  const spec = (steady: string[]): RunSpec => {
    const attempts = Array.from({ length: 200 }, (_, index): AttemptSpec => {
      const dueUs = index * 100_000;
      const refused = index % 2 === 0 && dueUs >= 6 * S && dueUs < 8 * S;
      return { index, dueUs, route: index % 2, ...(refused ? { outcome: "errored" } : {}) };
    });
    const plan = planFor(
      {
        loads: [plannedLoad({ name: "shopper", routes: ["", "browse"] })],
        phases: [{ name: "all", start_us: 0, end_us: 20 * S }],
        quota: { concurrency: 50 },
        faults: [
          {
            ...{ name: "zero", kind: "reserved-concurrency", during: null },
            ...{ start_us: 5 * S, end_us: 9 * S, resources: ["arn:aws:lambda:r:1:function:shop"] },
          },
        ],
        criteria: { accept: [], steady, stop_when: ["alarm errors"] },
      },
      attempts,
    );
    const change = { fields: { ReservedConcurrentExecutions: 7 } };
    const events = [
      ...quietEvents(20, 200),
      step(5 * S, "asked", { ...change, detail: "ReservedConcurrentExecutions 7 → 0" }),
      ...[step(5.5 * S, "onset"), step(9 * S, "restore-asked")],
      ...[step(9.1 * S, "verified", change), step(9.5 * S, "cleared")],
      { t: 3 * S, kind: "alarm", alarm: "errors", state: "ALARM", detail: "" } as const,
      { t: 7.2 * S, kind: "alarm", alarm: "errors", state: "ALARM", detail: "" } as const,
    ];
    return { plan, attempts, events };
  };

  it("is noticed in its first bad second, has a worst one, and spends what was allowed", async () => {
    const effect = (await drawnOf(spec(["shopper.errors.rate <= 10%"]))).faultEffects.zero!;
    expect(effect).toEqual({
      detected: { us: 6 * S, by: "shopper.errors.rate <= 10%" },
      alarm: { us: 7.2 * S, name: "errors" },
      worst: { us: 6 * S, share: 0.5, n: 10 },
      spent: [{ text: "shopper.errors.rate <= 10%", share: 10 / 20 }],
      shares: [
        { name: "shopper, other requests", sent: 17, ok: 7, degraded: 0, attempts: 17 },
        { name: "shopper.browse", sent: 18, ok: 18, degraded: 0, attempts: 18 },
      ],
      recovery: { us: 0, atLeastUs: 0, observedUs: 10 * S },
    });
  });

  it("may go unnoticed by what is called steady", async () => {
    const { zero } = (await drawnOf(spec(["shopper.errors.rate <= 60%"]))).faultEffects;
    expect(zero).toMatchObject({ detected: null, worst: { share: 0.5 } });
  });

  it("draws the reserved concurrency that it set, beside the account's quota", async () => {
    expect((await drawnOf(spec([]))).limits).toEqual([
      { name: "account quota", points: [{ atUs: 0, value: 50 }] },
      {
        name: "reserved for shop",
        points: [
          { atUs: 0, value: 7 },
          { atUs: 5 * S, value: 0 },
          { atUs: 9 * S, value: 7 },
        ],
      },
    ]);
  });
});

const line = (i: number, more: Partial<PlatformRow>): PlatformRow =>
  platformRow({
    ...{ kind: "report", function: "shop", version: "7", request_id: requestId(i), duration: 100 },
    ...{ at: EPOCH_MS, stream: "a", init: null },
    ...more,
  });

async function invoked(platform: readonly PlatformRow[], count = 1): Promise<Drawn> {
  const attempts = Array.from({ length: count }, (_, index): AttemptSpec => {
    return {
      index,
      dueUs: index * 1_000,
      lagUs: 0,
      serviceUs: 200_000,
      requestId: requestId(index),
    };
  });
  const plan = planFor({ loads: [plannedLoad({ name: "shopper" })], joins: true }, attempts);
  return await drawnOf({ plan, attempts, events: quietEvents(1, count), platform });
}

it("the time of an answer is init, handler, the front's share, and the way", async () => {
  const access = (i: number, ms: number) =>
    platformRow({
      ...{
        kind: "access",
        front_request_id: requestId(i),
        request_id: requestId(100 + i),
        duration: ms,
      },
    });
  const { timeParts } = await invoked(
    [
      ...[line(100, { init: 50 }), line(101, { duration: 120 }), line(2, { duration: 150 })],
      ...[access(0, 160), access(1, 130)],
    ],
    3,
  );
  const both = (us: number) => ({ p50Us: us, p99Us: us });
  expect(timeParts).toEqual([
    {
      ...{ load: "shopper", arm: "", start: "cold", n: 1, init: both(50_000) },
      ...{ handler: both(100_000), front: both(10_000), way: both(40_000) },
    },
    {
      ...{ load: "shopper", arm: "", start: "warm", n: 2, init: null },
      ...{ handler: { p50Us: 120_000, p99Us: 150_000 }, front: both(10_000) },
      way: { p50Us: 50_000, p99Us: 70_000 },
    },
  ]);
});

describe("a cold start", () => {
  /** Invocations that last 100 ms, by environment and second of their end; `*` is a cold start. */
  const causes = async (
    ...lines: readonly (readonly [stream: string, s: number, v?: string])[]
  ) => {
    const rows = lines.map(([stream, s, version = "7"], i) =>
      line(i, {
        ...{ stream: stream.replace("*", ""), at: EPOCH_MS + s * 1_000, version },
        init: stream.endsWith("*") ? 10 : null,
      }),
    );
    const { name: _, invocations: __, cold: ___, ...by } = (await invoked(rows)).coldCauses[0]!;
    return Object.fromEntries(Object.entries(by).filter(([, n]) => n > 0));
  };

  it("is the first of its version, or one more than were ever there", async () => {
    expect(await causes(["a*", 1], ["b*", 1.05], ["a", 2], ["b", 2], ["c*", 2.05])).toEqual({
      ...{ firstOfVersion: 1, scaleOut: 2 },
    });
    expect(await causes(["a*", 1], ["b*", 2, "8"], ["a", 3])).toEqual({ firstOfVersion: 2 });
  });

  it("is in place of one that is not used again", async () => {
    expect(await causes(["a*", 1], ["b*", 2], ["b", 3])).toEqual({ firstOfVersion: 1, inPlace: 1 });
  });

  it("comes after a pause of a minute", async () => {
    expect(await causes(["a*", 1], ["b*", 70])).toEqual({ firstOfVersion: 1, afterPause: 1 });
    expect(await causes(["a*", 1], ["b*", 50])).toEqual({ firstOfVersion: 1, inPlace: 1 });
  });
});

it("records of a stream are counted by shard and by the second of their answer", async () => {
  const attempts = [0.2, 0.9, 1.1, 2.5].map((s, index): AttemptSpec => {
    return { index, dueUs: s * S, lagUs: 0, serviceUs: 200_000 };
  });
  const phases = [{ name: "all", start_us: 0, end_us: 3 * S }];
  const plan = planFor({ loads: [plannedLoad({ name: "clicks" })], phases }, attempts);
  writeRun(dir, { plan, attempts, events: quietEvents(3, 4) });
  mkdirSync(join(dir, "items"));
  const items = {
    ...{ load: [0, 0, 0, 0, 0], index: [0, 1, 2, 2, 3], shard: [0, 1, -1, 0, 0] },
    outcome: ["ok", "ok", "throttled", "ok", "ok"].map((one) => outcomeCode(one as "ok")),
  };
  const columnData = Object.entries(items).map(([name, values]) => ({
    ...{ name, data: Int32Array.from(values), type: "INT32" as const, nullable: false },
  }));
  const file = new Uint8Array(parquetWriteBuffer({ columnData, statistics: false }));
  writeFileSync(join(dir, "items", "0-0-0.parquet"), file);
  expect((await report(dir)).drawn.streams).toEqual({
    shards: [
      { load: "clicks", shard: 0, records: 3, stored: [1, 1, 1] },
      { load: "clicks", shard: 1, records: 1, stored: [0, 1, 0] },
    ],
    refused: { clicks: 1 },
  });
});
