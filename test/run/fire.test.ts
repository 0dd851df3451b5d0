// Firing in virtual time: schedule, limit, resends, the end, and what known tools get wrong.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Resend } from "../../src/core/scenario.ts";
import { limitOfShare } from "../../src/run/fire-load.ts";
import { atRate, atTimes, FireBench, percentile, type Serve } from "../support/fire-bench.ts";

const MS = 1_000;
const S = 1_000_000;
const taking =
  (us: number): Serve =>
  () => ({ afterUs: us });
const responses = (bench: FireBench) => bench.lastRows.map((row) => row.doneUs - row.dueUs);

const RETRY: Resend = {
  attempts: 3,
  on: ["throttled", "errored"],
  backoffUs: 300 * MS,
  maxUs: 10 * S,
  jitter: "full",
};

describe("the schedule", () => {
  test("every arrival is sent at its due time, whatever the replies do", async () => {
    const bench = await new FireBench({ arrivals: atRate(100, 500) }, taking(2 * S)).play();
    expect(bench.seenUs).toEqual([...atRate(100, 500)].map((arrival) => arrival.dueUs));
  });

  test("the shares of three workers are disjoint and together the whole", async () => {
    const shares = [0, 1, 2].map(
      (index) => new FireBench({ arrivals: atRate(50, 100), share: { index, of: 3 } }, taking(MS)),
    );
    for (const bench of shares) await bench.play();
    const indexes = shares.flatMap((bench) => bench.rows.map((row) => row.index));
    expect(indexes.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(shares[1]!.rows.every((row) => row.index % 3 === 1)).toBe(true);
  });

  test("the time waited for the next arrival is never in a service time: 1, 16 and 256 per second", async () => {
    for (const rate of [1, 16, 256]) {
      const bench = await new FireBench({ arrivals: atRate(rate, 50) }, taking(2 * MS)).play();
      const service = bench.rows.map((row) => row.doneUs - row.sentUs);
      expect([rate, percentile(service, 50), percentile(service, 100)]).toEqual([
        rate,
        2 * MS,
        2 * MS,
      ]);
    }
  });

  test("a stall of the server causes no burst afterwards: 50/s stays 50 in every second", async () => {
    const stall: Serve = (at) => ({ afterUs: at >= 5 * S && at < 7 * S ? 7 * S - at : 10 * MS });
    const bench = await new FireBench({ arrivals: atRate(50, 750), inFlightMax: 60 }, stall).play();
    const seen = bench.seenUs;
    const most = Math.max(...seen.map((t) => seen.filter((u) => u >= t && u < t + S).length));
    expect(most).toBe(50);
    expect(bench.counts.dropped).toBe(40);
  });

  test("a generator that wakes late sends what is due at once and shows the lag", async () => {
    const bench = new FireBench(
      { arrivals: atTimes([0, 10, 20, 30].map((ms) => ms * MS)) },
      taking(MS),
    );
    bench.clock.at(5 * MS, () => bench.clock.block(20));
    await bench.play();
    expect(bench.rows.map((row) => row.sentUs - row.readyUs)).toEqual([0, 15 * MS, 5 * MS, 0]);
    expect(bench.rows.every((row) => row.readyUs === row.dueUs)).toBe(true);
  });
});

describe("the in-flight limit", () => {
  test("an arrival that finds the load at its limit is dropped and counted, never delayed", async () => {
    const bench = await new FireBench(
      { arrivals: atRate(10, 10), inFlightMax: 2 },
      taking(S),
    ).play();
    expect(
      bench.rows.filter((row) => row.attempt === 0).map((row) => [row.index, row.reason]),
    ).toEqual([2, 3, 4, 5, 6, 7, 8, 9].map((index) => [index, "in-flight"]));
    expect(bench.counts).toMatchObject({ sent: 2, dropped: 8, ok: 2 });
  });

  test("is split evenly over workers, and too small a limit is refused", () => {
    expect([0, 1, 2].map((index) => limitOfShare(8, { index, of: 3 }))).toEqual([3, 3, 2]);
    expect(() => limitOfShare(1, { index: 0, of: 2 })).toThrow("cannot be split");
  });
});

describe("coordinated omission", () => {
  test("a stall of 15 s in 30 s is seen from the schedule: p50 50 ms, p75 7.5 s, p95 13.5 s", async () => {
    const stall: Serve = (at) => ({
      afterUs: Math.max(0, at >= 7 * S ? 22 * S - at : 0) + 50 * MS,
    });
    const bench = await new FireBench(
      { arrivals: atRate(100, 3_000), graceUs: 30 * S },
      stall,
    ).play();
    const seen = responses(bench);
    expect(percentile(seen, 50) / S).toBeCloseTo(0.05, 1);
    expect(percentile(seen, 75) / S).toBeCloseTo(7.55, 1);
    expect(percentile(seen, 95) / S).toBeCloseTo(13.55, 1);
    expect(seen.reduce((a, b) => a + b, 0) / seen.length / S).toBeCloseTo(3.8, 1);
  });

  test("a server of 1 s at 5/s with one slot: what cannot be sent is dropped, and the rest is fast", async () => {
    const bench = await new FireBench(
      { arrivals: atRate(5, 150), inFlightMax: 1 },
      taking(S - 1),
    ).play();
    expect(bench.counts).toMatchObject({ sent: 30, dropped: 120, ok: 30 });
    expect(percentile(responses(bench), 50)).toBe(S - 1);
  });

  test("a queue in front of that server is felt: the i-th response takes 1 + 0.8 i seconds", async () => {
    let freeUs = 0;
    const queue: Serve = (at) => {
      freeUs = Math.max(freeUs, at) + S;
      return { afterUs: freeUs - at };
    };
    const bench = await new FireBench({ arrivals: atRate(5, 150), graceUs: 200 * S }, queue).play();
    const seen = responses(bench).filter((_, i) => i < 30);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => S + i * 800 * MS));
  });
});

describe("resends", () => {
  const throttleFirst = (n: number): Serve => {
    return (_, seen) =>
      seen < n ? { afterUs: 10 * MS, outcome: "throttled" } : { afterUs: 10 * MS };
  };

  test("is sent again after the backoff, as an attempt of its own", async () => {
    const resend: Resend = { ...RETRY, jitter: "none" };
    const bench = await new FireBench({ arrivals: atRate(1, 1), resend }, throttleFirst(2)).play();
    expect(bench.rows).toEqual([
      {
        index: 0,
        attempt: 1,
        outcome: "throttled",
        reason: "",
        dueUs: 0,
        readyUs: 0,
        sentUs: 0,
        doneUs: 10_000,
      },
      {
        index: 0,
        attempt: 2,
        outcome: "throttled",
        reason: "",
        dueUs: 0,
        readyUs: 310_000,
        sentUs: 310_000,
        doneUs: 320_000,
      },
      {
        index: 0,
        attempt: 3,
        outcome: "ok",
        reason: "",
        dueUs: 0,
        readyUs: 920_000,
        sentUs: 920_000,
        doneUs: 930_000,
      },
    ]);
    expect(bench.counts).toMatchObject({ sent: 1, attempts: 3, ok: 1, throttled: 0 });
  });

  test("ends with the last outcome after the last attempt", async () => {
    const bench = await new FireBench(
      { arrivals: atRate(1, 1), resend: RETRY },
      throttleFirst(9),
    ).play();
    expect(bench.rows.map((row) => row.attempt)).toEqual([1, 2, 3]);
    expect(bench.counts).toMatchObject({ sent: 1, attempts: 3, throttled: 1, ok: 0 });
  });

  test("does not resend what the policy does not name", async () => {
    const timeouts: Serve = () => ({ afterUs: S, outcome: "unknown", reason: "timeout" });
    const bench = await new FireBench({ arrivals: atRate(1, 3), resend: RETRY }, timeouts).play();
    expect(bench.counts).toMatchObject({ sent: 3, attempts: 3, unknown: 3 });
  });

  test("is given up when it is ready and the load is at its limit", async () => {
    const serve: Serve = (_, n) =>
      n === 0 ? { afterUs: 10 * MS, outcome: "throttled" } : { afterUs: 5 * S };
    const arrivals = atTimes([0, 20 * MS]);
    const resend: Resend = { ...RETRY, jitter: "none" };
    const bench = await new FireBench(
      { arrivals, resend, inFlightMax: 1, graceUs: 9 * S },
      serve,
    ).play();
    expect(bench.counts).toMatchObject({ sent: 2, attempts: 2, throttled: 1, ok: 1, given_up: 1 });
  });

  test("the same seed gives the same resends, also when replies come in another order", async () => {
    const readies = async (seed: number, jitterUs: number) => {
      const serve: Serve = (_, n) => ({
        afterUs: 10 * MS + ((n * jitterUs) % 97),
        outcome: "throttled",
      });
      const bench = new FireBench({ arrivals: atRate(1_000, 50), resend: RETRY }, serve, seed);
      const rows = (await bench.play()).rows.filter((row) => row.attempt === 2);
      const waits = rows.map((row) => {
        const before = bench.rows.find((r) => r.index === row.index && r.attempt === 1)!;
        return [row.index, row.readyUs - before.doneUs] as const;
      });
      return waits.sort((a, b) => a[0] - b[0]);
    };
    expect(await readies(7, 0)).toEqual(await readies(7, 31));
    expect(await readies(7, 0)).not.toEqual(await readies(8, 0));
  });

  test.each<[string, number, Partial<Resend>, number]>([
    ["longer than the backoff, is waited for", 2_000, {}, 2 * S],
    ["shorter than the backoff, changes nothing", 100, {}, 300 * MS],
    ["longer than max, ends there", 60_000, {}, 10 * S],
    ["said, and to be ignored, is not waited for", 2_000, { retryAfter: "ignore" }, 300 * MS],
  ])("a Retry-After %s", async (_, retryAfterMs, more, waitUs) => {
    const resend: Resend = { ...RETRY, jitter: "none", attempts: 2, ...more };
    const refused = { afterUs: 10 * MS, outcome: "throttled", retryAfterMs } as const;
    const serve: Serve = (_at, seen) => (seen === 0 ? refused : { afterUs: 10 * MS });
    const bench = await new FireBench({ arrivals: atRate(1, 1), resend }, serve).play();
    expect(bench.rows.map(({ readyUs }) => readyUs)).toEqual([0, 10 * MS + waitUs]);
  });

  test("full jitter stays within the doubled backoff and its ceiling", async () => {
    const policy: Resend = { ...RETRY, attempts: 5, maxUs: S };
    const serve: Serve = () => ({ afterUs: MS, outcome: "errored", reason: "status" });
    const bench = await new FireBench({ arrivals: atRate(100, 200), resend: policy }, serve).play();
    for (const row of bench.rows.filter((r) => r.attempt > 1)) {
      const before = bench.rows.find(
        (r) => r.index === row.index && r.attempt === row.attempt - 1,
      )!;
      const wait = row.readyUs - before.doneUs;
      expect(wait).toBeGreaterThanOrEqual(0);
      expect(wait).toBeLessThanOrEqual(Math.min(S, 300 * MS * 2 ** (row.attempt - 2)));
    }
  });
});

describe("the end", () => {
  test("what is on the wire when the load ends is waited for: 5 s of load, 2 s of service", async () => {
    const bench = await new FireBench({ arrivals: atRate(20, 100) }, taking(2 * S)).play();
    expect(bench.counts).toMatchObject({ sent: 100, ok: 100, unknown: 0, in_flight: 0 });
  });

  test("what is open when the grace is over is unknown (unfinished), and the run ends", async () => {
    const never: Serve = (_, n) => (n % 2 === 0 ? { afterUs: MS } : null);
    const bench = await new FireBench({ arrivals: atRate(10, 10), graceUs: 3 * S }, never).play();
    expect(bench.counts).toMatchObject({ sent: 10, ok: 5, unknown: 5, in_flight: 0 });
    const open = bench.rows.filter((row) => row.reason === "unfinished");
    expect(open.map((row) => [row.outcome, row.sentUs, row.doneUs])).toEqual(
      [1, 3, 5, 7, 9].map((i) => ["unknown", i * 100 * MS, -1]),
    );
  });

  test("an answer after the grace changes nothing any more", async () => {
    const late = new FireBench({ arrivals: atRate(1, 1), graceUs: S }, taking(20 * S));
    await late.play();
    expect(late.rows).toHaveLength(1);
    expect(late.counts).toMatchObject({ sent: 1, ok: 0, unknown: 1 });
  });

  test("a stop drops what is due later, gives up resends and waits for what is open", async () => {
    const serve: Serve = (_, n) =>
      n === 0 ? { afterUs: MS, outcome: "throttled" } : { afterUs: S };
    const bench = new FireBench(
      { arrivals: atRate(10, 2_000), resend: { ...RETRY, backoffUs: 60 * S, maxUs: 60 * S } },
      serve,
    );
    bench.clock.advanceSync(1_050);
    bench.firing.stop();
    await bench.play();
    expect(bench.counts).toMatchObject({
      sent: 11,
      dropped: 1_989,
      throttled: 1,
      ok: 10,
      in_flight: 0,
    });
    expect(bench.rows.filter((row) => row.reason === "stopped")).toHaveLength(1_989);
    expect(bench.seenUs.every((us) => us <= 1_050 * MS)).toBe(true);
  });

  test("a load without arrivals ends at once", async () => {
    const bench = await new FireBench({ arrivals: [] }, taking(1)).play(0);
    expect(bench.ended).toBe(true);
  });

  test("a bug in a driver ends the load with that bug", async () => {
    function* broken() {
      yield* atRate(10, 2);
      throw new Error("no more lines");
    }
    const bench = new FireBench({ arrivals: broken() }, taking(MS));
    bench.clock.advanceSync(1_000);
    await expect(bench.firing.ended).rejects.toThrow("no more lines");
  });
});

describe("the closed loop", () => {
  test("keeps as many on the wire as it has connections, and ends on time", async () => {
    const closed = { connections: 4, fromUs: 0, untilUs: S };
    const bench = await new FireBench(
      { arrivals: atRate(1, 1_000_000), closed },
      taking(10 * MS),
    ).play();
    expect(bench.counts).toMatchObject({ sent: 400, ok: 400, dropped: 0, in_flight: 0 });
    expect(Math.max(...bench.seenUs)).toBeLessThan(S);
    expect(bench.rows.every((row) => row.dueUs === row.sentUs)).toBe(true);
  });

  test("sends nothing before it begins, though its arrivals are due", async () => {
    const closed = { connections: 2, fromUs: S / 2, untilUs: S };
    const load = { arrivals: atRate(1, 1_000_000), closed };
    const bench = await new FireBench(load, taking(10 * MS)).play();
    expect(Math.min(...bench.seenUs)).toBe(S / 2);
    expect(bench.counts).toMatchObject({ sent: 100, ok: 100, dropped: 0 });
  });

  test("that is over before it begins sends nothing and ends", async () => {
    const closed = { connections: 2, fromUs: S, untilUs: S };
    const bench = await new FireBench({ arrivals: atRate(1, 9), closed }, taking(MS)).play();
    expect(bench.counts).toMatchObject({ sent: 0, dropped: 0 });
  });
});

test("a closed loop whose server never answers again ends, its resends with it", async () => {
  const serve: Serve = (_, n) => (n === 0 ? { afterUs: MS, outcome: "throttled" } : null);
  const closed = { connections: 1, fromUs: 0, untilUs: S };
  const load = { arrivals: atRate(1, 5), closed, resend: RETRY, graceUs: S };
  const bench = await new FireBench(load, serve).play();
  expect(bench.counts).toMatchObject({ sent: 2, attempts: 3, unknown: 2, in_flight: 0 });
});

test("the books balance whatever the server, the limit, the resends and the stop do", async () => {
  const answers = fc.constantFrom(
    { outcome: "ok" },
    { outcome: "throttled", refusedBy: "gateway" },
    { outcome: "errored", reason: "status" },
    { outcome: "errored", reason: "connect" },
    { outcome: "unknown", reason: "timeout" },
    null,
  );
  const served = fc.array(fc.tuple(answers, fc.nat(3 * S)), { minLength: 1, maxLength: 12 });
  const loads = fc.record({
    dueUs: fc.array(fc.nat(5 * S), { maxLength: 60 }).map((us) => us.sort((a, b) => a - b)),
    served,
    inFlightMax: fc.integer({ min: 1, max: 20 }),
    resend: fc.option(fc.constant(RETRY)),
    stopMs: fc.option(fc.nat(6_000)),
    closed: fc.option(
      fc.record({
        connections: fc.integer({ min: 1, max: 20 }),
        fromUs: fc.nat(3 * S),
        untilUs: fc.nat(5 * S),
      }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(loads, async ({ dueUs, served, inFlightMax, resend, stopMs, closed }) => {
      const serve: Serve = (_, n) => {
        const [given, afterUs] = served[n % served.length]!;
        return given === null ? null : ({ afterUs, ...given } as ReturnType<Serve>);
      };
      const bench = new FireBench({ arrivals: atTimes(dueUs), inFlightMax, resend, closed }, serve);
      if (stopMs !== null) bench.clock.at(stopMs * MS, () => bench.firing.stop());
      await bench.play();
      const counts = bench.counts;
      const last = bench.lastRows;
      const dropped = bench.rows.filter((row) => row.attempt === 0);
      if (closed === null) expect(counts.sent + counts.dropped).toBe(dueUs.length);
      expect(counts.sent).toBe(counts.ok + counts.throttled + counts.errored + counts.unknown);
      expect([last.length, dropped.length]).toEqual([counts.sent, counts.dropped]);
      for (const outcome of ["ok", "throttled", "errored", "unknown"] as const)
        expect(last.filter((row) => row.outcome === outcome)).toHaveLength(counts[outcome]);
      expect(counts.in_flight).toBe(0);
      expect(bench.rows).toHaveLength(counts.attempts + counts.dropped);
      for (const row of bench.rows.filter((r) => r.attempt === 1 && r.doneUs >= 0)) {
        const [lag, service] = [row.sentUs - row.readyUs, row.doneUs - row.sentUs];
        expect(row.doneUs - row.dueUs).toBe(lag + service);
        expect(lag).toBeGreaterThanOrEqual(0);
      }
      expect(new Set(bench.rows.map((row) => `${row.index}/${row.attempt}`)).size).toBe(
        bench.rows.length,
      );
    }),
    { numRuns: 300 },
  );
});
