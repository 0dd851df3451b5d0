// Counting the plan: by whole second of the due time.
import { expect, test } from "vitest";
import { countPlanned } from "../../src/run/planned.ts";
import { atTimes } from "../support/fire-bench.ts";

test("counts arrivals by the second in which they are due, empty seconds included", () => {
  const arrivals = atTimes([0, 999_999, 1_000_000, 3_500_000]);
  expect(countPlanned(arrivals)).toEqual({ planned: 4, perSecond: [2, 1, 0, 1] });
  expect(countPlanned([])).toEqual({ planned: 0, perSecond: [] });
});
