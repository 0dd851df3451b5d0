// The burst driver: all at one instant, again after the gap.
import { describe, expect, test } from "vitest";
import { seededRng } from "../../src/core/rng.ts";
import { burst } from "../../src/drivers/burst.ts";
import { driverConformance } from "../conformance/driver.ts";
import { testLoad } from "./load.ts";

const repeated = testLoad({
  startUs: 1_000_000,
  driver: { kind: "burst", count: 50, everyUs: 3_000_000, times: 9 },
  target: { kind: "sqs", queue: "q", timeoutUs: 1_000_000, lingerUs: 0 },
  body: { template: '{"n":{{seq}},"size":{{int 1 100}}}', why: "test" },
});

describe("burst", () => {
  driverConformance({ name: "repeated", load: repeated, make: burst, seeded: true });

  test("bursts stop where the load ends", () => {
    const due = [...burst(repeated, seededRng(1)).arrivals()].map((arrival) => arrival.dueUs);
    expect(due).toEqual([
      ...Array<number>(50).fill(1_000_000),
      ...Array<number>(50).fill(4_000_000),
      ...Array<number>(50).fill(7_000_000),
    ]);
  });

  test("without a gap there is one burst", () => {
    const once = testLoad({ driver: { kind: "burst", count: 7, everyUs: null, times: 3 } });
    const arrivals = [...burst(once, seededRng(1)).arrivals()];
    expect(arrivals.map(({ dueUs, call }) => [dueUs, call])).toEqual(
      Array(7).fill([0, { kind: "http", method: "GET", path: "", headers: [], body: null }]),
    );
  });
});
