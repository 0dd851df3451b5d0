// The figures of the draft from which the report was built: they add up, and are printed like this.
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseCriterion } from "../../src/core/parse-criterion.ts";
import { report } from "../../src/report/report.ts";
import type { CriterionResult, LatencyRow } from "../../src/report/result.ts";
import { judgeSample, wishOf } from "../../src/report/sample-verdict.ts";
import { textReport } from "../../src/report/text.ts";

const MS = 1_000;
const GOLDEN = join(import.meta.dirname, "..", "golden", "naive");

/** `k` unwanted events among `n` independent samples; `p99Us` for percentiles. */
function judged(written: string, n: number, k: number, p99Us: number | null): CriterionResult {
  const { text, op, operand, expr, primary } = parseCriterion(written);
  const limit = expr.kind === "number" ? expr.value : Number.NaN;
  const wish = wishOf(p99Us === null ? null : 0.99, op, limit);
  const effective = { blocks: 1_800, deff: 1, n, k };
  const nothing = { perSecond: { n: [], k: [] }, longestRunUs: 0, values: null };
  const found = judgeSample(wish, { n, k, effective, ...nothing }, primary);
  const flip = (share: number) => (wish.atLeast ? 1 - share : share);
  const ends = [flip(found.interval.low), flip(found.interval.high)].sort((a, b) => a - b);
  const share = { estimate: flip(k / n), low: ends[0]!, high: ends[1]!, beyond: null };
  const beyond = { count: k, share: k / n, allowed: wish.allowed };
  const values = p99Us === null ? share : { estimate: p99Us, low: 0, high: p99Us, beyond };
  return {
    ...{ id: text, text, kind: "sample", primary, window: null, n, nEffective: n, blocks: 1_800 },
    ...{ unit: operand.measure.startsWith("p") ? "us" : "ratio", limit, reason: found.undecided },
    ...{
      verdict: found.verdict,
      margin: found.margin,
      needs: found.needs,
      longerUs: null,
      ...values,
    },
  };
}

function latency(start: LatencyRow["start"], n: number, ...ms: number[]): LatencyRow {
  const [p50 = 0, p95 = 0, p99 = 0, max = 0] = ms.map((one) => one * MS);
  const none = { low: Number.NaN, high: Number.NaN };
  return {
    ...{ load: "all", arm: "candidate", start, n, p50, p90: p50, p95, p99, p999: p99, max },
    intervals: { p50: none, p95: none, p99: none },
    initP50: start === "cold" ? 1_120 * MS : null,
  };
}

test("the first report adds up, and its lines are printed as drafted", async () => {
  const golden = await report(GOLDEN);
  const starts = { cold: 312, warm: 235_564, provisioned: 0, unjoined: 256 };
  const joined = { access_log: 235_876, request_id: 0, echo: 0, trace: 0, front_alone: 0 };
  expect(starts.cold + starts.warm).toBe(joined.access_log);
  const text = textReport({
    ...golden,
    criteria: [
      judged("candidate.agreement >= 99.9% primary", 236_109, 519, null),
      judged("candidate.cold.p99 <= 1900ms", 312, 3, 1_871 * MS),
      judged("candidate.warm.p99 <= 300ms", 235_564, 1_218, 288 * MS),
      judged("candidate.cold.rate <= 1%", 235_876, 312, null),
    ],
    latencies: [
      latency("cold", 312, 1_310, 1_702, 1_871, 1_988),
      latency("warm", 235_564, 38, 171, 288, 1_204),
      latency("all", 236_132, 38, 172, 291, 1_988),
    ],
    starts,
    joins: { ...joined, unjoined: 256 },
    counts: {
      ...{ planned: 472_264, sent: 472_264, dropped: 0, ok: 471_724, throttled: 0 },
      ...{ errored: 517, unknown: 23, degraded: 0, attempts: 472_264 },
    },
  });
  const lines = text.split("\n");
  expect(lines.slice(3, 13).map((line) => line.trimEnd())).toEqual([
    "  criterion                           n  found                     limit        margin",
    "✗ candidate.agreement >= 99.9%  236,109  99.78 % (99.76–99.80)     99.9 %     −0.10 pt  primary",
    "? candidate.cold.p99 <= 1900ms      312  1,871 ms; 3 beyond limit  1,900 ms  undecided  needs ~2,200",
    "✓ candidate.warm.p99 <= 300ms   235,564  288 ms; 0.52 % beyond     1 %         0.46 pt",
    "✓ candidate.cold.rate <= 1%     235,876  0.13 % (0.12–0.15)        1 %         0.85 pt",
    "",
    "  ms                     p50    p95    p99    max        n",
    "  all candidate  cold  1,310  1,702  1,871  1,988      312  (init p50 1,120)",
    "                 warm   38.0    171    288  1,204  235,564",
    "                 all    38.0    172    291  1,988  236,132",
  ]);
  for (const line of [
    "256 starts unjoined (0.11 %), the others joined by access log · 0.13 % cold",
    "472,264 planned = 472,264 sent + 0 dropped;",
    "sent = 471,724 ok + 0 throttled + 517 errored + 23 unknown",
  ])
    expect(text).toContain(line);
});
