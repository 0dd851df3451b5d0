// Counting the plan: by whole second of the due time, by route and by method.
import { expect, test } from "vitest";
import type { Arrival } from "../../src/core/arrival.ts";
import { runUs } from "../../src/core/time.ts";
import { countPlanned } from "../../src/run/planned.ts";

function arrival(index: number, dueUs: number, route: number, body: string | null): Arrival {
  const bytes = body === null ? null : Buffer.from(body);
  const method = bytes === null ? "GET" : "POST";
  const call = { kind: "http" as const, method, path: "/", headers: [], body: bytes };
  return { index, dueUs: runUs(dueUs), route, call };
}

test("counts arrivals by the second in which they are due, empty seconds included", () => {
  const arrivals = [
    arrival(0, 0, 1, null),
    arrival(1, 999_999, 1, null),
    arrival(2, 1_000_000, 2, "eins"),
    arrival(3, 3_500_000, 1, null),
  ];
  expect(countPlanned(arrivals, 3)).toEqual({
    planned: 4,
    perSecond: [2, 1, 0, 1],
    perRoute: [[], [2, 0, 0, 1], [0, 1]],
    methods: { GET: 3, POST: 1 },
    bodyBytes: 4,
  });
});

test("counts nothing where nothing is planned", () => {
  const nothing = { planned: 0, perSecond: [], perRoute: [[]], methods: {}, bodyBytes: 0 };
  expect(countPlanned([], 1)).toEqual(nothing);
});
