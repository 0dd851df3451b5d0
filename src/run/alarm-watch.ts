// Stop conditions that CloudWatch watches: looked at until the run is over; ALARM ends the load.
import { messageOf } from "../core/error.ts";
import type { AlarmState } from "../core/facts.ts";
import { type Clock, runUs, US_PER_S } from "../core/time.ts";
import type { Stop, Untimed } from "./watch.ts";

export interface AlarmPort {
  readonly names: readonly string[];
  /** Time from one look to the next. */
  readonly everyUs: number;
  /** Alarms that do not exist any more are left out. Rejects when they cannot be read. */
  read(): Promise<readonly AlarmLook[]>;
}

export interface AlarmLook {
  readonly name: string;
  readonly state: AlarmState;
  readonly reason: string;
}

export interface AlarmWatchDeps {
  readonly alarms: AlarmPort;
  readonly clock: Clock;
  /** Aborted when all is over, undo included. */
  readonly over: AbortSignal;
  readonly emit: (event: Untimed) => void;
  readonly stop: (stop: Stop) => void;
}

/** Whoever cannot see the alarm for so long does not go on: it may be ringing. */
const BLIND_MAX_US = 30 * US_PER_S;

/** Resolves when all is over; an alarm that cannot be read or has been deleted stops, too. */
export async function watchAlarms(deps: AlarmWatchDeps): Promise<void> {
  const { alarms, clock, over, stop } = deps;
  const known = new Map<string, AlarmState>();
  let seenUs = 0;
  await clock.sleepUntil(runUs(0), over).catch(() => {});
  while (!over.aborted) {
    try {
      lookAt(deps, known, await alarms.read());
      seenUs = clock.nowUs();
    } catch (error) {
      const blindUs = clock.nowUs() - seenUs;
      if (blindUs >= BLIND_MAX_US) {
        const seconds = Math.round(blindUs / US_PER_S);
        const detail = `the alarms could not be read for ${seconds} s: ${messageOf(error)}`;
        stop({ why: "condition", detail });
      }
    }
    await clock.sleepUntil(runUs(clock.nowUs() + alarms.everyUs), over).catch(() => {});
  }
}

function lookAt(
  { alarms, emit, stop }: AlarmWatchDeps,
  known: Map<string, AlarmState>,
  looks: readonly AlarmLook[],
): void {
  for (const name of alarms.names) {
    const look = looks.find((one) => one.name === name);
    if (look === undefined) {
      stop({ why: "condition", detail: `alarm ${name} is not there any more` });
      continue;
    }
    const { state, reason } = look;
    if (known.get(name) !== state) emit({ kind: "alarm", alarm: name, state, detail: reason });
    known.set(name, state);
    if (state === "ALARM")
      stop({ why: "condition", detail: `alarm ${name} is in ALARM: ${reason}` });
  }
}
