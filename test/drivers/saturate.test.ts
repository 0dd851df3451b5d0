// The closed loop's supply has no end, and gives the same call again where nothing differs.
import { describe, expect, test } from "vitest";
import type { Arrival } from "../../src/core/arrival.ts";
import { seededRng } from "../../src/core/rng.ts";
import type { Load } from "../../src/core/scenario.ts";
import { saturate } from "../../src/drivers/saturate.ts";
import { testLoad } from "./load.ts";

const closed: Partial<Load> = {
  driver: { kind: "saturate", connections: 4, with: "gatecrash" },
  startUs: 2_000_000,
};

function taken(more: Partial<Load>, count: number): Arrival[] {
  const arrivals: Arrival[] = [];
  for (const arrival of saturate(testLoad({ ...closed, ...more }), seededRng(7)).arrivals()) {
    arrivals.push(arrival);
    if (arrivals.length === count) break;
  }
  return arrivals;
}

describe("a closed loop", () => {
  test("is numbered from 0 without gaps, all due when the load begins", () => {
    const arrivals = taken({}, 1_000);
    expect(arrivals.map(({ index }) => index)).toEqual(arrivals.map((_, i) => i));
    expect(new Set(arrivals.map(({ dueUs }) => dueUs))).toEqual(new Set([2_000_000]));
  });

  test("has one call for all where there is no body", () => {
    expect(new Set(taken({}, 100).map(({ call }) => call)).size).toBe(1);
  });

  test("has bodies of its own for each, the same ones from the same seed", () => {
    const body = { template: '{"id":"{{uuid}}"}', why: "a test" };
    const [one, two] = [taken({ body }, 50), taken({ body }, 50)];
    expect(new Set(one.map(({ call }) => JSON.stringify(call))).size).toBe(50);
    expect(two).toEqual(one);
  });
});
