// The virtual-time twin against the closed forms and the steady offer of the admission tests.
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { burstNeeds } from "../../src/model/capacity.ts";
import { foresee, type TwinArrival, type TwinFunction } from "../../src/model/twin.ts";

const account = (concurrency: number) => {
  return { concurrency, unreservedMinimum: 100, scalingBucket: 1_000, idleKeepUs: 300_000_000 };
};
const fn = (more: Partial<TwinFunction> = {}): TwinFunction => {
  return {
    ...{ name: "f", limits: { reserved: null, provisioned: 0 }, serviceMs: 120, initMs: 0 },
    ...more,
  };
};

function* steady(perSecond: number, seconds: number, of = 0): Iterable<TwinArrival> {
  for (let k = 0; k < perSecond * seconds; k++)
    yield { dueUs: Math.round((k * 1e6) / perSecond), of };
}

describe("the twin", () => {
  test.each([
    [100, 1_000],
    [5_000, 1_000],
  ])("at %i/s and a quota of %i finds Little's figures", (perSecond, quota) => {
    const { needed } = burstNeeds({ perSecond, quota, durationMs: 120, warm: 0 });
    const found = foresee(account(quota), [fn()], steady(perSecond, 2));
    expect([found.inFlightMax, found.cold, found.refusedTotal]).toEqual([needed, needed, 0]);
  });

  it("refuses the 44 % that a quota of 1,000 cannot hold at 15,000/s", () => {
    const found = foresee(account(1_000), [fn()], steady(15_000, 6));
    expect(found.cold).toBe(1_000);
    expect(found.refusedTotal / found.offered).toBeCloseTo(800 / 1_800, 2);
    expect(found.refused).toEqual({ ConcurrentInvocationLimitExceeded: found.refusedTotal });
  });

  it("takes 8 s to scale to 1,800 when nothing is warm", () => {
    const found = foresee(account(3_000), [fn()], steady(15_000, 12));
    expect(found.cold).toBe(1_800);
    expect(found.lastColdUs / 1e6).toBeCloseTo(8, 1);
  });

  it("makes more cold starts when an init keeps environments longer", () => {
    const found = foresee(account(1_000), [fn({ initMs: 400 })], steady(100, 5));
    expect(found.cold).toBe(52);
  });

  it("gives provisioned environments first, and spills over", () => {
    const limits = { reserved: 800, provisioned: 400 };
    const found = foresee(account(3_000), [fn({ limits, serviceMs: 150 })], steady(4_000, 2));
    expect(found.inFlightMax).toBe(600);
    expect(found.cold).toBe(200);
    expect(found.provisioned + found.cold).toBeLessThan(found.offered); // the rest was warm
  });

  it("accounts for every arrival, whatever order services end in", () => {
    const times = fc.array(fc.tuple(fc.nat(2_000_000), fc.nat(2)), { maxLength: 200 });
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 20 }), (raw, quota) => {
        const arrivals = raw
          .map(([dueUs, of]) => ({ dueUs, of }))
          .sort((a, b) => a.dueUs - b.dueUs);
        const three = [50, 400, 900].map((serviceMs, i) => fn({ name: `f${i}`, serviceMs }));
        const found = foresee(account(quota), three, arrivals);
        expect(found.offered).toBe(arrivals.length);
        expect(found.inFlightMax).toBeLessThanOrEqual(quota);
        expect(found.cold).toBeGreaterThanOrEqual(found.inFlightMax > 0 ? 1 : 0);
        expect(found.cold + found.refusedTotal).toBeLessThanOrEqual(found.offered);
      }),
    );
  });
});
