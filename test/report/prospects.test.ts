// Criteria before a run: what the plan will feed them, and what that can decide.
import { describe, expect, it } from "vitest";
import { parseCriterion } from "../../src/core/parse-criterion.ts";
import type { Foreseen } from "../../src/report/feed.ts";
import { type Prospect, prospectsOf } from "../../src/report/prospects.ts";
import { plannedLoad } from "../support/run-directory.ts";

const S = 1_000_000;
const PHASES = [
  { name: "before", start_us: 0, end_us: 20 * S },
  { name: "zero", start_us: 20 * S, end_us: 40 * S },
  { name: "after", start_us: 40 * S, end_us: 60 * S },
];
const every = (perSecond: number, fromS: number, toS: number): number[] =>
  Array.from({ length: toS }, (_, second) => (second < fromS ? 0 : perSecond));

/** 60 s: browse at 100/s throughout, checkout at 10/s in the first 45 s. */
function foreseen(more: Partial<Foreseen> = {}): Foreseen {
  const load = plannedLoad({ name: "shop", routes: ["", "checkout", "browse"], end_us: 60 * S });
  const fault = { name: "cut", kind: "f", during: "zero", resources: [] };
  return {
    plan: {
      phases: PHASES,
      loads: [load],
      faults: [{ ...fault, start_us: 20 * S, end_us: 40 * S }],
      arms: ["candidate"],
      functions: { F: "F" },
    },
    perRoute: [[[], every(10, 0, 45), every(100, 0, 60)]],
    onsetUs: { cut: 0 },
    coldStarts: null,
    endUs: 60 * S,
    ...more,
  };
}

const prospect = (text: string, more: Partial<Foreseen> = {}): Prospect =>
  prospectsOf(foreseen(more), [parseCriterion(text)])[0]!;
const seen = ({ samples, needed, decidable, problem }: Prospect) => {
  return [samples, needed, decidable, problem];
};

describe("a sample criterion", () => {
  it("with samples enough will be decided", () => {
    const found = prospect("shop.browse.p99 <= 1s");
    expect(found).toMatchObject({ samples: 6_000, needed: 2_185, decidable: "yes", problem: "" });
    expect(found.odds).toBeGreaterThan(0.99);
  });

  it("counts the arrivals of its routes in its window only", () => {
    expect(prospect("shop.checkout.p90 <= 1s during after").samples).toBe(50);
    expect(prospect("checkout.p90 <= 1s").samples).toBe(450);
    expect(prospect("p90 <= 1s within 5s after cut").samples).toBe(550);
  });

  it("with fewer samples than any pass needs cannot be decided", () => {
    expect(seen(prospect("shop.checkout.p99 <= 1s during before"))).toEqual([
      ...[200, 2_185, "no", "200 samples during before, no pass with less than 299"],
    ]);
  });

  it("with poor odds says them", () => {
    expect(seen(prospect("shop.checkout.p99 <= 1s"))).toEqual([
      ...[450, 2_185, "unlikely"],
      "450 samples in the whole run: a pass has odds of 10 % at half the allowance, 80 % need ~2,185",
    ]);
  });

  it("with no arrival in its window cannot be decided", () => {
    const dry = { perRoute: [[[], every(10, 0, 20), []]] };
    expect(seen(prospect("checkout.errors.rate <= 5% during after", dry))).toEqual([
      ...[0, null, "no", "no arrival during after"],
    ]);
  });

  it("that is primary needs samples in ten seconds", () => {
    const burst = { perRoute: [[[], every(500, 36, 45), []]] };
    const text = "checkout.p90 <= 1s during zero";
    const few = "samples in 4 s during zero, a primary criterion needs 10 s of them";
    expect(seen(prospect(text, burst))).toEqual([2_000, 203, "no", few]);
    const marked = ["checkout.dropped == 0 primary", text].map((one) => parseCriterion(one));
    expect(prospectsOf(foreseen(burst), marked)[1]).toMatchObject({ decidable: "yes" });
  });

  it("of cold starts has at most as many samples as there will be", () => {
    expect(seen(prospect("shop.cold.p99 <= 1s"))).toEqual([6_450, 2_185, "open", ""]);
    expect(seen(prospect("shop.cold.p99 <= 1s", { coldStarts: 40 }))).toEqual([
      ...[40, 2_185, "no"],
      "at most 40 samples in the whole run, no pass with less than 299",
    ]);
  });

  it("of no error at all is decided by the first arrival", () => {
    expect(prospect("errors.rate <= 0%")).toMatchObject({ odds: 1, decidable: "yes" });
  });

  it("of a function cannot be foreseen", () => {
    expect(prospect("function(F).duration.p99 <= 1s")).toMatchObject({
      ...{ samples: null, odds: null, decidable: "open" },
    });
  });

  it("begins at the assumed onset; a window that is then too short is doubtful", () => {
    const late = { onsetUs: { cut: 2 * S } };
    expect(prospect("browse.p90 <= 1s during zero", late).samples).toBe(1_800);
    const later = prospect("browse.p90 <= 1s during zero", { onsetUs: { cut: 5 * S } });
    expect([later.decidable, later.problem]).toEqual([
      "unlikely",
      "its window covers 75 % of what was declared, at least 80 % are needed (if faults act as assumed)",
    ]);
  });
});

describe("other criteria", () => {
  it("that count are decided by what is there", () => {
    expect(prospect("shop.dropped == 0")).toMatchObject({ samples: 6_450, odds: 1 });
    expect(prospect("function(F).throttles > 0").decidable).toBe("yes");
  });

  it("that compare need enough on both sides", () => {
    const text = "shop.checkout.p95 during zero <= 1.2 * shop.checkout.p95 during before";
    expect(prospect(text)).toMatchObject({ samples: 200, decidable: "open", problem: "" });
    const wide = "shop.checkout.p99 during zero <= 1.2 * shop.browse.p99 during before";
    expect(prospect(wide).problem).toBe("200 samples during zero, a comparison needs 299");
    const dry = "shop.browse.p99 during zero <= 1.2 * shop.checkout.p99 during before";
    expect(prospect(dry)).toMatchObject({
      ...{ decidable: "no", problem: "200 samples during before, a comparison needs 299" },
    });
  });

  it("that compare need ten seconds on both sides", () => {
    const burst = { perRoute: [[[], every(500, 16, 45), []]] };
    const text = "checkout.p50 during zero <= 2 * checkout.p50 during before";
    const few = "during before: 4 seconds with samples, a comparison needs 10";
    expect(prospect(text, burst)).toMatchObject({ decidable: "no", problem: few });
  });

  it("of a version with a small share need no second full of it", () => {
    const slow = { perRoute: [[[], every(6, 0, 60), []]] };
    const versions = { shares: { v41: 0.9, v42: 0.1 }, exact: true };
    const found = prospect("checkout.v42.p50 <= 1s primary", { ...slow, versions });
    expect(found).toMatchObject({ samples: 36, decidable: "yes", problem: "" });
  });

  it("of recovery need time after the fault", () => {
    expect(prospect("recovery(cut) <= 10s")).toMatchObject({ decidable: "yes", problem: "" });
    expect(prospect("recovery(cut) <= 18s").problem).toBe(
      "the run ends 20.0 s after `cut` clears: one that is too slow may stay undecided, 23 s would tell",
    );
    expect(prospect("recovery(cut) <= 18s", { endUs: 43 * S })).toMatchObject({
      decidable: "no",
      problem: "the run ends 3.0 s after `cut` clears, recovery takes 5 good seconds to be seen",
    });
  });
});
