// The delays that a rule deals out: their median and tail, from a small number of requests.
import { expect, test } from "vitest";
import { Chooser } from "../../../src/local/dependencies/child/chooser.ts";
import { parseRule } from "../../../src/local/dependencies/rule.ts";

const RULE = { v: 1, for_s: 60, share: 1, seed: 3, act: "delay", delay_ms: 100 };
const delays = (more: object, count: number): number[] => {
  const chooser = new Chooser(parseRule(JSON.stringify({ ...RULE, ...more })));
  return Array.from({ length: count }, () => chooser.choose("GET /", undefined)?.delayMs ?? -1);
};

test("a fixed delay is the same for all", () => {
  expect(new Set(delays({}, 50))).toEqual(new Set([100]));
});

test("a distributed delay has its median and its 99th percentile within a few per cent", () => {
  const sorted = delays({ p99_ms: 2_000 }, 1_000).sort((a, b) => a - b);
  expect(sorted[500]! / 100).toBeCloseTo(1, 1);
  expect(sorted[989]! / 2_000).toBeGreaterThan(0.9);
  expect(sorted[990]! / 2_000).toBeLessThan(1.1);
  expect(sorted[999]!).toBeLessThanOrEqual(20_000);
});

test("of any hundred requests in a row a tenth is met, give or take two", () => {
  const chooser = new Chooser(parseRule(JSON.stringify({ ...RULE, share: 0.1 })));
  const met = Array.from({ length: 1_000 }, () => chooser.choose("GET /", undefined) !== null);
  for (let at = 0; at + 100 <= met.length; at++) {
    const count = met.slice(at, at + 100).filter(Boolean).length;
    expect(Math.abs(count - 10)).toBeLessThanOrEqual(2);
  }
});
