// Time stamps of logs: what each form means, and what is no moment at all.
import { expect, test } from "vitest";
import { parseCommonUs, parseIsoUs } from "../../src/import/stamps.ts";

const at = (...parts: [number, number, number, number, number, number]): number =>
  Date.UTC(...parts) * 1_000;

test.each([
  ["2026-09-07T09:30:05Z", at(2026, 8, 7, 9, 30, 5)],
  ["2026-09-07 09:30:05", at(2026, 8, 7, 9, 30, 5)],
  ["2026-09-07T09:30:05.123456789+02:00", at(2026, 8, 7, 7, 30, 5) + 123_456],
  ["2026-09-07T23:30:05.5-0200", at(2026, 8, 8, 1, 30, 5) + 500_000],
  ["2024-02-29T00:00:00Z", at(2024, 1, 29, 0, 0, 0)],
  ["2025-02-29T00:00:00Z", null],
  ["2025-04-31T00:00:00Z", null],
  ["2025-13-01T00:00:00Z", null],
  ["2025-01-01T25:00:00Z", null],
  ["soon", null],
])("ISO %s", (text, us) => expect(parseIsoUs(text)).toBe(us));

test.each([
  ["07/Sep/2026:09:30:05 +0200", at(2026, 8, 7, 7, 30, 5)],
  ["31/Feb/2015:10:05:03 +0000", null],
  ["17/Mai/2015:10:05:03 +0000", null],
  ["17/May/2015:10:61:03 +0000", null],
])("common %s", (text, us) => expect(parseCommonUs(text)).toBe(us));
