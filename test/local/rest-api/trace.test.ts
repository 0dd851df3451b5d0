// Whose trace a request to a REST API belongs to, and whether it is recorded.
import { expect, it } from "vitest";
import { tracer } from "../../../src/local/rest-api/trace.ts";
import { NOW_MS } from "../http-api/gateway.ts";
import { formatOf, startRestGateway } from "./gateway.ts";

const ROOT = "1-66aabbcc-0123456789abcdef01234567";
const OWN = `1-${Math.floor(NOW_MS / 1_000).toString(16)}-${"8".repeat(24)}`;
const PARENT = "Parent=8888888888888888";

it.each([
  ["an untraced stage decides nothing", false, "", `Root=${OWN};Sampled=0`, null],
  ["nor does its client", false, `Root=${ROOT};Sampled=1`, `Root=${ROOT};Sampled=0`, null],
  ["a client that samples is heard", true, "Sampled=1", `Root=${OWN};${PARENT};Sampled=1`, true],
  [
    "also with a root of its own",
    true,
    `Root=${ROOT};Parent=0a;Sampled=1`,
    `Root=${ROOT};${PARENT};Sampled=1`,
    true,
  ],
  ["a client that does not, too", true, `Root=${ROOT};Sampled=0`, `Root=${ROOT};Sampled=0`, false],
  ["a root that is none is replaced", true, "Root=1-x;Sampled=0", `Root=${OWN};Sampled=0`, false],
])("%s", (_, tracing, sent, header, isSampled) => {
  const trace = tracer(tracing, () => 0.5)(sent, NOW_MS);
  expect([trace.header, trace.isSampled]).toEqual([header, isSampled]);
});

it("where nobody decides, the first request of a second is sampled, and one in twenty more", () => {
  const first = tracer(true, () => 0.5);
  expect([first("", 0).isSampled, first("", 999).isSampled, first("", 1_000).isSampled]).toEqual([
    ...[true, false, true],
  ]);
  const rare = tracer(true, () => 0.04);
  expect([rare("", 0).isSampled, rare("", 1).isSampled]).toEqual([true, true]);
});

it("the function gets the trace, the client sees it, and the log names it", async () => {
  const accessLog = { group: "g", format: formatOf(["xrayTraceId"]) };
  await using gateway = await startRestGateway({ tracing: true, accessLog });
  const sent = ["X-Amzn-Trace-Id", `Root=${ROOT};Sampled=1`];
  const { headers } = await gateway.ask("POST", "/prod/checkout", sent);
  const header = `Root=${ROOT};${PARENT};Sampled=1`;
  expect(headers["x-amzn-trace-id"]).toBe(header);
  expect(gateway.calls[0]).toMatchObject({
    options: { traceId: header },
    event: { headers: { "X-Amzn-Trace-Id": header } },
  });
  expect(gateway.lines[0]?.message).toBe(`{"xrayTraceId":"${ROOT}"}`);
});
