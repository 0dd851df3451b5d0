// Quantities: every unit, and that a missing one is an error.
import { describe, expect, it } from "vitest";
import {
  parseAmount,
  parseDurationUs,
  parseRatePerSecond,
  parseRatio,
} from "../../src/core/units.ts";

describe("a time", () => {
  it.each([
    ["250us", 250],
    ["250µs", 250],
    ["300ms", 300_000],
    ["0.5ms", 500],
    ["5s", 5_000_000],
    ["2m", 120_000_000],
    ["2min", 120_000_000],
    ["1m30s", 90_000_000],
    ["1h", 3_600_000_000],
  ])("reads %s as %i µs", (text, us) => expect(parseDurationUs(text)).toBe(us));

  it.each(["5", "5 s", "", "s", "-1s", "5S", "1s2", "5s!", "1e3s", "Infinity", "9999999999h"])(
    "refuses %j",
    (text) => expect(() => parseDurationUs(text)).toThrow(/`/),
  );

  it("says that a bare number lacks its unit", () => {
    expect(() => parseDurationUs("5")).toThrow("`5` has no unit");
  });
});

describe("a rate", () => {
  it.each([
    ["40/s", 40],
    ["40/min", 40 / 60],
    ["90/m", 1.5],
    ["7200/h", 2],
    ["0.5/s", 0.5],
  ])("reads %s", (text, perSecond) => expect(parseRatePerSecond(text)).toBe(perSecond));

  it.each(["40", "40rps", "/s", "40/d", "-1/s"])("refuses %j", (text) => {
    expect(() => parseRatePerSecond(text)).toThrow(/`/);
  });
});

describe("a share", () => {
  it.each([
    ["1%", 0.01],
    ["99.9%", 0.999],
    ["70 %", 0.7],
    ["0%", 0],
    ["100%", 1],
  ])("reads %s exactly", (text, ratio) => expect(parseRatio(text)).toBe(ratio));

  it.each(["1", "0.01", "%", "1%%"])("refuses %j", (text) => {
    expect(() => parseRatio(text)).toThrow(/`/);
  });
});

describe("the limit of a criterion", () => {
  it.each([
    ["300ms", { value: 300_000, unit: "us" }],
    ["95%", { value: 0.95, unit: "ratio" }],
    ["$4.50", { value: 4.5, unit: "usd" }],
    ["4usd", { value: 4, unit: "usd" }],
    ["1.1", { value: 1.1, unit: "number" }],
  ])("tells the unit of %s by its spelling", (text, amount) => {
    expect(parseAmount(text)).toEqual(amount);
  });

  it("refuses a unit that no limit has", () => {
    expect(() => parseAmount("40/s")).toThrow("`40/s` is not a quantity");
  });
});
