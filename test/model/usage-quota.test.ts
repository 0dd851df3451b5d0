// Quotas of usage plans, by the calendar in UTC.
import { expect, it } from "vitest";
import { type QuotaPeriod, usageQuota } from "../../src/model/usage-quota.ts";

/** A Saturday. */
const SATURDAY = Date.UTC(2026, 0, 31, 23, 59, 59, 999);
const DAY_MS = 86_400_000;

it.each<[QuotaPeriod, number, number]>([
  ["DAY", SATURDAY, SATURDAY + 1],
  ["WEEK", SATURDAY - 6 * DAY_MS, SATURDAY + 1],
  ["MONTH", Date.UTC(2026, 0, 1), SATURDAY + 1],
])("a quota of one for a %s is whole again when the next begins", (period, first, next) => {
  const { take } = usageQuota({ limit: 1, period, offset: 0 });
  expect([first, SATURDAY, next, next + 1].map(take)).toEqual([true, false, true, false]);
});

it("an offset is taken from the first period alone", () => {
  const { take } = usageQuota({ limit: 3, period: "DAY", offset: 2 });
  const next = SATURDAY + 1;
  expect([SATURDAY, SATURDAY, next, next, next, next].map(take)).toEqual([
    ...[true, false, true, true, true, false],
  ]);
});
