// Duplicates on purpose: how many, which, and that nothing else changes.
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Arrival, Driver } from "../../src/core/arrival.ts";
import { seededRng } from "../../src/core/rng.ts";
import { runUs } from "../../src/core/time.ts";
import { withDuplicates } from "../../src/drivers/duplicates.ts";

const driverOf = (count: number): Driver => ({
  name: "rate",
  *arrivals(): Iterable<Arrival> {
    for (let index = 0; index < count; index++)
      yield {
        index,
        dueUs: runUs(index * 10),
        route: 0,
        call: { kind: "item", key: `${index}`, data: new Uint8Array(0) },
        ledger: { id: `e-${index}`, cell: "c" },
      };
  },
});

const idsOf = (driver: Driver): (string | undefined)[] =>
  [...driver.arrivals()].map(({ ledger }) => ledger?.id);

it("of any hundred arrivals at 3 %, three are sent twice", () => {
  const ids = idsOf(withDuplicates(driverOf(1_000), 0.03, seededRng(1)));
  expect(ids.length).toBe(1_030);
  const twice = ids.filter((id, i) => id === ids[i - 1]).map((id) => Number(id?.slice(2)));
  for (let from = 0; from < 1_000; from += 100) {
    const among = twice.filter((n) => n >= from && n < from + 100).length;
    expect(Math.abs(among - 3)).toBeLessThanOrEqual(1);
  }
});

it("arrivals stay ordered and numbered without gaps, and those without a second are untouched", () => {
  fc.assert(
    fc.property(fc.nat(200), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), (n, p, seed) => {
      const driver = withDuplicates(driverOf(n), p, seededRng(seed));
      const arrivals = [...driver.arrivals()];
      expect(arrivals.map(({ index }) => index)).toEqual([...arrivals.keys()]);
      expect([...new Set(idsOf(driver))]).toEqual(idsOf(driverOf(n)));
      expect(Math.abs(arrivals.length - n * (1 + p))).toBeLessThanOrEqual(1);
      for (const [i, arrival] of arrivals.entries())
        expect(arrival.dueUs).toBeGreaterThanOrEqual(arrivals[i - 1]?.dueUs ?? 0);
    }),
  );
});
