// When a run's alarms are unmuted: quiet, out of patience, or in a hurry; in virtual time.
import { expect, test } from "vitest";
import { PatientUnmute } from "../../src/cli/patient-unmute.ts";
import { AwsFailure } from "../../src/core/change.ts";
import { US_PER_S } from "../../src/core/time.ts";
import type { UndoableFault } from "../../src/run/fault-runner.ts";
import { AutoClock } from "../support/auto-clock.ts";

const DENIED = new AwsFailure("AccessDenied", "not you", "", 403);
const WHY = "alarms cannot be read: AccessDenied: not you";

/** CloudWatch answers what `look` says of this second; at which second was it unmuted? */
async function unmuted(look: (atS: number) => string, hurriedAtS?: number) {
  const clock = new AutoClock();
  const said: string[] = [];
  const hurry = new AbortController();
  let atS = -1;
  const inner = {
    ...{ name: "mute-alarms", state: "injected", undo: "open", command: "", dueMs: null },
    inject: async () => {},
    restore: async () => {
      atS = clock.nowUs() / US_PER_S;
    },
  } satisfies UndoableFault;
  const control = {
    call: async () => {
      const state = look(clock.nowUs() / US_PER_S);
      if (state === "unread") throw DENIED;
      return { MetricAlarms: [{ AlarmName: "late", StateValue: state }] };
    },
  };
  const mute = { alarms: ["late"], afterUs: 60 * US_PER_S, atMostUs: 600 * US_PER_S, line: 1 };
  const ports = { clock, control, mute, alarms: ["late"], hurry: hurry.signal };
  const fault = new PatientUnmute(inner, {
    ...{ ...ports, everyUs: 15 * US_PER_S, say: (text: string) => said.push(text) },
  });
  const restored = fault.restore();
  if (hurriedAtS !== undefined) {
    while (clock.nowUs() < hurriedAtS * US_PER_S) await new Promise((go) => setImmediate(go));
    hurry.abort();
  }
  await restored;
  return { atS, said };
}

test("alarms that are quiet are unmuted as soon as they had time to ring", async () => {
  expect(await unmuted(() => "OK")).toEqual({ atS: 60, said: [] });
});

test("one that rings is waited for, and said once", async () => {
  expect(await unmuted((atS) => (atS < 100 ? "ALARM" : "OK"))).toEqual({
    atS: 105,
    said: ["waiting until these alarms are out of ALARM: late"],
  });
});

test("alarms that cannot be read are not taken for quiet: the next look decides", async () => {
  expect(await unmuted((atS) => (atS < 100 ? "unread" : "OK"))).toEqual({
    atS: 105,
    said: [`waiting to see the muted alarms quiet: ${WHY}`],
  });
});

test("alarms that never can be read are unmuted at the limit, and it is said", async () => {
  expect(await unmuted(() => "unread")).toEqual({
    atS: 600,
    said: [
      `waiting to see the muted alarms quiet: ${WHY}`,
      `no longer muted, and whether they ring is not known: late: ${WHY}`,
    ],
  });
});

test("nothing is waited for in a hurry", async () => {
  const { atS, said } = await unmuted(() => "unread", 90);
  expect(atS).toBeLessThan(120);
  expect(said).toEqual([`waiting to see the muted alarms quiet: ${WHY}`]);
});
