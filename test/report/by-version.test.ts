// Criteria by version, and the table by version: who had an answer, and when nobody knows.
import { describe, expect, test } from "vitest";
import { htmlReport } from "../../src/report/html/page.ts";
import { markdownReport } from "../../src/report/markdown.ts";
import { resultOf } from "../../src/report/result-json.ts";
import { textReport } from "../../src/report/text.ts";
import { reportOf, requestId } from "../support/judged-run.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";
import {
  type AttemptSpec,
  EPOCH_MS,
  planFor,
  plannedLoad,
  platformRow,
  quietEvents,
  type RunSpec,
} from "../support/run-directory.ts";

const N = 2_000;
/** One of four is the canary's, and one of ten of those fails. */
const isNew = (i: number): boolean => i % 4 === 3;
const fails = (i: number): boolean => isNew(i) && i % 40 === 3;

const line = (i: number, version: string) =>
  platformRow({
    ...{ kind: "report", function: "search", version, request_id: requestId(i) },
    ...{ at: EPOCH_MS + i * 10, duration: 15, stream: `${version}-${i % 8}` },
    init: i < 8 ? 250 : null,
  });

/** A hundred a second for twenty seconds; `shape` says how an arrival differs from the usual. */
function run(
  accept: readonly string[],
  shape: (i: number) => Partial<AttemptSpec> = () => ({}),
  withLine: (i: number) => boolean = () => true,
): RunSpec {
  const attempts = Array.from({ length: N }, (_, index): AttemptSpec => {
    const failed = fails(index)
      ? ({ outcome: "errored", reason: "status", status: 500 } as const)
      : {};
    const serviceUs = isNew(index) ? 120_000 : 40_000;
    const usual = { index, dueUs: index * 10_000, serviceUs, requestId: requestId(index) };
    return { ...usual, ...failed, ...shape(index) };
  });
  const plan = planFor(
    {
      loads: [plannedLoad({ name: "shopper" })],
      criteria: { accept, steady: [], stop_when: [] },
      joins: true,
      versions: [{ function: "search", alias: "live", shares: { v41: 0.75, v42: 0.25 } }],
    },
    attempts,
  );
  const platform = attempts.flatMap(({ index }) =>
    withLine(index) ? [line(index, isNew(index) ? "42" : "41")] : [],
  );
  return { plan, attempts, platform, events: quietEvents(20, N) };
}

describe("criteria by version", () => {
  test("fail a canary whose errors are lost among all answers", async () => {
    const { criteria } = await reportOf(
      run(["errors.rate <= 5%", "v42.errors.rate <= 5%", "v41.errors.rate <= 1%"]),
    );
    expect(criteria.map(({ verdict }) => verdict)).toEqual(["pass", "fail", "pass"]);
    expect(criteria[1]).toMatchObject({ n: N / 4, estimate: 0.1 });
  });

  test("compare one version with another, and take warm and loads beside them", async () => {
    const { criteria } = await reportOf(
      run([
        "v42.errors.rate <= 1.1 * v41.errors.rate",
        "shopper.v42.warm.p95 <= 2 * shopper.v41.warm.p95",
        "v42.p95 <= 200ms",
        "v42.count == 500",
      ]),
    );
    const verdicts = criteria.map(({ verdict }) => verdict);
    expect(verdicts).toEqual(["fail", "fail", "pass", "pass"]);
  });

  test("are undecided where too many answers are of no known version", async () => {
    const { criteria } = await reportOf(
      run(
        ["v41.errors.rate <= 1%", "errors.rate <= 5%"],
        () => ({}),
        (i) => i % 10 > 0,
      ),
    );
    expect(criteria[0]).toMatchObject({ verdict: "inconclusive" });
    expect(criteria[0]?.reason).toBe(
      "only 90.00 % of 2,000 answers are known by version, at least 95 % are needed",
    );
    expect(criteria[1]?.verdict).toBe("pass");
  });

  test("do not pass while failures without a version could be this one's", async () => {
    const hangs = (i: number) => i % 100 === 0;
    const timeout = { outcome: "unknown", reason: "timeout", serviceUs: -1, status: 0 } as const;
    const { criteria, versions } = await reportOf(
      run(
        ["v41.errors.rate <= 1%", "v41.p99 <= 1s", "v41.p95 <= 1s", "v41.cold.rate <= 5%"],
        (i) => (hangs(i) ? { ...timeout, requestId: "" } : {}),
        (i) => !hangs(i),
      ),
    );
    const verdicts = criteria.map(({ verdict }) => verdict);
    expect(verdicts).toEqual(["inconclusive", "inconclusive", "pass", "pass"]);
    expect(criteria[0]?.reason).toBe(
      "20 failures have no version: were all of them v41's, it would be 1.33 %, beyond 1 %",
    );
    expect(criteria[1]?.reason).toContain("it would be no answer in time, beyond 1,000 ms");
    expect(versions.find(({ kind }) => kind === "open")).toMatchObject({ n: 20, unknown: 20 });
  });

  test("leave out what was refused before any version, and the table says so", async () => {
    const { criteria, versions } = await reportOf(
      run(
        ["v41.errors.rate <= 1%"],
        (i) =>
          i % 8 === 0
            ? { outcome: "throttled", refusedBy: "lambda.reserved", status: 429, requestId: "" }
            : i % 8 === 4
              ? { outcome: "errored", reason: "connect", status: 0, requestId: "", serviceUs: -1 }
              : {},
        (i) => i % 4 !== 0,
      ),
    );
    expect(criteria[0]).toMatchObject({ verdict: "pass", n: N / 2, estimate: 0 });
    const before = versions.find(({ kind }) => kind === "before");
    expect(before).toMatchObject({ n: 500, throttled: 250, errored: 250, version: "" });
  });

  test("know the version that an answer itself names, without any REPORT line", async () => {
    const spec = run(
      ["v42.errors.rate <= 5%", "vlatest.count == 0"],
      (i) => ({ version: isNew(i) ? 42 : 41 }),
      () => false,
    );
    const { criteria, versions, starts } = await reportOf(spec);
    expect(criteria.map(({ verdict, n }) => [verdict, n])).toEqual([
      ["fail", 500],
      ["pass", 0],
    ]);
    expect(versions.map(({ version, n, joined }) => [version, n, joined])).toEqual([
      ["v41", 1_500, 0],
      ["v42", 500, 0],
    ]);
    expect(starts.unjoined).toBe(N - 50);
  });

  test("call $LATEST vlatest", async () => {
    const spec = run(["vlatest.p95 <= 200ms", "vlatest.errors.rate <= 10%"]);
    const { platform = [] } = spec;
    const latest = platform.map((row) => ({ ...row, version: "$LATEST" }));
    const { versions: _shares, ...plan } = spec.plan; // no alias decides here
    const { criteria, versions } = await reportOf({ ...spec, plan, platform: latest });
    expect(criteria.map(({ verdict, n }) => [verdict, n])).toEqual([
      ["pass", N - 50],
      ["pass", N],
    ]);
    expect(versions.map(({ version }) => version)).toEqual(["vlatest"]);
  });
});

describe("the table by version", () => {
  test("adds up to the whole, with weights, in every output", async () => {
    const judged = await reportOf(run(["dropped == 0"]));
    const { versions, counts, starts } = judged;
    expect(versions).toMatchObject([
      { function: "search", version: "v41", n: 1_500, weight: 0.75, errored: 0, cold: 6 },
      { function: "search", version: "v42", n: 500, weight: 0.25, errored: 50, cold: 1 },
    ]);
    const sum = (of: (row: (typeof versions)[number]) => number) =>
      versions.reduce((total, row) => total + of(row), 0);
    expect(sum(({ n }) => n)).toBe(counts.sent);
    expect(sum(({ ok }) => ok)).toBe(counts.ok);
    expect(sum(({ errored }) => errored)).toBe(counts.errored);
    expect(sum(({ share }) => share)).toBeCloseTo(1, 12);
    // A failed start counts among a version's errors, and in neither as a cold answer.
    expect(sum(({ cold }) => cold)).toBe(starts.cold);
    expect(textReport(judged)).toMatch(/v42 +500 +25\.00 % +25 % +.*10\.00 % \(50\)/);
    expect(markdownReport(judged)).toContain("| shopper v42 | 500 | 25.00 % | 25 % |");
    expect(htmlReport(judged)).toContain('<section id="versions"');
    const result = RESULT_SCHEMA.parse(JSON.parse(JSON.stringify(resultOf(judged))));
    expect(result.versions?.map(({ version }) => version)).toEqual(["v41", "v42"]);
  });

  test("is not there where one version had all, and nobody asked", async () => {
    const spec = run(["dropped == 0"]);
    const { platform = [] } = spec;
    const { versions: _, ...plan } = spec.plan;
    const judged = await reportOf({
      ...{ ...spec, plan },
      platform: platform.map((r) => ({ ...r, version: "7" })),
    });
    expect(judged.versions).toEqual([]);
    expect(textReport(judged)).not.toContain("by version");
    expect(htmlReport(judged)).not.toContain('href="#versions"');
  });
});

test("a version that nothing was sent to makes the run INVALID, unless a fault made it", async () => {
  const spec = run(["v42.count == 500"]);
  const { platform = [] } = spec;
  const moved = platform.map((row, i) => (i % 500 === 1 ? { ...row, version: "43" } : row));
  const { invalid, verdict } = await reportOf({ ...spec, platform: moved });
  expect(verdict).toBe("invalid");
  expect(invalid).toContain(
    "v43 of search answered 4 arrivals, and nothing was sent to it when the run began",
  );
  const plan = { ...spec.plan, versions: [] };
  expect((await reportOf({ ...spec, plan, platform: moved })).invalid).toEqual([]);
});
