// How long an answer asks its client to wait, in every form that it may have.
import { expect, test } from "vitest";
import { retryAfterMs, retryAfterOfBody } from "../../src/core/retry-after.ts";

const NOW_MS = Date.UTC(2026, 10, 30, 12, 0, 0);

test.each([
  ["0", 0],
  ["7", 7_000],
  ["1.5", 1_500],
  ["999999999", 604_800_000],
  ["Mon, 30 Nov 2026 12:00:30 GMT", 30_000],
  ["Monday, 30-Nov-26 12:00:05 GMT", 5_000],
  ["Mon Nov 30 12:01:00 2026", 60_000],
  ["Mon, 30 Nov 2026 11:00:00 GMT", 0],
])("%s is a wait of %s ms", (value, ms) => {
  expect(retryAfterMs(value, NOW_MS)).toBe(ms);
});

test.each(["", "-1", "soon", "1, 2", "1e3", "2026-11-30T12:00:30Z", "Mon, 99 Foo 2026"])(
  "%j says nothing",
  (value) => {
    expect(retryAfterMs(value, NOW_MS)).toBe(null);
  },
);

test("a date says nothing to whom has no clock, seconds do", () => {
  expect(retryAfterMs("Mon, 30 Nov 2026 12:00:30 GMT", Number.NaN)).toBe(null);
  expect(retryAfterMs("3", Number.NaN)).toBe(3_000);
});

test.each([
  ['{"Reason":"X","retryAfterSeconds":"3","message":"Rate Exceeded."}', 3_000],
  ['{"retryAfterSeconds": 2.5 }', 2_500],
  ['{"retryAfterSeconds":"later"}', null],
  ['{"Type":"User"}', null],
  ["<html>", null],
])("a refusal's body %s", (body, ms) => {
  expect(retryAfterOfBody(body)).toBe(ms);
});
