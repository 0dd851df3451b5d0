// How reports of other tools went wrong, each with its input: what is sent adds up and is shown.
import { describe, expect, test } from "vitest";
import { textReport } from "../../src/report/text.ts";
import { reportOf } from "../support/judged-run.ts";
import { type AttemptSpec, planFor, plannedLoad, quietEvents } from "../support/run-directory.ts";

const S = 1_000_000;

async function judged(
  count: number,
  shape: (i: number) => Partial<AttemptSpec>,
  accept: string[] = [],
  segmentRows = 65_536,
) {
  const attempts = Array.from({ length: count }, (_, index) => {
    return { index, dueUs: index * 10_000, ...shape(index) };
  });
  const load = plannedLoad({ name: "shop", routes: ["", "pay", "look"], end_us: count * 10_000 });
  const seconds = Math.ceil(count / 100);
  const phases = [{ name: "all", start_us: 0, end_us: seconds * S }];
  const criteria = { accept, steady: [], stop_when: [] };
  const plan = planFor({ loads: [load], phases, criteria }, attempts);
  return reportOf({ plan, attempts, events: quietEvents(seconds, count), segmentRows });
}

const sum = (counts: { readonly [key: string]: number }): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

describe("accounting", () => {
  /** 3 % resets, 4 % never answered, 5 % not connected, half of the rest refused with 429. */
  const shape = (i: number): Partial<AttemptSpec> => {
    const of = i % 100;
    if (of < 3) return { outcome: "unknown", reason: "reset", serviceUs: 1_000 };
    if (of < 7) return { outcome: "unknown", reason: "timeout", serviceUs: -1 };
    if (of < 12) return { outcome: "errored", reason: "connect", serviceUs: 500 };
    if (i % 2 === 0) return { outcome: "throttled", refusedBy: "gateway", status: 429 };
    return of < 20 ? { outcome: "errored", reason: "status", status: 500 } : {};
  };

  test.each([
    ["one file", 65_536],
    ["those of many workers", 97],
  ])(
    "%s: every request sent is in exactly one class, and the classes add up",
    async (_, segmentRows) => {
      const { counts, balance, errors, throttles, drawn } = await judged(
        5_000,
        shape,
        [],
        segmentRows,
      );
      const { sent, ok, throttled, errored, unknown, attempts } = counts;
      expect(balance).toEqual({ holds: true, problems: [] });
      expect(ok + throttled + errored + unknown).toBe(sent);
      expect([sent, attempts, sum(drawn.statuses)]).toEqual([5_000, 5_000, 5_000]);
      expect(drawn.statuses).toEqual({ 0: 600, 200: 2_000, 429: 2_200, 500: 200 });
      expect(errors).toEqual({ reset: 150, timeout: 200, connect: 250, status: 200 });
      expect(sum(errors)).toBe(errored + unknown);
      expect(throttles.client).toEqual({ gateway: throttled });
    },
  );

  test("errors are of their route too", async () => {
    const { criteria } = await judged(
      2_000,
      (i) =>
        i % 2 === 0
          ? { route: 1, outcome: "unknown", reason: "reset", serviceUs: 1_000 }
          : { route: 2 },
      ["pay.unknown.rate <= 1%", "look.unknown.rate <= 1%", "pay.errors.rate <= 1%"],
    );
    expect(criteria.map(({ verdict, estimate, n }) => [verdict, estimate, n])).toEqual([
      ["fail", 1, 1_000],
      ["pass", 0, 1_000],
      ["fail", 1, 1_000],
    ]);
  });
});

describe("percentiles", () => {
  test("9,412 timeouts and 16,550 refused: not those of the 78 that came through", async () => {
    const found = await judged(
      26_040,
      (i) => {
        if (i % 333 === 0 && i < 78 * 333) return {};
        return i % 26 < 17
          ? { outcome: "errored", reason: "connect", serviceUs: 400 }
          : { outcome: "unknown", reason: "timeout", serviceUs: -1 };
      },
      ["p95 <= 300ms", "p50 <= 300ms"],
    );
    expect(found.counts.ok).toBe(78);
    expect(found.criteria.map(({ verdict }) => verdict)).toEqual(["fail", "fail"]);
    const [row] = found.latencies;
    expect([row?.n, row?.p50]).toEqual([78 + found.counts.unknown, Number.POSITIVE_INFINITY]);
    expect(textReport(found)).toMatch(/shop +all +never +never +never +never/);
  });

  test("1,000 answers of 10 ms and 10 of another worker's 2 s: p95 is 10 ms, p99.5 is 2 s", async () => {
    const shape = (i: number) => ({ lagUs: 0, serviceUs: i % 101 < 100 ? 10_000 : 2_000_000 });
    const criteria = ["p95 <= 100ms", "p99 <= 100ms", "max <= 2s"];
    const found = await judged(1_010, shape, criteria, 97);
    const [row] = found.latencies;
    expect([row?.p95, row?.p99, row?.p999, row?.max]).toEqual([
      ...[10_000, 10_000, 2_000_000, 2_000_000],
    ]);
    expect(found.criteria.map(({ verdict }) => verdict)).toEqual(["pass", "inconclusive", "pass"]);
  });
});

test("a window in which nothing was due has no percentile, not one of 0", async () => {
  const gap = (i: number) => ({ dueUs: i * 10_000 + (i < 1_000 ? 0 : 20 * S) });
  const { drawn } = await judged(2_000, gap);
  const { p50Us, p99Us, outcomes } = drawn.series.groups[0]!;
  for (const line of [p50Us, p99Us]) {
    expect(line.slice(10, 20).every(Number.isNaN)).toBe(true);
    expect(line[5]).toBe(20_100);
  }
  expect(outcomes.ok.slice(9, 12)).toEqual([100, 0, 0]);
});
