// A machine reads what a person sees: phases, parts of time, causes, effects, shards, ratios.
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import { htmlReport } from "../../src/report/html/page.ts";
import { report } from "../../src/report/report.ts";
import { resultOf } from "../../src/report/result-json.ts";
import { reportOf } from "../support/judged-run.ts";
import { RESULT_SCHEMA } from "../support/result-schema.ts";
import { type AttemptSpec, planFor, plannedLoad, quietEvents } from "../support/run-directory.ts";

const GOLDEN = join(import.meta.dirname, "..", "golden", "naive");

describe("result.json", () => {
  test("has the fault's effect, the parts of time, causes, statuses and ratios", async () => {
    const judged = await report(GOLDEN);
    const result = resultOf(judged);
    expect(RESULT_SCHEMA.parse(result)).toEqual(result);
    const { faultEffects, timeParts, coldCauses, oldNewRatios, statuses } = judged.drawn;
    const { worst, detected, shares, recovery } = faultEffects.zero!;
    expect(result.faults[0]!.effect).toMatchObject({
      noticed: { at_ms: detected!.us / 1_000, by: detected!.by },
      worst_second: { at_ms: worst!.us / 1_000, not_ok: worst!.share, n: worst!.n },
      while_acting: shares,
      recovered_after_ms: recovery!.us! / 1_000,
    });
    expect(result.time_parts!.map(({ start, n }) => [start, n])).toEqual(
      timeParts.map(({ start, n }) => [start, n]),
    );
    expect(result.cold_causes![0]).toMatchObject({ function: "checkout", cold: 12 });
    expect(coldCauses[0]!.cold).toBe(12);
    expect(result.old_new!.ratios[0]!.p50).toEqual(oldNewRatios.shopper![0]);
    expect(result.statuses).toEqual(statuses);
  });

  test("says nothing of a fault that was never asked", async () => {
    const fault = { name: "zero", kind: "f", during: null, resources: ["checkout"] };
    const attempts = [{ index: 0, dueUs: 0 }];
    const faults = [{ ...fault, start_us: 1e6, end_us: 2e6 }];
    const plan = planFor({ loads: [plannedLoad({ name: "shopper" })], faults }, attempts);
    const found = await reportOf({ plan, attempts, events: quietEvents(3, 1) });
    expect(resultOf(found).faults[0]!.effect).toBeNull();
  });
});

describe("phases", () => {
  /** Two hours, so that the timeline has buckets of four seconds; phases that fit none of them. */
  const EDGES_S = [0, 1_001.5, 1_011.25, 3_600.75, 7_200];
  const rng = seededRng(3, "phases");
  const attempts = Array.from({ length: 4_000 }, (_, index): AttemptSpec => {
    const dueUs = Math.floor((index * 7_200e6) / 4_000);
    if (rng.next() < 0.1) return { index, dueUs, outcome: "dropped", reason: "in-flight" };
    if (rng.next() < 0.1) return { index, dueUs, outcome: "errored", reason: "status" };
    return { index, dueUs, degraded: rng.next() < 0.2 };
  });

  test("hold exactly the arrivals that were due in them, in JSON and on the page", async () => {
    const phases = EDGES_S.slice(1).map((end, i) => {
      return { name: `p${i}`, start_us: EDGES_S[i]! * 1e6, end_us: end * 1e6 };
    });
    const loads = [plannedLoad({ name: "shopper", end_us: 7_200e6 })];
    const found = await reportOf({
      ...{ plan: planFor({ loads, phases }, attempts), attempts },
      ...{ events: quietEvents(3, attempts.length), segmentRows: 1_000 },
    });
    expect(found.drawn.series.bucketUs).toBe(4e6);
    const expected = phases.map(({ name, start_us, end_us }) => {
      const mine = attempts.filter(({ dueUs }) => dueUs >= start_us && dueUs < end_us);
      const sent = mine.filter(({ outcome }) => outcome !== "dropped");
      const ok = sent.filter(({ outcome }) => outcome === undefined);
      return {
        ...{ name, start_ms: start_us / 1e3, end_ms: end_us / 1e3, sent: sent.length },
        ...{ dropped: mine.length - sent.length, ok: ok.length, throttled: 0, unknown: 0 },
        ...{ errored: sent.length - ok.length, attempts: sent.length },
        degraded: ok.filter(({ degraded }) => degraded === true).length,
      };
    });
    expect(resultOf(found).phases).toEqual(expected);
    const page = htmlReport(found);
    const perSecond = (expected[1]!.sent / 9.75).toFixed(1);
    expect(page).toContain(`data-label="Sent per s">${perSecond}</td>`);
    expect(page).toContain("Slowest 4 seconds, p99");
  });
});
