// The closed forms of what a fault costs in data, beside a simulation of each event.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  arrivalsBetween,
  asyncSavedS,
  lostOf,
  messageSavedS,
  poolLeft,
  recordSavedS,
} from "../../src/model/data-loss.ts";

/** Is a message that comes at `atS` of a fault of `lengthS` moved before the fault is over? */
function isMoved(atS: number, lengthS: number, visibilityS: number, receivesMax: number): boolean {
  let receives = 0;
  for (let nowS = atS; nowS <= lengthS; nowS += visibilityS)
    if (++receives > receivesMax) return true;
  return false;
}

describe("messages", () => {
  test("are lost exactly when a simulation of their receives says so", () => {
    const whole = (max: number) => fc.integer({ min: 1, max });
    fc.assert(
      fc.property(whole(60), whole(6), whole(400), (visibilityS, receivesMax, lengthS) => {
        const savedS = messageSavedS({ visibilityS, receivesMax, retentionS: 345_600 });
        for (let atS = 0; atS < lengthS; atS++)
          expect(isMoved(atS, lengthS, visibilityS, receivesMax)).toBe(atS <= lengthS - savedS);
      }),
    );
  });

  test("without a dead-letter queue stay as long as the queue keeps them", () => {
    const queue = { visibilityS: 30, receivesMax: null, retentionS: 60 };
    expect(messageSavedS(queue)).toBe(60);
    expect(messageSavedS({ ...queue, receivesMax: 5 })).toBe(60);
    expect(messageSavedS({ ...queue, receivesMax: 1 })).toBe(30);
  });
});

test.each([
  ["refused", 2, 21_600, 0],
  ["refused", 0, 60, 0],
  ["capped", 2, 21_600, 21_600],
  ["failing", 0, 21_600, 0],
  ["failing", 1, 21_600, 60],
  ["failing", 2, 21_600, 180],
  ["failing", 2, 60, 60],
] as const)("an asynchronous event, %s, %i retries, %i s at most: saved %i s", (...row) => {
  const [refusal, retries, ageMaxS, savedS] = row;
  expect(asyncSavedS(refusal, { retries, ageMaxS })).toBe(savedS);
});

test.each([
  ["refused", null, null, 86_400],
  ["refused", 3, 60, 60],
  ["capped", null, 604_800, 86_400],
  ["failing", 3, 60, 0],
  ["failing", null, 60, 60],
] as const)("a record, %s, %s retries, %s s at most: saved %i s", (...row) => {
  const [refusal, retriesMax, ageMaxS, savedS] = row;
  expect(recordSavedS(refusal, { retriesMax, ageMaxS, retentionS: 86_400 })).toBe(savedS);
});

describe("what is lost", () => {
  const planned = Array.from({ length: 60 }, () => 100);

  test("is all of the fault where nothing is saved, the plan's and others' apart", () => {
    const events = { planned, perSecond: 12, backlog: 0 };
    const lost = lostOf(events, { fromS: 20, toS: 35, savedS: 0 });
    expect(lost).toEqual({ planned: 1_500, others: 180 });
  });

  test("is a backlog, too, once its receives are used up, and nothing before", () => {
    const events = { planned: [], perSecond: 2, backlog: 40 };
    const fault = { fromS: 0, toS: 100 };
    expect(lostOf(events, { ...fault, savedS: 90 })).toEqual({ planned: 0, others: 60 });
    expect(lostOf(events, { ...fault, savedS: 100 })).toEqual({ planned: 0, others: 40 });
    expect(lostOf(events, { ...fault, savedS: 101 })).toEqual({ planned: 0, others: 0 });
  });

  test("of parts of a second is a part of its arrivals", () => {
    expect(arrivalsBetween([10, 20, 30], 0.5, 2.1)).toBeCloseTo(5 + 20 + 3);
    expect(arrivalsBetween([10], 3, 9)).toBe(0);
  });
});

test("a reservation takes from the pool what it adds to the one before", () => {
  expect(poolLeft(900, null, 50)).toBe(850);
  expect(poolLeft(900, 80, 50)).toBe(930);
  expect(poolLeft(900, 80, 0)).toBe(980);
});
