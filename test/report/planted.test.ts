// For every kind of criterion: the smallest planted change that fails it, the largest that does
// not.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { MetricPoint, RunEvent } from "../../src/core/facts.ts";
import { KNOWN_MEASURES, measureInfo } from "../../src/core/measures.ts";
import { parseCriterion } from "../../src/core/parse-criterion.ts";
import { seededRng } from "../../src/core/rng.ts";
import { readFacts } from "../../src/report/facts-reader.ts";
import { judgeEach } from "../../src/report/report.ts";
import type { CriterionResult } from "../../src/report/result.ts";
import { fewestToFail, mostToPass } from "../../src/report/statistics.ts";
import { requestId } from "../support/judged-run.ts";
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

const N = 10_000;
const PER_SECOND = 200;
const S = 1_000_000;
const LIMIT_US = 300_000;
const ARN = "arn:aws:lambda:eu-west-1:000000000000:function:checkout";
const PRICES = {
  ...{ aws_region: "us-east-1", date: "2026-05-04" },
  ...{ lambda_request: 0.2e-6, lambda_gb_second: 0.0000166667 },
};
const dir = mkdtempSync(join(tmpdir(), "gatecrash-planted-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** True for `k` of `n`, as evenly as they go: no bursts, so nothing is taken off. */
const evenly = (i: number, k: number, n = N): boolean =>
  Math.floor(((i + 1) * k) / n) > Math.floor((i * k) / n);

type Shape = (index: number) => Partial<AttemptSpec> | Partial<AttemptSpec>[];

function run(shape: Shape, more: Partial<RunSpec> & { events?: RunEvent[] } = {}): RunSpec {
  const attempts = Array.from({ length: N }, (_, index) => {
    const own = { index, dueUs: Math.floor((index * S) / PER_SECOND) };
    const shaped = shape(index);
    return (Array.isArray(shaped) ? shaped : [shaped]).map((one) => ({ ...own, ...one }));
  }).flat();
  const plan = planFor(
    {
      loads: [plannedLoad({ name: "shopper" })],
      phases: [
        { name: "before", start_us: 0, end_us: 25 * S },
        { name: "zero", start_us: 25 * S, end_us: 50 * S },
      ],
      functions: { CheckoutArn: ARN },
      queues: { backlog: "orders" },
      prices: PRICES,
      joins: more.platform !== undefined,
    },
    attempts,
  );
  return { plan, attempts, ...more, events: quietEvents(50, attempts.length, more.events) };
}

/** Alone: asked together, Holm's correction would make failing harder. */
async function judge(spec: RunSpec, ...criteria: string[]): Promise<CriterionResult[]> {
  writeRun(dir, spec);
  const facts = await readFacts(dir);
  const results: CriterionResult[] = [];
  for (const text of criteria) results.push(...(await judgeEach(facts, [parseCriterion(text)])));
  return results;
}
const verdicts = async (spec: RunSpec, ...criteria: string[]) =>
  (await judge(spec, ...criteria)).map(({ verdict }) => verdict);

const MOST = mostToPass(N, 0.01);
const FEWEST = fewestToFail(N, 0.01);

test("the bounds of 1 % of 10,000 are those published", () => {
  expect([MOST, FEWEST]).toEqual([83, 118]);
});

/** `k` of all arrivals are what the criterion does not want; all others are just within. */
const SHARES: readonly (readonly [string, (k: number) => RunSpec, readonly string[]])[] = [
  [
    "slow answers",
    (k) => run((i) => ({ lagUs: 0, serviceUs: LIMIT_US + (evenly(i, k) ? 1 : 0) })),
    ["p99 <= 300ms", "service.p99 <= 300ms"],
  ],
  [
    "late sends",
    (k) => run((i) => ({ lagUs: LIMIT_US + (evenly(i, k) ? 1 : 0) })),
    ["lag.p99 <= 300ms"],
  ],
  [
    "errors",
    (k) => run((i) => (evenly(i, k) ? { outcome: "errored", reason: "status", status: 500 } : {})),
    ["errors.rate <= 1%"],
  ],
  [
    "unknown answers",
    (k) =>
      run((i) => (evenly(i, k) ? { outcome: "unknown", reason: "timeout", serviceUs: -1 } : {})),
    ["unknown.rate <= 1%", "errors.rate <= 1%", "p99 <= 300ms"],
  ],
  ["second-best answers", (k) => run((i) => ({ degraded: evenly(i, k) })), ["degraded.rate <= 1%"]],
  [
    "answers that are not second best",
    (k) => run((i) => ({ degraded: !evenly(i, k) })),
    ["degraded.rate >= 99%"],
  ],
  [
    "throttles",
    (k) => run((i) => (evenly(i, k) ? { outcome: "throttled", refusedBy: "lambda.reserved" } : {})),
    ["throttles.rate <= 1%", "throttles.lambda.rate <= 1%", "errors.rate <= 1%"],
  ],
  [
    "cold starts",
    (k) => withReports((i) => ({ init: evenly(i, k) ? 100 : null })),
    ["cold.rate <= 1%", "function(CheckoutArn).cold.rate <= 1%"],
  ],
  [
    "long invocations",
    (k) => withReports((i) => ({ duration: 300 + (evenly(i, k) ? 0.001 : 0) })),
    ["duration.p99 <= 300ms", "function(CheckoutArn).duration.p99 <= 300ms"],
  ],
  [
    "long inits",
    (k) => withReports((i) => ({ init: 300 + (evenly(i, k) ? 0.001 : 0) })),
    ["init.p99 <= 300ms", "function(CheckoutArn).init.p99 <= 300ms"],
  ],
  [
    "answers that differ from the recorded ones",
    (k) => recordedRun((i) => (evenly(i, k) ? { status: 404 } : {})),
    ["agreement >= 99%", "recorded.errors.rate <= 1%"],
  ],
  [
    "recorded answers that were slow",
    (k) => recordedRun((i) => ({ us: LIMIT_US + (evenly(i, k) ? 1 : 0) })),
    ["recorded.p99 <= 300ms"],
  ],
  [
    "answers without a REPORT line",
    (k) => withReports((i) => ({ request_id: requestId(evenly(i, k) ? N + i : i) })),
    ["unjoined.rate <= 1%"],
  ],
];

/** Recorded 200 in 100 ms each, but where `shaped` says otherwise. */
function recordedRun(
  shaped: (i: number) => { readonly status?: number; readonly us?: number },
  shape: Shape = () => ({}),
): RunSpec {
  const answers = Array.from({ length: N }, (_, i) => ({
    ...{ status: 200, us: 100_000 },
    ...shaped(i),
  }));
  return { ...run(shape), recorded: [answers] };
}

function withReports(report: (i: number) => Partial<Parameters<typeof platformRow>[0]>): RunSpec {
  const platform = Array.from({ length: N }, (_, i) =>
    platformRow({
      ...{ kind: "report", function: ARN, version: "1", request_id: requestId(i) },
      ...{ at: EPOCH_MS + (i * 1_000) / PER_SECOND, duration: 15, stream: `s${i % 40}` },
      ...report(i),
    }),
  );
  return run((i) => ({ requestId: requestId(i) }), { platform });
}

describe("of 10,000, against 1 %", () => {
  test.each(SHARES)("%s: 118 fail, 117 do not; 83 pass, 84 do not", async (_, spec, criteria) => {
    const all = (verdict: string) => criteria.map(() => verdict);
    expect(await verdicts(spec(FEWEST), ...criteria)).toEqual(all("fail"));
    expect(await verdicts(spec(FEWEST - 1), ...criteria)).toEqual(all("inconclusive"));
    expect(await verdicts(spec(MOST + 1), ...criteria)).toEqual(all("inconclusive"));
    expect(await verdicts(spec(MOST), ...criteria)).toEqual(all("pass"));
  });
});

describe("15 % beyond the limit fails and 15 % within it passes, at 10,000 samples:", () => {
  /** Lognormal with this quantile, µs. */
  const lognormal = (quantileUs: number, z: number) => {
    const rng = seededRng(11);
    const sigma = 0.35;
    return () => {
      const normal = Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());
      return Math.round(quantileUs * Math.exp(sigma * (normal - z)));
    };
  };
  test.each([
    ["p50", 0],
    ["p90", 1.2816],
    ["p95", 1.6449],
    ["p99", 2.3263],
  ])("%s", async (measure, z) => {
    const shaped = (factor: number) => {
      const draw = lognormal(LIMIT_US * factor, z);
      return run(() => ({ lagUs: 0, serviceUs: draw() }));
    };
    const criteria = [`${measure} <= 300ms`, `service.${measure} <= 300ms`];
    expect(await verdicts(shaped(1.15), ...criteria)).toEqual(["fail", "fail"]);
    expect(await verdicts(shaped(0.85), ...criteria)).toEqual(["pass", "pass"]);
  });

  test("a ratio to what was recorded", async () => {
    const shaped = (factor: number) => {
      const [old, own] = [lognormal(100_000, 1.6449), lognormal(110_000 * factor, 1.6449)];
      return recordedRun(
        () => ({ us: old() }),
        () => ({ lagUs: 0, serviceUs: own() }),
      );
    };
    const text = "p95 <= 1.1 * recorded.p95";
    expect(await verdicts(shaped(1.15), text)).toEqual(["fail"]);
    expect(await verdicts(shaped(0.85), text)).toEqual(["pass"]);
  });

  test("a ratio of two windows", async () => {
    const shaped = (factor: number) => {
      const draw = lognormal(100_000, 1.6449);
      return run((i) => ({ lagUs: 0, serviceUs: draw() * (i < N / 2 ? 1 : 1.2 * factor) }));
    };
    const text = "p95 during zero <= 1.2 * p95 during before";
    expect(await verdicts(shaped(1.15), text)).toEqual(["fail"]);
    expect(await verdicts(shaped(0.85), text)).toEqual(["pass"]);
    expect(await verdicts(shaped(1), text)).toEqual(["inconclusive"]);
  });
});

const point = (metric: string, stat: MetricPoint["stat"], value: number, name?: string) => ({
  ...{ namespace: "AWS/Lambda", metric, stat, period_s: 60, at: EPOCH_MS, value },
  dimensions: (name === undefined ? {} : { FunctionName: name }) as { [name: string]: string },
});
const measured = (...metrics: MetricPoint[]) => run(() => ({}), { metrics });
const inFlight = (most: number): RunSpec => {
  const spec = run(() => ({}));
  const events = spec.events.map((event, at) =>
    event.kind === "health" && at === 20
      ? { ...event, loads: event.loads.map((load) => ({ ...load, in_flight: most })) }
      : event,
  );
  return { ...spec, events };
};
const one = (shaped: Partial<AttemptSpec>) => run((i) => (i === 4_711 ? shaped : {}));
const twice =
  (k: number): Shape =>
  (i) =>
    i < k
      ? [
          { attempt: 1, outcome: "errored", reason: "status", serviceUs: 1_000 },
          { attempt: 2, readyUs: Math.floor((i * S) / PER_SECOND) + 2_000, serviceUs: 1_000 },
        ]
      : {};

const depth = (most: number) => {
  const metric = "ApproximateNumberOfMessagesVisible";
  const points = [most - 7, most].map((value) => point(metric, "Maximum", value));
  return points.map((one) => ({ ...one, dimensions: { QueueName: "orders" } }));
};
/** Of 128 MB. At 100 ms a million costs 0.2 + 100,000 s × 0.125 GB × 16.6667 µ$ = $0.408334. */
const billed = (billedMs: number, resent = 0): RunSpec => {
  const reports = withReports(() => ({ billed: billedMs, memory: 128 }));
  const again = run((i) => {
    if (i >= resent) return { requestId: requestId(i) };
    const later = Math.floor((i * S) / PER_SECOND) + 30_000;
    return [
      { requestId: requestId(N - 1 - i), outcome: "errored", reason: "status", status: 500 },
      { requestId: requestId(i), attempt: 2, readyUs: later },
    ];
  });
  return { ...again, platform: reports.platform! };
};

/** Counted: one more is too much. */
const CENSUS: readonly (readonly [string, RunSpec, RunSpec])[] = [
  ["throttles == 0", one({}), one({ outcome: "throttled", refusedBy: "gateway" })],
  ["throttles.gateway <= 0", one({}), one({ outcome: "throttled", refusedBy: "gateway" })],
  ["throttles.lambda == 1", one({ outcome: "throttled", refusedBy: "lambda.rate" }), one({})],
  ["dropped == 0", one({}), one({ outcome: "dropped", reason: "in-flight" })],
  ["count >= 10000", one({}), one({ outcome: "dropped", reason: "in-flight" })],
  ["max <= 300ms", one({ lagUs: 0, serviceUs: 300_000 }), one({ lagUs: 0, serviceUs: 300_001 })],
  ["max <= 1h", one({}), one({ outcome: "unknown", reason: "timeout", serviceUs: -1 })],
  ["amplification <= 1.1", run(twice(1_000)), run(twice(1_001))],
  ["in-flight <= 40", inFlight(40), inFlight(41)],
  [
    "function(CheckoutArn).throttles == 0",
    measured(point("Throttles", "Sum", 0, "checkout")),
    measured(point("Throttles", "Sum", 1, "checkout")),
  ],
  [
    "function(CheckoutArn).count <= 500",
    measured(point("Invocations", "Sum", 500, "checkout")),
    measured(point("Invocations", "Sum", 501, "checkout")),
  ],
  [
    "function(CheckoutArn).concurrency.max <= 40",
    measured(point("ConcurrentExecutions", "Maximum", 40, "checkout")),
    measured(point("ConcurrentExecutions", "Maximum", 41, "checkout")),
  ],
  [
    "function(CheckoutArn).iterator-age.max <= 5s",
    measured(point("IteratorAge", "Maximum", 5_000, "checkout")),
    measured(point("IteratorAge", "Maximum", 5_001, "checkout")),
  ],
  [
    "function(CheckoutArn).errors.rate <= 1%",
    measured(point("Errors", "Sum", 5, "checkout"), point("Invocations", "Sum", 500, "checkout")),
    measured(point("Errors", "Sum", 6, "checkout"), point("Invocations", "Sum", 500, "checkout")),
  ],
  [
    "function(CheckoutArn).throttles.rate <= 1%",
    measured(
      point("Throttles", "Sum", 5, "checkout"),
      point("Invocations", "Sum", 495, "checkout"),
    ),
    measured(
      point("Throttles", "Sum", 6, "checkout"),
      point("Invocations", "Sum", 495, "checkout"),
    ),
  ],
  [
    "account.throttles.rate <= 1%",
    measured(point("Throttles", "Sum", 5), point("Invocations", "Sum", 495)),
    measured(point("Throttles", "Sum", 6), point("Invocations", "Sum", 495)),
  ],
  [
    "account.throttles <= 3",
    measured(point("Throttles", "Sum", 3)),
    measured(point("Throttles", "Sum", 4)),
  ],
  [
    "recorded.max <= 300ms",
    recordedRun((i) => (i === 9 ? { us: 300_000 } : {})),
    recordedRun((i) => (i === 9 ? { us: 300_001 } : {})),
  ],
  ["backlog.depth <= 100", measured(...depth(100)), measured(...depth(101))],
  ["function(CheckoutArn).cost.per-million <= $0.41", billed(100), billed(101)],
  ["shopper.cost.per-million <= $0.4084", billed(100), billed(101)],
  // One in a hundred is sent, answered and billed twice.
  ["cost.per-million <= $0.41241734", billed(100, 99), billed(100, 101)],
  [
    "account.concurrency.max <= 70% of quota",
    measured(point("ConcurrentExecutions", "Maximum", 700)),
    measured(point("ConcurrentExecutions", "Maximum", 701)),
  ],
];

describe("what is counted fails by one:", () => {
  test.each(CENSUS)("%s", async (criterion, good, bad) => {
    expect(await verdicts(good, criterion)).toEqual(["pass"]);
    expect(await verdicts(bad, criterion)).toEqual(["fail"]);
  });
});

describe("without a single sample", () => {
  const limits = { us: "1s", ratio: "1%", count: "1", usd: "$1", number: "1" };
  const scoped = (measure: string): string[] =>
    measureInfo(measure)!.scopes.flatMap((scope) => {
      if (scope === "load") return [measure];
      if (scope === "function") return [`function(CheckoutArn).${measure}`];
      if (scope === "account") return [`account.${measure}`];
      if (scope === "queue") return [`backlog.${measure}`];
      return scope === "sink" ? [`deliveries.${measure}`] : ["recovery(zero)"];
    });
  const criteria = KNOWN_MEASURES.flatMap(scoped).map((operand) => {
    const measure = operand.replace(/^(function\(CheckoutArn\)|account|deliveries|backlog)\./, "");
    const unit = measureInfo(measure)?.unit ?? "us";
    return `${operand} <= ${limits[unit]}`;
  });

  test("every measure is undecided and says why, but the count of nothing", async () => {
    const spec = run(() => ({}));
    const nothing = { ...spec, attempts: [], events: [] };
    const results = await judge(nothing, ...new Set(criteria));
    expect(results.length).toBeGreaterThan(60);
    const decided = results.filter(({ verdict }) => verdict !== "inconclusive");
    expect(decided.map(({ text, estimate }) => [text, estimate])).toEqual([["count <= 1", 0]]);
    expect(
      results.filter(({ verdict, reason }) => verdict === "inconclusive" && reason === ""),
    ).toEqual([]);
  });
});
