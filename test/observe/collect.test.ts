// Collecting: every page, each event once, late lines, refusals, and when to stop.
import { expect, test } from "vitest";
import { AwsFailure, type ControlPlane, type Json } from "../../src/core/change.ts";
import type { PlatformRow } from "../../src/core/facts.ts";
import { requestKey, requestKeyText } from "../../src/core/ids.ts";
import { type CollectInput, collectPlatform } from "../../src/observe/collect.ts";
import { type Answers, JoinedShare } from "../../src/observe/joined-share.ts";
import { emptyRow } from "../../src/observe/platform-event.ts";
import { AutoClock } from "../support/auto-clock.ts";
import { PagedLogs, type StoredEvent } from "./paged-logs.ts";

const ARN = "arn:aws:lambda:eu-west-1:222222222222:function:checkout";
const GROUP = "/aws/lambda/checkout";
const id = (n: number): string => `5d1c7a52-0d8e-4c0a-9a51-${String(n).padStart(12, "0")}`;

const reported = (n: number, more: Partial<StoredEvent> = {}): StoredEvent => ({
  eventId: `e${n}`,
  timestamp: 1_000 + n,
  logStreamName: "2026/09/07/[$LATEST]aa",
  message: `REPORT RequestId: ${id(n)}\tDuration: ${n}.00 ms\tBilled Duration: ${n} ms\n`,
  ...more,
});

const accessed = (n: number, lambda: string, integrationStatus: number): StoredEvent => ({
  eventId: `a${n}`,
  timestamp: 2_000 + n,
  logStreamName: "prod",
  message: JSON.stringify({
    requestId: `front-${n}`,
    status: "200",
    awsEndpointRequestId: lambda,
    integrationStatus,
  }),
});

/** Answers whose ids are known from the start. */
function answered(...ids: string[]): Answers {
  let left = ids.map((one) => requestKeyText(requestKey(one)));
  return {
    until: async () => {
      const keys = left;
      left = [];
      return keys;
    },
  };
}

function input(control: PagedLogs, more: Partial<CollectInput> = {}): CollectInput {
  return {
    control,
    logs: { control, elsewhere: null },
    functions: [`${ARN}:live`, ARN],
    accessLogGroup: "arn:aws:logs:eu-west-1:222222222222:log-group:shop-access:*",
    fromMs: 0,
    toMs: 10_000,
    waitUs: 60_000_000,
    clock: new AutoClock(),
    ...more,
  };
}

test("reads every page of every group, once per event, in order of time", async () => {
  const control = new PagedLogs({
    [GROUP]: [reported(2), reported(1), reported(1)],
    "shop-access": [accessed(1, id(1), 200)],
  });
  const { rows, end, malformed } = await collectPlatform(input(control));
  expect(rows.map((row) => [row.kind, row.function, row.request_id, row.front_request_id])).toEqual(
    [
      ["report", ARN, id(1), null],
      ["report", ARN, id(2), null],
      ["access", null, id(1), "front-1"],
    ],
  );
  expect([end, malformed]).toEqual(["quiet", 0]);
});

test("ends at once when the fate of every expected request is known", async () => {
  const control = new PagedLogs({
    [GROUP]: [reported(1)],
    "shop-access": [accessed(1, id(1), 200), accessed(2, id(2), 429), accessed(3, "-", 0)],
  });
  const clock = new AutoClock();
  const answers = answered("front-1", "front-2", "front-3");
  const { joined, end } = await collectPlatform(input(control, { clock, answers }));
  expect([joined, end, clock.nowUs()]).toEqual([3, "joined", 0]);
});

test("waits for lines that come late", async () => {
  const control = new PagedLogs({
    [GROUP]: [reported(1), reported(2, { afterCalls: 20 })],
    "shop-access": [],
  });
  const answers = answered(id(1), id(2));
  const quietUs = 30_000_000;
  const { joined, end } = await collectPlatform(input(control, { answers, quietUs }));
  expect([joined, end]).toEqual([2, "joined"]);
});

test("gives up waiting when nothing new comes, and says how much was joined", async () => {
  const control = new PagedLogs({ [GROUP]: [reported(1)], "shop-access": [] });
  const clock = new AutoClock();
  const answers = answered(id(1), id(9));
  const { joined, expected, end } = await collectPlatform(input(control, { clock, answers }));
  expect([joined, expected, end]).toEqual([1, 2, "quiet"]);
  expect(clock.nowUs()).toBeLessThan(5_000_000);
});

test("an empty log is waited for as long as the wait allows: lines take time to appear", async () => {
  const clock = new AutoClock();
  const control = new PagedLogs({});
  const { rows, end } = await collectPlatform(input(control, { clock, waitUs: 7_000_000 }));
  expect([rows, end, clock.nowUs()]).toEqual([[], "waited", 7_000_000]);
});

test("a refused read is tried again and loses nothing", async () => {
  const control = new PagedLogs(
    { [GROUP]: [reported(1), reported(2), reported(3)], "shop-access": [] },
    [4],
  );
  const { rows } = await collectPlatform(input(control));
  expect(rows.map((row) => row.request_id)).toEqual([id(1), id(2), id(3)]);
});

test("an old runtime's timeout reaches its report, in whichever order they come", async () => {
  const note = {
    ...reported(7),
    eventId: "note",
    message: `2026-09-07T09:30:03.004Z ${id(1)} Task timed out after 3.00 seconds\n\n`,
  };
  const control = new PagedLogs({ [GROUP]: [reported(1), note, reported(2)], "shop-access": [] });
  const { rows } = await collectPlatform(input(control));
  expect(rows.map((row) => row.status)).toEqual(["timeout", null]);
});

test("broken platform lines are counted, the application's are not", async () => {
  const broken = { ...reported(5), message: "REPORT RequestId: x\tDuration: 1 ms" };
  const own = { ...reported(6), message: "hello" };
  const control = new PagedLogs({ [GROUP]: [reported(1), broken, own], "shop-access": [] });
  const { rows, malformed } = await collectPlatform(input(control));
  expect([rows.length, malformed]).toEqual([1, 1]);
});

test("a long log is handed over as it is read: what is held grows with the rate, not the length", async () => {
  const LINES = 400_000;
  const PAGE = 10_000;
  const line = (n: number) => ({
    ...reported(n, { timestamp: 1_000 + n * 4 }),
    message: `REPORT RequestId: ${id(n)}\tDuration: 21.07 ms\tBilled Duration: 22 ms\n`,
  });
  const timedOut = (n: number) => ({
    ...reported(n, { eventId: `t${n}`, timestamp: 1_001 + n * 4 }),
    message: `2026-09-07T09:30:03.004Z ${id(n)} Task timed out after 3.00 seconds`,
  });
  let refusals = 2;
  const control: ControlPlane = {
    call: async (_service, action, asked) => {
      if (action !== "FilterLogEvents") throw new AwsFailure("AccessDenied", "no", "", 400);
      const from = Math.max(0, Math.ceil((Number(asked.startTime) - 1_000) / 4));
      const first = from + Number(asked.nextToken ?? 0);
      if (first > 200_000 && refusals-- > 0)
        throw new AwsFailure("ThrottlingException", "", "", 400);
      const count = Math.max(0, Math.min(PAGE, LINES - first));
      const events = Array.from({ length: count }, (_, i) => line(first + i));
      if (first <= 77 && first + count > 77) events.push(timedOut(77));
      const more = first + count < LINES ? { nextToken: String(first + count - from) } : {};
      return { events: events as unknown as Json, ...more };
    },
  };
  const seen = new Uint8Array(LINES);
  let most = 0;
  let timeouts = 0;
  const take = (rows: readonly PlatformRow[]) => {
    most = Math.max(most, rows.length);
    for (const { request_id, status } of rows) {
      seen[Number(request_id?.slice(-12))]!++;
      if (status === "timeout") timeouts++;
    }
  };
  const asked = {
    ...{ control, logs: { control, elsewhere: null } },
    accessLogGroup: null,
    toMs: 1e9,
    onRows: async (rows: readonly PlatformRow[]) => take(rows),
  };
  const { rows, end } = await collectPlatform(input(new PagedLogs({}), asked));
  expect(rows.length).toBeLessThan(110_000); // 65,536 and two minutes at 250/s
  take(rows);
  expect(end).toBe("quiet");
  expect(most).toBeLessThan(110_000);
  expect(seen.every((times) => times === 1)).toBe(true);
  expect([timeouts, refusals <= 0]).toEqual([1, true]);
});

const MINUTE_MS = 60_000;

test("answers meet their lines minute by minute, also across the edge of one", async () => {
  const trace = "1-66aabbcc-0123456789abcdef01234567";
  const traced = `${reported(4).message}XRAY TraceId: ${trace}\tSegmentId: 0a1b\tSampled: true\t\n`;
  const control = new PagedLogs({
    [GROUP]: [
      reported(1, { timestamp: MINUTE_MS - 5 }),
      reported(2, { timestamp: 3 * MINUTE_MS }),
      reported(3, { timestamp: 3 * MINUTE_MS + 1 }), // another caller's
      { ...reported(4, { timestamp: 4 * MINUTE_MS }), message: traced },
    ],
    "shop-access": [
      { ...accessed(1, id(1), 200), timestamp: MINUTE_MS + 5 },
      { ...accessed(2, id(2), 200), timestamp: 3 * MINUTE_MS + 2 },
    ],
  });
  const asked: number[] = [];
  const whole = answered("front-1", "front-2", trace, id(9));
  const answers: Answers = {
    until: (wallMs) => {
      asked.push(wallMs);
      return whole.until(wallMs);
    },
  };
  const toMs = 4.5 * MINUTE_MS;
  const { joined, expected, end } = await collectPlatform(input(control, { answers, toMs }));
  expect([joined, expected, end]).toEqual([3, 4, "quiet"]);
  expect(asked.slice(0, 5)).toEqual([70_000, 130_000, 190_000, 250_000, Number.POSITIVE_INFINITY]);
  const spans = control.calls.map((call) => Number(call.endTime) - Number(call.startTime));
  expect(Math.max(...spans.slice(0, 10))).toBe(MINUTE_MS);
});

test("what waits to be joined is forgotten after two minutes, joined or not", () => {
  const share = new JoinedShare();
  const row = (n: number, at: number): PlatformRow => ({
    ...emptyRow("report", { function: ARN, stream: null, atMs: at }),
    request_id: id(n),
  });
  share.expect([requestKeyText(requestKey(id(1)))], 0);
  share.take(row(2, 0));
  share.forget(1);
  share.take(row(1, 2));
  share.expect([requestKeyText(requestKey(id(2)))], 2);
  expect([share.expected, share.joined]).toEqual([2, 0]);
});
