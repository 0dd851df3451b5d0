// The platform's lines, character by character.
import { expect, it } from "vitest";
import { billedMs, type Report, reportLine } from "../../../src/local/lambda/log-lines.ts";

const WARM: Report = {
  requestId: "id",
  durationMs: 12.344,
  initMs: null,
  memoryMb: 512,
  maxMemoryMb: 88,
  status: "",
  errorType: "",
  xray: null,
};
const MEMORY = "Memory Size: 512 MB\tMax Memory Used: 88 MB\t";

it.each<[string, Partial<Report>, string]>([
  ["warm", {}, `Duration: 12.34 ms\tBilled Duration: 13 ms\t${MEMORY}\n`],
  [
    "cold",
    { durationMs: 45.1, initMs: 300.55 },
    `Duration: 45.10 ms\tBilled Duration: 346 ms\t${MEMORY}Init Duration: 300.55 ms\t\n`,
  ],
  [
    "timed out",
    { durationMs: 3_000, status: "timeout" },
    `Duration: 3000.00 ms\tBilled Duration: 3000 ms\t${MEMORY}Status: timeout\n`,
  ],
  [
    "crashed when cold",
    { durationMs: 133, initMs: 80.1, status: "error", errorType: "Runtime.ExitError" },
    `Duration: 133.00 ms\tBilled Duration: 214 ms\t${MEMORY}Init Duration: 80.10 ms\t` +
      "Status: error\tError Type: Runtime.ExitError\n",
  ],
  [
    "traced",
    { xray: { traceId: "1-66aabbcc-0123", segmentId: "0a1b" } },
    `Duration: 12.34 ms\tBilled Duration: 13 ms\t${MEMORY}\n` +
      "XRAY TraceId: 1-66aabbcc-0123\tSegmentId: 0a1b\tSampled: true\t\n",
  ],
])("REPORT of a %s invocation", (_, more, line) => {
  expect(reportLine({ ...WARM, ...more })).toBe(`REPORT RequestId: id\t${line}`);
});

it.each([
  [133.61, 80, 214],
  [3.1, 542.01, 546],
  [3.01, null, 4],
  [12, null, 12],
  [0.001, null, 1],
])("bills %d ms and an init of %d ms as %i ms", (durationMs, initMs, billed) => {
  expect(billedMs(durationMs, initMs)).toBe(billed);
});
