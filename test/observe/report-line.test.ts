// Every variant of Lambda's own lines, text and JSON, read into the same row.
import { describe, expect, test } from "vitest";
import type { PlatformRow } from "../../src/core/facts.ts";
import { emptyRow } from "../../src/observe/platform-event.ts";
import { parseReportEvent } from "../../src/observe/report-line.ts";

const ARN = "arn:aws:lambda:eu-west-1:222222222222:function:checkout";
const STREAM = "2026/09/07/[12]0a1b2c3d4e5f60718293a4b5c6d7e8f9";
const PLACE = { function: ARN, stream: STREAM, atMs: 1_788_773_400_000 };
const ID = "5d1c7a52-0d8e-4c0a-9a51-6f2b1f7a9c01";
/** `→` is a tab, as in the tables of this format. */
const tabs = (text: string): string => text.replaceAll("→", "\t");

const report = (row: Partial<PlatformRow>): Partial<PlatformRow> => ({
  kind: "report",
  request_id: ID,
  ...row,
});

const TEXT: readonly (readonly [string, string, Partial<PlatformRow>])[] = [
  [
    "warm",
    `REPORT RequestId: ${ID}→Duration: 21.07 ms→Billed Duration: 22 ms→Memory Size: 1024 MB→Max Memory Used: 93 MB→`,
    report({ duration: 21.07, billed: 22, memory: 1024 }),
  ],
  [
    "cold",
    `REPORT RequestId: ${ID}→Duration: 61.50 ms→Billed Duration: 274 ms→Memory Size: 1024 MB→Max Memory Used: 95 MB→Init Duration: 212.10 ms→`,
    report({ duration: 61.5, billed: 274, memory: 1024, init: 212.1 }),
  ],
  [
    "cold and traced",
    `REPORT RequestId: ${ID}→Duration: 1.00 ms→Billed Duration: 90 ms→Memory Size: 128 MB→Max Memory Used: 50 MB→Init Duration: 88.70 ms→\nXRAY TraceId: 1-68bd0001-aabbccddeeff001122334455→SegmentId: 1122334455667788→Sampled: true→`,
    report({
      duration: 1,
      billed: 90,
      memory: 128,
      init: 88.7,
      trace_id: "1-68bd0001-aabbccddeeff001122334455",
    }),
  ],
  [
    "traced without a segment",
    `REPORT RequestId: ${ID}→Duration: 1.00 ms→Billed Duration: 1 ms→Memory Size: 128 MB→Max Memory Used: 50 MB→\nXRAY TraceId: 1-a-b→Sampled: false→`,
    report({ duration: 1, billed: 1, memory: 128, trace_id: "1-a-b" }),
  ],
  [
    "timeout, new style",
    `REPORT RequestId: ${ID}→Duration: 5000.00 ms→Billed Duration: 5000 ms→Memory Size: 256 MB→Max Memory Used: 61 MB→Status: timeout`,
    report({ duration: 5000, billed: 5000, memory: 256, status: "timeout" }),
  ],
  [
    "crash in a cold start",
    `REPORT RequestId: ${ID}→Duration: 40.00 ms→Billed Duration: 118 ms→Memory Size: 128 MB→Max Memory Used: 33 MB→Init Duration: 77.20 ms→Status: error→Error Type: Runtime.ExitError`,
    report({
      duration: 40,
      billed: 118,
      memory: 128,
      init: 77.2,
      status: "error",
      error_type: "Runtime.ExitError",
    }),
  ],
  [
    "out of memory",
    `REPORT RequestId: ${ID}→Duration: 800.12 ms→Billed Duration: 801 ms→Memory Size: 256 MB→Max Memory Used: 256 MB→Status: error→Error Type: Runtime.OutOfMemory`,
    report({
      duration: 800.12,
      billed: 801,
      memory: 256,
      status: "error",
      error_type: "Runtime.OutOfMemory",
    }),
  ],
  [
    "init that timed out",
    "INIT_REPORT Init Duration: 10004.55 ms→Phase: init→Status: timeout",
    { kind: "init", init: 10004.55, phase: "init", status: "timeout" },
  ],
  [
    "init again inside the first invoke",
    "INIT_REPORT Init Duration: 85.31 ms→Phase: invoke→Status: error→Error Type: Runtime.ImportModuleError",
    {
      kind: "init",
      init: 85.31,
      phase: "invoke",
      status: "error",
      error_type: "Runtime.ImportModuleError",
    },
  ],
  [
    "an extension that crashed",
    "INIT_REPORT Init Duration: 132.00 ms→Phase: init→Status: error→Error Type: Extension.Crash",
    { kind: "init", init: 132, phase: "init", status: "error", error_type: "Extension.Crash" },
  ],
  [
    "provisioned concurrency",
    "INIT_REPORT Init Duration: 341.90 ms→Phase: init",
    { kind: "init", init: 341.9, phase: "init" },
  ],
  [
    "restored from a snapshot",
    `REPORT RequestId: ${ID}→Duration: 33.00 ms→Billed Duration: 59 ms→Memory Size: 512 MB→Max Memory Used: 120 MB→Restore Duration: 398.44 ms→Billed Restore Duration: 26 ms→`,
    report({ duration: 33, billed: 59, memory: 512, restore: 398.44 }),
  ],
  ["restore", "RESTORE_REPORT Restore Duration: 398.44 ms", { kind: "restore", restore: 398.44 }],
  [
    "restore that failed",
    "RESTORE_REPORT Restore Duration: 10011.00 ms→Status: error→Error Type: Runtime.ExitError",
    { kind: "restore", restore: 10011, status: "error", error_type: "Runtime.ExitError" },
  ],
  [
    "local emulator order, init first",
    `REPORT RequestId: ${ID}→Init Duration: 0.52 ms→Duration: 281.02 ms→Billed Duration: 282 ms→Memory Size: 128 MB→Max Memory Used: 128 MB`,
    report({ duration: 281.02, billed: 282, memory: 128, init: 0.52 }),
  ],
];

const JSON_LINES: readonly (readonly [string, object, Partial<PlatformRow>])[] = [
  [
    "platform.report",
    {
      time: "2026-09-07T09:30:00.123Z",
      type: "platform.report",
      record: {
        requestId: ID,
        metrics: {
          durationMs: 1233.961,
          billedDurationMs: 1698,
          memorySizeMB: 256,
          maxMemoryUsedMB: 88,
          initDurationMs: 463.512,
        },
        status: "success",
        tracing: { type: "X-Amzn-Trace-Id", value: "Root=1-a-b;Parent=c;Sampled=1" },
      },
    },
    report({
      duration: 1233.961,
      billed: 1698,
      memory: 256,
      init: 463.512,
      status: "success",
      trace_id: "1-a-b",
    }),
  ],
  [
    "platform.report of a managed instance",
    { time: "t", type: "platform.report", record: { requestId: ID, metrics: { durationMs: 5 } } },
    report({ duration: 5 }),
  ],
  [
    "platform.report of a timeout",
    {
      time: "t",
      type: "platform.report",
      record: {
        requestId: ID,
        status: "timeout",
        errorType: "Sandbox.Timedout",
        metrics: { durationMs: 3000, billedDurationMs: 3000, restoreDurationMs: 7.5 },
      },
    },
    report({
      duration: 3000,
      billed: 3000,
      restore: 7.5,
      status: "timeout",
      error_type: "Sandbox.Timedout",
    }),
  ],
  [
    "platform.initReport",
    {
      time: "t",
      type: "platform.initReport",
      record: {
        initializationType: "provisioned-concurrency",
        phase: "init",
        status: "success",
        metrics: { durationMs: 200.125 },
      },
    },
    { kind: "init", init: 200.125, phase: "init", status: "success" },
  ],
  [
    "platform.restoreReport",
    { time: "t", type: "platform.restoreReport", record: { metrics: { durationMs: 9 } } },
    { kind: "restore", restore: 9 },
  ],
];

const rowOf = (more: Partial<PlatformRow>): PlatformRow => ({
  ...emptyRow("report", PLACE),
  ...more,
});

describe("text", () => {
  test.each(TEXT)("%s", (_name, line, row) => {
    expect(parseReportEvent(tabs(line), PLACE)).toEqual({ kind: "row", row: rowOf(row) });
  });

  test.each(TEXT)("%s, with spaces for tabs", (_name, line, row) => {
    const spaced = line.replaceAll("→", " ").replaceAll(" \n", "\n").trim();
    expect(parseReportEvent(spaced, PLACE)).toEqual({ kind: "row", row: rowOf(row) });
  });

  test("a timeout of an old runtime is a line of its own", () => {
    const line = `2026-09-07T09:30:03.004Z ${ID} Task timed out after 3.00 seconds`;
    expect(parseReportEvent(line, PLACE)).toEqual({ kind: "timeout", requestId: ID });
  });

  test("the version comes from the stream, in either form of its name", () => {
    const versions = ["2026/09/07/[$LATEST]0a", "2026/09/07/checkout[7]0a", "custom"].map(
      (stream) => emptyRow("report", { ...PLACE, stream }).version,
    );
    expect(versions).toEqual(["$LATEST", "7", null]);
  });
});

describe("JSON", () => {
  test.each(JSON_LINES)("%s", (_name, line, row) => {
    expect(parseReportEvent(JSON.stringify(line), PLACE)).toEqual({ kind: "row", row: rowOf(row) });
  });
});

test.each([
  ["no duration", `REPORT RequestId: ${ID}\tBilled Duration: 1 ms`],
  ["another unit", `REPORT RequestId: ${ID}\tDuration: 1 s`],
  ["no request id", "REPORT RequestId: hello\tDuration: 1 ms"],
  ["cut JSON", '{"time":"t","type":"platform.report","record":{"requestId":"5d1c'],
  ["a report without measures", '{"time":"t","type":"platform.report","record":{"requestId":"x"}}'],
  ["an init without its time", "INIT_REPORT Phase: init"],
])("malformed: %s", (_name, line) => {
  expect(parseReportEvent(line, PLACE)).toEqual({ kind: "malformed" });
});

test.each([
  ["blank", ""],
  ["START", `START RequestId: ${ID} Version: $LATEST`],
  ["END", `END RequestId: ${ID}`],
  ["INIT_START", "INIT_START Runtime Version: nodejs:22.v50\tRuntime Version ARN: arn"],
  ["an application's report", "REPORT of the day: all well, Duration: 3 ms"],
  ["a log level before it", `INFO\tREPORT RequestId: ${ID}\tDuration: 1 ms`],
  [
    "an application's JSON with a type",
    '{"type":"platform.report","requestId":"x","durationMs":1}',
  ],
  ["JSON that quotes a report", '{"message":"see \\"platform.report\\" for details"}'],
  ["one line of pretty-printed JSON", "{"],
  ["other platform lines", '{"time":"t","type":"platform.start","record":{"requestId":"x"}}'],
])("not the platform's measures: %s", (_name, line) => {
  expect(parseReportEvent(line, PLACE)).toEqual({ kind: "other" });
});
