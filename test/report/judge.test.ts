// Verdicts of single criteria on runs made for them.
import { describe, expect, test } from "vitest";
import type { FaultEvent, RunEvent } from "../../src/core/facts.ts";
import { reportOf, requestId } from "../support/judged-run.ts";
import {
  type AttemptSpec,
  EPOCH_MS,
  planFor,
  plannedLoad,
  platformRow,
  quietEvents,
  type RunSpec,
} from "../support/run-directory.ts";

const S = 1_000_000;

/** `seconds` × 40 arrivals of one load, shaped one by one; phases halve the run. */
function run(
  accept: string[],
  shape: (
    index: number,
    second: number,
  ) => Partial<AttemptSpec> | Partial<AttemptSpec>[] = () => ({}),
  more: { seconds?: number; steady?: string[]; events?: RunEvent[]; faults?: boolean } = {},
): RunSpec {
  const seconds = more.seconds ?? 20;
  const attempts = Array.from({ length: seconds * 40 }, (_, index) => {
    const own = { index, dueUs: index * 25_000 };
    const shaped = shape(index, Math.floor(index / 40));
    return (Array.isArray(shaped) ? shaped : [shaped]).map((one) => ({ ...own, ...one }));
  }).flat();
  const half = (seconds / 2) * S;
  const zero = { name: "zero", kind: "reserved-concurrency", during: "zero", resources: [] };
  const plan = planFor(
    {
      loads: [plannedLoad({ name: "shopper", routes: ["", "checkout"] })],
      phases: [
        { name: "before", start_us: 0, end_us: half },
        { name: "zero", start_us: half, end_us: seconds * S },
      ],
      faults: more.faults === true ? [{ ...zero, start_us: half, end_us: half }] : [],
      criteria: { accept, steady: more.steady ?? [], stop_when: [] },
    },
    attempts,
  );
  return { plan, attempts, events: quietEvents(seconds, attempts.length, more.events) };
}

const verdictOf = async (spec: RunSpec) => {
  const { criteria } = await reportOf(spec);
  return criteria.map(({ verdict, estimate, n }) => ({ verdict, estimate, n }));
};

describe("a sample criterion", () => {
  test("fails when fast 503s make the percentile look good but the error rate does not", async () => {
    const dead = () => ({ outcome: "errored" as const, reason: "status" as const, status: 503 });
    const found = await verdictOf(
      run(["p99 <= 300ms", "errors.rate <= 1%"], (i) => (i % 2 === 0 ? dead() : {})),
    );
    expect(found).toEqual([
      { verdict: "pass", estimate: 20_100, n: 400 },
      { verdict: "fail", estimate: 0.5, n: 800 },
    ]);
  });

  test("counts an unknown answer as one that never came", async () => {
    const { criteria } = await reportOf(
      run(["p99 <= 300ms"], (i) =>
        i % 20 === 0 ? { outcome: "unknown", reason: "timeout", serviceUs: -1 } : {},
      ),
    );
    expect(criteria[0]).toMatchObject({ verdict: "fail", estimate: Number.POSITIVE_INFINITY });
    expect(criteria[0]!.beyond).toEqual({ count: 40, share: 0.05, allowed: 1 - 0.99 });
  });

  test("takes the last attempt of an arrival, and its time from the first due", async () => {
    const twice = (index: number) => [
      { attempt: 1, outcome: "throttled" as const, refusedBy: "lambda" as const, serviceUs: 5_000 },
      { attempt: 2, readyUs: index * 25_000 + 300_000, serviceUs: 20_000 },
    ];
    const { criteria, counts } = await reportOf(
      run(["p50 <= 300ms", "errors.rate <= 1%", "amplification <= 1.1", "throttles == 0"], twice),
    );
    expect(criteria.map((c) => [c.verdict, c.estimate])).toEqual([
      ["fail", 320_100],
      ["pass", 0],
      ["fail", 2],
      ["fail", 800],
    ]);
    expect(counts).toMatchObject({
      planned: 800,
      sent: 800,
      ok: 800,
      throttled: 0,
      attempts: 1_600,
    });
  });

  test("of zero errors allowed is counted, not estimated", async () => {
    const none = await verdictOf(run(["errors.rate <= 0%"]));
    expect(none[0]!.verdict).toBe("pass");
    const one = await verdictOf(
      run(["errors.rate <= 0%"], (i) => (i === 5 ? { outcome: "errored", reason: "status" } : {})),
    );
    expect(one[0]!.verdict).toBe("fail");
  });

  test("that fails only by chance among many is undecided", async () => {
    // 9 of 400 is beyond 1 % alone (p = 0.02), not when four are asked at once.
    const shape = (i: number, second: number) =>
      second < 10 && i % 45 === 0 ? { route: 1, serviceUs: 400_000 } : { route: 1 };
    const text = "shopper.checkout.p99 <= 300ms during before";
    const alone = await verdictOf(run([text], shape));
    expect(alone[0]!.verdict).toBe("fail");
    const others = ["errors.rate <= 1%", "p50 <= 1s", "unknown.rate <= 1%"];
    const { criteria } = await reportOf(run([text, ...others], shape));
    expect(criteria[0]).toMatchObject({ verdict: "inconclusive" });
    expect(criteria[0]!.reason).toContain("4 criteria were asked at once");
  });

  test("that is primary needs ten seconds of samples, but fails where all is bad", async () => {
    const five = await verdictOf(run(["p50 <= 300ms"], () => ({}), { seconds: 8 }));
    expect(five[0]!.verdict).toBe("inconclusive");
    const bad = await verdictOf(run(["p50 <= 1ms"], () => ({}), { seconds: 8 }));
    expect(bad[0]!.verdict).toBe("fail");
  });

  test("compares equal when asked to", async () => {
    expect(await verdictOf(run(["errors.rate == 0%"]))).toEqual([
      { verdict: "pass", estimate: 0, n: 800 },
    ]);
  });
});

describe("windows", () => {
  const slowLate = (_: number, second: number) => ({ serviceUs: second < 10 ? 20_000 : 600_000 });

  test("cut what is judged", async () => {
    const found = await verdictOf(
      run(
        ["p99 <= 300ms during before", "p99 <= 300ms during zero", "count >= 1 during zero"],
        slowLate,
      ),
    );
    expect(found.map((c) => [c.verdict, c.n])).toEqual([
      ["pass", 400],
      ["fail", 400],
      ["pass", 400],
    ]);
  });

  test("compare with each other by resampling seconds", async () => {
    const text = (factor: number) => `p95 during zero <= ${factor} * p95 during before`;
    const found = await reportOf(run([text(1.2), text(40)], slowLate));
    expect(found.criteria.map((c) => [c.kind, c.verdict])).toEqual([
      ["ratio", "fail"],
      ["ratio", "pass"],
    ]);
    const again = await reportOf(run([text(1.2), text(40)], slowLate));
    expect({ ...again, dir: "" }).toEqual({ ...found, dir: "" });
  });

  test("let a relative limit never be tighter than an absolute one", async () => {
    const found = await reportOf(
      run(["p95 during zero <= max(1.2 * p95 during before, 700ms)"], slowLate),
    );
    expect(found.criteria[0]).toMatchObject({ verdict: "pass", limit: 700_000 });
  });

  test("that were covered too little decide nothing", async () => {
    const stop: RunEvent = { t: 15 * S, kind: "stop", why: "condition", detail: "in-flight > 350" };
    const found = await reportOf(
      run(["errors.rate <= 1% during zero"], () => ({}), { events: [stop] }),
    );
    expect(found).toMatchObject({ verdict: "inconclusive", exitCode: 5 });
    expect(found.reason).toContain("covers 50 %");
  });
});

describe("recovery", () => {
  const at = (t: number, step: "asked" | "onset" | "restore-asked" | "verified" | "cleared") =>
    ({ t: t * S, kind: "fault", fault: "zero", step }) as RunEvent;
  const fault = [at(20, "asked"), at(20, "onset"), at(22, "restore-asked"), at(22, "verified")];
  const recovers = (good: number, limit: string, seconds = 40) =>
    run(
      [`recovery(zero) <= ${limit}`],
      (_, second) =>
        second >= 20 && second < good ? { outcome: "errored", reason: "status" } : {},
      {
        ...{ seconds, steady: ["shopper.errors.rate <= 1%"], faults: true },
        events: [...fault, at(22, "cleared")],
      },
    );

  test("is the time from clearing to the first of five good seconds", async () => {
    expect(await verdictOf(recovers(26, "5s"))).toMatchObject([
      { verdict: "pass", estimate: 4 * S },
    ]);
    expect(await verdictOf(recovers(30, "5s"))).toMatchObject([
      { verdict: "fail", estimate: 8 * S },
    ]);
  });

  test("never seen within the limit fails", async () => {
    const { criteria } = await reportOf(recovers(40, "5s"));
    expect(criteria[0]).toMatchObject({ verdict: "fail", margin: Number.NEGATIVE_INFINITY });
  });

  test("not seen because the run ended too soon is undecided", async () => {
    const { criteria } = await reportOf(recovers(37, "15s"));
    expect(criteria[0]).toMatchObject({ verdict: "inconclusive" });
    expect(criteria[0]!.reason).toContain("too short to tell");
  });
});

describe("what the platform knows", () => {
  const reports = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      platformRow({
        ...{ kind: "report", function: "checkout", version: i % 2 === 0 ? "7" : "8" },
        ...{ request_id: requestId(i), at: EPOCH_MS + i * 25, duration: 15, stream: `s${i % 8}` },
        init: i < 8 ? 250 : null,
      }),
    );
  const joined = (accept: string[], rows = 800): RunSpec => ({
    ...run(accept, (i) => ({
      ...{ requestId: requestId(i), serviceUs: i < 8 ? 270_000 : 20_000 },
    })),
    platform: reports(rows),
  });

  test("splits cold from warm by the request id", async () => {
    const spec = joined(["cold.p50 <= 200ms", "warm.max <= 100ms", "cold.rate <= 10%"], 790);
    const { criteria, starts, latencies } = await reportOf(spec);
    expect(starts).toEqual({ cold: 8, warm: 782, provisioned: 0, unjoined: 10 });
    expect(criteria.map((c) => [c.verdict, c.n])).toEqual([
      ["inconclusive", 8],
      ["pass", 782],
      ["pass", 790],
    ]);
    expect(latencies.map((row) => [row.start, row.n, row.p50, row.initP50])).toEqual([
      ["cold", 8, 270_100, 250_000],
      ["warm", 782, 20_100, null],
      ["all", 800, 20_100, null],
    ]);
  });

  test("has no share of unjoined answers where no REPORT line was asked for", async () => {
    const { criteria } = await reportOf(run(["unjoined.rate <= 5%"]));
    expect(criteria[0]).toMatchObject({
      verdict: "inconclusive",
      reason: "no facts of this measure",
    });
  });

  test("splits by version", async () => {
    const { criteria } = await reportOf(joined(["v7.count >= 1", "v8.max <= 1s", "v9.max <= 1s"]));
    expect(criteria.map((c) => [c.verdict, c.n])).toEqual([
      ["pass", 400],
      ["pass", 400],
      ["inconclusive", 0],
    ]);
  });

  test("an init that overran is cold though its REPORT has no init duration", async () => {
    const spec = joined(["cold.rate <= 50%"]);
    const overran = platformRow({ kind: "init", phase: "invoke", stream: "late", at: EPOCH_MS });
    const first = { ...reports(9)[8]!, stream: "late" };
    const platform = [overran, ...reports(800).map((row, i) => (i === 8 ? first : row))];
    expect((await reportOf({ ...spec, platform })).starts.cold).toBe(9);
  });

  test("counts the account's concurrency against its quota", async () => {
    const point = { namespace: "AWS/Lambda", metric: "ConcurrentExecutions", period_s: 60 };
    const metrics = [
      { ...point, dimensions: {}, stat: "Maximum" as const, at: EPOCH_MS, value: 720 },
    ];
    const spec = run(["account.concurrency.max <= 70% of quota"]);
    expect((await reportOf({ ...spec, metrics })).criteria[0]).toMatchObject({
      ...{ verdict: "fail", estimate: 720, limit: 700, margin: -20 },
    });
  });
});

describe("a run", () => {
  test("without onset of its fault is invalid", async () => {
    const asked: RunEvent = { t: 10 * S, kind: "fault", fault: "zero", step: "asked", fields: {} };
    const verified: RunEvent = { t: 20 * S, kind: "fault", fault: "zero", step: "verified" };
    const events = [asked, verified];
    const found = await reportOf(run(["errors.rate <= 1%"], () => ({}), { faults: true, events }));
    expect(found).toMatchObject({ verdict: "invalid", exitCode: 3 });
    expect(found.reason).toContain("onset was never observed");
  });

  test("whose fault somebody else had put back before its end is invalid", async () => {
    const step = (t: number, name: FaultEvent["step"], more = {}): RunEvent => {
      return { t: t * S, kind: "fault", fault: "zero", step: name, fields: {}, ...more };
    };
    const events = [
      ...[step(10, "asked"), step(11, "onset"), step(20, "restore-asked")],
      ...[step(20, "restore-answered", { by_others: true }), step(20, "verified")],
    ];
    const found = await reportOf(run(["errors.rate <= 1%"], () => ({}), { faults: true, events }));
    expect([found.verdict, found.reason]).toEqual([
      "invalid",
      "fault zero was put back by somebody else before its end",
    ]);
  });

  test("that was not steady before is invalid", async () => {
    const steady: RunEvent = { t: 10 * S, kind: "steady", holds: false, detail: "errors 4 %" };
    const found = await reportOf(run(["errors.rate <= 1%"], () => ({}), { events: [steady] }));
    expect(found.reason).toContain("not steady before the fault");
  });

  test("with a primary criterion passes though another is undecided", async () => {
    const found = await reportOf(run(["p50 <= 300ms primary", "p999 <= 300ms"]));
    expect(found).toMatchObject({ verdict: "pass", exitCode: 0 });
    expect(found.reason).toContain("1 that is not primary stays undecided");
  });

  test("with an unknown name in a criterion is an error", async () => {
    await expect(reportOf(run(["chekout.p99 <= 300ms"]))).rejects.toMatchObject({
      ...{ code: "scenario", hint: "did you mean `checkout`?" },
    });
  });

  test("with an unknown window in a criterion is an error", async () => {
    for (const text of ["p99 <= 1s during zreo", "recovery(zreo) <= 1s"])
      await expect(
        reportOf(run([text], () => ({}), { steady: ["p99 <= 1s"] })),
      ).rejects.toMatchObject({
        ...{ code: "scenario", hint: "did you mean `zero`?" },
      });
  });

  test("of sinks that were not read decides nothing about them", async () => {
    const found = await reportOf(run(["deliveries.lost == 0"]));
    expect(found.criteria[0]).toMatchObject({ verdict: "inconclusive" });
  });
});
