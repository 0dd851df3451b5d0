// Firing whole calls in virtual time: readiness, resends by index, limits, stops, the balance.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer, Arrival, BatchTarget, Call } from "../../src/core/arrival.ts";
import type { Outcome } from "../../src/core/outcome.ts";
import { runUs } from "../../src/core/time.ts";
import { PUT_RECORDS, putRecords } from "../../src/drivers/put-records.ts";
import type { FireLoad } from "../../src/run/fire-load.ts";
import { answer } from "../support/answers.ts";
import { FireBench } from "../support/fire-bench.ts";
import type { TestClock } from "../support/test-clock.ts";

type Ended = Exclude<Outcome, "dropped">;
/** What becomes of each key of the n-th call (from 0); null = it never answers. */
type Serve = (keys: readonly string[], n: number) => readonly Ended[] | null;

const SERVICE_US = 5_000;
const keyOf = (call: Call): string => (call.kind === "item" ? call.key : "");

/** A stream as a function of the calls it has seen. */
class ScriptedStream implements BatchTarget {
  readonly calls: string[] = [];
  readonly inFlight = 0;
  readonly #clock: () => TestClock;
  readonly #serve: Serve;

  constructor(clock: () => TestClock, serve: Serve) {
    this.#clock = clock;
    this.#serve = serve;
  }

  send(): void {
    throw new Error("a batch target is sent batches");
  }

  sendBatch(calls: readonly Call[], done: (answers: readonly Answer[]) => void): void {
    const clock = this.#clock();
    const keys = calls.map(keyOf);
    const sentUs = clock.nowUs();
    const outcomes = this.#serve(keys, this.calls.length);
    this.calls.push(`${sentUs / 1_000}: ${keys.join("")}`);
    if (outcomes === null) return;
    clock.at(sentUs + SERVICE_US, () => {
      const doneUs = clock.nowUs();
      done(outcomes.map((outcome) => answer({ sentUs, firstByteUs: doneUs, doneUs, outcome })));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const records = (...dueMs: number[]): Arrival[] =>
  dueMs.map((ms, index) => ({
    index,
    dueUs: runUs(ms * 1_000),
    route: 0,
    call: { kind: "item", key: "abcdefghijklmnopqrstuvwxyz"[index % 26]!, data: new Uint8Array(1) },
  }));

const ALL_OK: Serve = (keys) => keys.map(() => "ok");
const RESEND = {
  attempts: 3,
  on: ["throttled"],
  backoffUs: 10_000,
  maxUs: 1_000_000,
  jitter: "none",
} as const;

function play(arrivals: Arrival[], serve: Serve, load: Partial<FireLoad> = {}, recordsMax = 3) {
  const stream: ScriptedStream = new ScriptedStream(() => bench.clock, serve);
  const form = putRecords({ ...PUT_RECORDS, recordsMax, lingerUs: 20_000 });
  const batching = { target: stream, form };
  const bench: FireBench = new FireBench({ arrivals, batching, ...load }, () => null);
  return { bench, stream };
}

describe("a call", () => {
  it("goes out when it is full or has lingered, and waiting for that is no lag", async () => {
    const { bench, stream } = play(records(0, 1, 2, 10, 11), ALL_OK);
    await bench.play();
    expect(stream.calls).toEqual(["2: abc", "30: de"]);
    expect(bench.rows.map(({ dueUs, readyUs, sentUs }) => [dueUs, readyUs, sentUs])).toEqual([
      [0, 2_000, 2_000],
      [1_000, 2_000, 2_000],
      [2_000, 2_000, 2_000],
      [10_000, 30_000, 30_000],
      [11_000, 30_000, 30_000],
    ]);
  });

  it("never waits for another's answer", async () => {
    const { bench, stream } = play(records(0, 0, 0, 1, 1, 1), () => null);
    await bench.play();
    expect(stream.calls).toEqual(["0: abc", "1: def"]);
    expect(bench.counts).toMatchObject({ sent: 6, unknown: 6, in_flight: 0 });
  });
});

describe("a call that failed in part", () => {
  it("is sent again by index only, and each record is counted once", async () => {
    const serve: Serve = (keys, n) =>
      keys.map((key) => (n === 0 && key !== "b" ? "throttled" : "ok"));
    const { bench, stream } = play(records(0, 0, 0), serve, { resend: RESEND });
    await bench.play();
    expect(stream.calls).toEqual(["0: abc", "15: ac"]);
    expect(bench.counts).toMatchObject({ sent: 3, ok: 3, throttled: 0, attempts: 5 });
    expect(bench.lastRows.map(({ attempt, readyUs }) => [attempt, readyUs])).toEqual([
      [2, 15_000],
      [1, 0],
      [2, 15_000],
    ]);
  });

  it("is given up after its attempts", async () => {
    const serve: Serve = (keys) => keys.map((key) => (key === "a" ? "throttled" : "ok"));
    const { bench, stream } = play(records(0, 0), serve, { resend: RESEND }, 2);
    await bench.play();
    expect(stream.calls).toEqual(["0: ab", "15: a", "40: a"]);
    expect(bench.counts).toMatchObject({ ok: 1, throttled: 1, attempts: 4 });
  });
});

describe("the in-flight limit", () => {
  it("counts records: what does not fit is dropped", async () => {
    const { bench, stream } = play(records(0, 0, 0, 1, 1, 1), ALL_OK, { inFlightMax: 4 });
    await bench.play();
    expect(stream.calls).toEqual(["0: abc", "1: d"]);
    expect(bench.counts).toMatchObject({ sent: 4, dropped: 2 });
  });
});

describe("a stop", () => {
  it("drops what has not been sent and waits for what has", async () => {
    const { bench, stream } = play(records(0, 0, 0, 1), ALL_OK);
    bench.clock.advanceSync(2);
    bench.firing.stop();
    await bench.play();
    expect(stream.calls).toEqual(["0: abc"]);
    expect(bench.counts).toMatchObject({ sent: 3, ok: 3, dropped: 1 });
  });
});

it("the books balance whatever the stream, the limits, the resends and the stop do", async () => {
  const outcomes = fc.constantFrom<Ended>("ok", "ok", "throttled", "errored", "unknown");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(200), { maxLength: 60 }),
      fc.infiniteStream(outcomes),
      fc.record({
        inFlightMax: fc.integer({ min: 1, max: 20 }),
        recordsMax: fc.integer({ min: 1, max: 6 }),
        stopMs: fc.option(fc.nat(300)),
        silent: fc.boolean(),
      }),
      async (dueMs, answers, { inFlightMax, recordsMax, stopMs, silent }) => {
        const sorted = records(...dueMs.sort((a, b) => a - b));
        const serve: Serve = (keys, n) =>
          silent && n % 3 === 2 ? null : keys.map(() => answers.next().value!);
        const load = { inFlightMax, resend: RESEND };
        const { bench } = play(sorted, serve, load, recordsMax);
        if (stopMs !== null) {
          bench.clock.advanceSync(stopMs);
          bench.firing.stop();
        }
        await bench.play();
        const { sent, dropped, ok, throttled, errored, unknown, in_flight } = bench.counts;
        expect(sent + dropped).toBe(sorted.length);
        expect([ok + throttled + errored + unknown, in_flight]).toEqual([sent, 0]);
        const firsts = bench.rows.filter(({ attempt }) => attempt <= 1).map(({ index }) => index);
        expect(firsts.sort((a, b) => a - b)).toEqual(sorted.map(({ index }) => index));
        for (const { readyUs, dueUs, attempt, sentUs } of bench.rows)
          if (attempt > 0) expect([readyUs >= dueUs, sentUs >= readyUs]).toEqual([true, true]);
      },
    ),
  );
});
