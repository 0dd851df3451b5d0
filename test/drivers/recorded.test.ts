// Recorded service times by route.
import { expect, test } from "vitest";
import type { CaptureRecord } from "../../src/core/capture.ts";
import { recordedMs } from "../../src/drivers/recorded.ts";
import { testLoad } from "./load.ts";

const ROUTES = [
  { name: "checkout", method: "POST", path: "/checkout" },
  { name: "browse", method: "GET", path: "/product/{id}" },
];
function record(method: string, path: string, latencyUs: number | null): CaptureRecord {
  const recorded = { status: 200, latency_us: latencyUs, bytes: null };
  return { method, path, recorded } as CaptureRecord;
}

test("are means, and the mean of all where a route has none", () => {
  const records = [
    record("GET", "/product/1", 10_000),
    record("GET", "/product/2?tab=info", 30_000),
    record("GET", "/elsewhere", 80_000),
    record("GET", "/product/3", null),
  ];
  expect(recordedMs(testLoad({ routes: ROUTES }), records)).toEqual([80, 40, 20]);
});

test("are not known when the capture holds none", () => {
  expect(recordedMs(testLoad({ routes: ROUTES }), [record("GET", "/", null)])).toBeNull();
});
