// Alarms as stop conditions, in virtual time: looks, changes of state, and what cannot be seen.
import { expect, test } from "vitest";
import { type AlarmLook, watchAlarms } from "../../src/run/alarm-watch.ts";
import type { Stop, Untimed } from "../../src/run/watch.ts";
import { TestClock } from "../support/test-clock.ts";

const NAMES = ["checkout-errors", "quota"];
const look = (name: string, state: AlarmLook["state"]): AlarmLook => ({
  ...{ name, state },
  reason: `${name} became ${state}`,
});
const QUIET = [look("checkout-errors", "OK"), look("quota", "INSUFFICIENT_DATA")];

/** What every look sees until the test says otherwise: alarms, or that they cannot be read. */
function watching() {
  const clock = new TestClock();
  const over = new AbortController();
  const events: Untimed[] = [];
  const stops: (Stop & { readonly atMs: number })[] = [];
  const state = { seen: QUIET as readonly AlarmLook[] | Error, looks: 0 };
  const ended = watchAlarms({
    alarms: {
      names: NAMES,
      everyUs: 1_000_000,
      read: async () => {
        state.looks++;
        if (state.seen instanceof Error) throw state.seen;
        return state.seen;
      },
    },
    clock,
    over: over.signal,
    emit: (event) => events.push(event),
    stop: (stop) => stops.push({ ...stop, atMs: clock.nowUs() / 1_000 }),
  });
  return { clock, over, events, stops, state, ended };
}

test("writes down each alarm at the first look, and then only changes", async () => {
  const { clock, events, stops, state } = watching();
  await clock.advance(5_500);
  expect(state.looks).toBe(6);
  state.seen = [look("checkout-errors", "OK"), look("quota", "OK")];
  await clock.advance(2_000);
  expect(events).toEqual([
    ...[
      ["checkout-errors", "OK"],
      ["quota", "INSUFFICIENT_DATA"],
      ["quota", "OK"],
    ].map(([alarm, is]) => ({ kind: "alarm", alarm, state: is, detail: `${alarm} became ${is}` })),
  ]);
  expect(stops).toEqual([]);
});

test("stops at the first look that finds ALARM, with CloudWatch's reason", async () => {
  const { clock, events, stops, state } = watching();
  await clock.advance(2_500);
  state.seen = [QUIET[0]!, look("quota", "ALARM")];
  await clock.advance(1_000);
  expect(stops).toEqual([
    { why: "condition", detail: "alarm quota is in ALARM: quota became ALARM", atMs: 3_000 },
  ]);
  expect(events.at(-1)).toMatchObject({ alarm: "quota", state: "ALARM" });
});

test("stops when an alarm has been deleted meanwhile", async () => {
  const { clock, stops, state } = watching();
  state.seen = [QUIET[0]!];
  await clock.advance(1_500);
  expect(stops[0]).toMatchObject({
    why: "condition",
    detail: "alarm quota is not there any more",
  });
});

test("goes on when a look fails, and stops after 30 s without one that succeeds", async () => {
  const { clock, stops, state } = watching();
  await clock.advance(1_500);
  state.seen = new Error("Throttling");
  await clock.advance(20_000);
  state.seen = QUIET;
  await clock.advance(2_000);
  state.seen = new Error("AccessDenied");
  await clock.advance(29_000);
  expect(stops).toEqual([]);
  await clock.advance(2_000);
  expect(stops[0]).toEqual({
    why: "condition",
    detail: "the alarms could not be read for 30 s: AccessDenied",
    atMs: 53_000,
  });
});

test("looks no more when all is over", async () => {
  const { clock, over, state, ended } = watching();
  await clock.advance(1_500);
  over.abort();
  await ended;
  await clock.advance(5_000);
  expect(state.looks).toBe(2);
});
