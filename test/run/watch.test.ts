// Watching once a second, in virtual time: health, stops, and what makes a run invalid.
import { describe, expect, test } from "vitest";
import type { Refuser } from "../../src/core/outcome.ts";
import { parseCriterion } from "../../src/core/parse-criterion.ts";
import { liveBuffer, loadCounters, readLive } from "../../src/run/live-counters.ts";
import { type Stop, type Untimed, Watch, type WatchDeps } from "../../src/run/watch.ts";
import { answer } from "../support/answers.ts";
import { TEST_EPOCH_MS, TestClock } from "../support/test-clock.ts";

function watching(more: Partial<WatchDeps> = {}) {
  const clock = new TestClock();
  const buffer = liveBuffer([1]);
  const counters = loadCounters([1], buffer)[0]!;
  const events: Untimed[] = [];
  const stops: Stop[] = [];
  const self = { loopUs: 2_000, cpu: 0.4, rows: 0, encoderPending: 0, ownFailures: 0 };
  const watch = new Watch({
    clock,
    names: [{ name: "shopper", routes: [""] }],
    sample: () => readLive([1], [buffer], clock.nowUs()),
    selves: () => [self, { ...self, loopUs: 9_000, cpu: 0.2 }],
    emit: (event) => events.push(event),
    stop: (stop) => stops.push(stop),
    stopWhen: [],
    limits: { durationUs: 90_000_000, requests: 1_000_000 },
    generator: { lag_p99_us: 20_000 },
    ...more,
  });
  const second = (work: () => void = () => {}) => {
    work();
    clock.advanceSync(1_000);
    return watch.tick();
  };
  const send = (n: number, lagUs = 50) => {
    for (let i = 0; i < n; i++) {
      counters.began(0, true, lagUs);
      counters.ended(0, answer());
      counters.settled(0, "ok", false, 5_000);
    }
  };
  return { clock, counters, events, stops, watch, second, send };
}

const LIVE = { name: "shopper", in_flight: 0, dropped: 0, throttled: 0, errored: 0, unknown: 0 };

test("writes health every second: the last second's lag, and the busiest worker", () => {
  const { second, send, events } = watching();
  second(() => send(10, 500));
  second(() => send(5, 30));
  expect(events.filter((event) => event.kind === "health")).toEqual([
    {
      kind: "health",
      lag_p99_us: 503,
      loop_us: 9_000,
      cpu: 0.4,
      connect_failures: 0,
      loads: [{ ...LIVE, sent: 10, ok: 10 }],
    },
    {
      kind: "health",
      lag_p99_us: 30,
      loop_us: 9_000,
      cpu: 0.4,
      connect_failures: 0,
      loads: [{ ...LIVE, sent: 15, ok: 15 }],
    },
  ]);
});

test("shows the last second's sends and the last ten seconds' response", () => {
  const { second, send } = watching();
  second(() => send(100));
  expect(second(() => send(7))).toMatchObject({ atUs: 2_000_000, perSecond: 7, p50Us: 5_119 });
});

test("a look that comes late shows sends per second all the same", () => {
  const { watch, clock, second, send } = watching();
  second(() => send(100));
  send(300);
  clock.advanceSync(3_000);
  expect(watch.tick().perSecond).toBe(100);
});

test("a stop condition looks at the last ten seconds only, and stops once", () => {
  const stopWhen = [parseCriterion("shopper.errors.rate > 50%")];
  const { second, send, counters, stops } = watching({ stopWhen });
  second(() => send(100));
  for (let i = 0; i < 10; i++) second();
  expect(stops).toEqual([]);
  second(() => counters.settled(0, "errored", false, 0));
  second(() => counters.settled(0, "errored", false, 0));
  expect(stops).toEqual([
    { why: "condition", detail: "shopper.errors.rate > 50%: found 100.00 %" },
  ]);
});

test("limits on requests and on duration end the run", () => {
  const requests = watching({ limits: { durationUs: 90_000_000, requests: 20 } });
  requests.second(() => requests.send(19));
  expect(requests.stops).toEqual([]);
  requests.second(() => requests.send(1));
  expect(requests.stops).toEqual([{ why: "limit", detail: "20 requests sent, limit 20" }]);
  const duration = watching({ limits: { durationUs: 2_000_000, requests: 20 } });
  duration.second();
  expect(duration.stops).toEqual([]);
  duration.second();
  expect(duration.stops).toEqual([{ why: "limit", detail: "the limit of 2 s is over" }]);
});

test("ten seconds of late sends make the run invalid, a few late ones do not", () => {
  const few = watching();
  for (let i = 0; i < 12; i++) few.second(() => few.send(90, 90_000));
  expect(few.watch.invalid).toEqual([]);
  const many = watching();
  for (let i = 0; i < 9; i++) many.second(() => many.send(400, 90_000));
  expect(many.watch.invalid).toEqual([]);
  for (let i = 0; i < 3; i++) many.second(() => many.send(400, 90_000));
  expect(many.watch.invalid).toHaveLength(1);
  expect(many.watch.invalid[0]).toContain("late sends: lag p99 90");
  expect(many.events.filter((event) => event.kind === "invalid")).toHaveLength(1);
  expect(many.stops).toEqual([]);
});

test("pairs of both clocks are written every ten seconds", () => {
  const { second, events } = watching();
  for (let i = 0; i < 12; i++) second();
  expect(events.filter((event) => event.kind === "clock")).toEqual([
    { kind: "clock", wall_ms: TEST_EPOCH_MS + 1_000 },
    { kind: "clock", wall_ms: TEST_EPOCH_MS + 11_000 },
  ]);
});

test("a step of the wall clock stops the run and makes it invalid; a slow drift does not", () => {
  const { clock, second, stops, watch } = watching();
  clock.wallOffsetMs = 900;
  second();
  expect([stops, watch.invalid]).toEqual([[], []]);
  clock.wallOffsetMs = -3_600_000;
  second();
  const detail = "the wall clock jumped by −3,600.0 s during the run";
  expect([stops, watch.invalid]).toEqual([[{ why: "error", detail }], [detail]]);
});

test("what this machine could not send for want of its own means makes the run invalid", () => {
  const self = { loopUs: 0, cpu: 0, rows: 0, encoderPending: 0, ownFailures: 0 };
  const none = watching({ selves: () => [self, self] });
  none.watch.checkOwnFailures();
  expect([none.events, none.watch.invalid]).toEqual([[], []]);
  const some = { ...self, ownFailures: 2 };
  const { watch, events } = watching({ selves: () => [some, self, some] });
  watch.checkOwnFailures();
  const detail =
    "4 attempts were not sent for want of this machine's own " + "ports, file handles or memory";
  expect([events, watch.invalid]).toEqual([[{ kind: "invalid", detail }], [detail]]);
});

test("recording that does not keep up stops the run", () => {
  const self = { loopUs: 0, cpu: 0, rows: 0, encoderPending: 65, ownFailures: 0 };
  const { second, stops } = watching({ selves: () => [self] });
  second();
  expect(stops.map((stop) => stop.why)).toEqual(["error"]);
});

describe("a load that no longer arrives", () => {
  const refused = (counters: ReturnType<typeof watching>["counters"], refusedBy: Refuser) => {
    counters.began(0, true, 50);
    counters.ended(0, answer({ outcome: "throttled", refusedBy, status: 403 }));
    counters.settled(0, "throttled", false, 5_000);
  };
  const brake = { share: 0.5, withinUs: 2_000_000, least: 20 };

  test("is stopped whenever most of ten seconds' answers come from an edge", () => {
    const { second, send, stops, counters } = watching({ brake });
    for (let i = 0; i < 20; i++) second(() => send(10));
    expect(stops).toEqual([]);
    for (let i = 0; i < 6; i++)
      second(() => {
        for (let n = 0; n < 40; n++) refused(counters, "waf");
      });
    expect(stops).toEqual([
      { why: "condition", detail: expect.stringMatching(/^brake: 63 % of the last \d+ answers/) },
    ]);
  });

  test.each<[string, Partial<WatchDeps>, Refuser]>([
    ["where a criterion asks about it", { brake: { ...brake, edges: false } }, "waf"],
    ["where there is no brake", { brake: null }, "waf"],
    ["when the system's own front refuses", { brake }, "gateway"],
  ])("goes on %s", (_, more, by) => {
    const { second, send, stops, counters } = watching(more);
    for (let i = 0; i < 5; i++) second(() => send(10));
    for (let i = 0; i < 6; i++)
      second(() => Array.from({ length: 40 }, () => refused(counters, by)));
    expect(stops).toEqual([]);
  });
});
