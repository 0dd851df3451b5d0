// Unmuting alarms without calling anybody for what the run itself has done.
import type { ControlPlane } from "../core/change.ts";
import { messageOf } from "../core/error.ts";
import type { MuteSpec } from "../core/scenario.ts";
import { type Clock, runUs, US_PER_S } from "../core/time.ts";
import { readAlarms } from "../observe/alarms.ts";
import type { FaultState, UndoableFault, UndoOutcome } from "../run/fault-runner.ts";

export interface PatientPorts {
  readonly clock: Clock;
  readonly control: ControlPlane;
  readonly mute: MuteSpec;
  /** Names. */
  readonly alarms: readonly string[];
  /** Somebody wants the run to end: nothing is waited for any more. */
  readonly hurry: AbortSignal;
  /** Time from one look at the alarms to the next. */
  readonly everyUs: number;
  readonly say: (text: string) => void;
}

/**
 * Unmutes when the alarms have had time to hear of the last change, and none of them rings:
 * deleting a mute rule calls whoever a ringing alarm would have called.
 */
export class PatientUnmute implements UndoableFault {
  readonly #inner: UndoableFault;
  readonly #ports: PatientPorts;
  #restoration: Promise<void> | null = null;

  constructor(inner: UndoableFault, ports: PatientPorts) {
    this.#inner = inner;
    this.#ports = ports;
  }

  get name(): string {
    return this.#inner.name;
  }
  get state(): FaultState {
    return this.#inner.state;
  }
  get undo(): UndoOutcome {
    return this.#inner.undo;
  }
  get command(): string {
    return this.#inner.command;
  }
  get dueMs(): number | null {
    return this.#inner.dueMs;
  }

  async prepare(signal: AbortSignal): Promise<void> {
    await this.#inner.prepare?.(signal);
  }

  inject(signal: AbortSignal): Promise<void> {
    return this.#inner.inject(signal);
  }

  restore(): Promise<void> {
    this.#restoration ??= this.#restore();
    return this.#restoration;
  }

  async #restore(): Promise<void> {
    // Only a hurry ends the waiting early: then it is unmuted as it is.
    if (this.#inner.state === "injected") await this.#quiet().catch(() => {});
    await this.#inner.restore();
  }

  async #quiet(): Promise<void> {
    const { clock, mute, hurry, everyUs, say } = this.#ports;
    const fromUs = clock.nowUs();
    await clock.sleepUntil(runUs(fromUs + mute.afterUs), hurry);
    for (let said = ""; ; ) {
      const noise = await this.#noise();
      if (noise === null) return;
      if (clock.nowUs() - fromUs >= mute.atMostUs) return say(noise.unmuted);
      if (said !== noise.waiting) say(noise.waiting);
      said = noise.waiting;
      await clock.sleepUntil(runUs(clock.nowUs() + everyUs), hurry);
    }
  }

  /** Alarms that cannot be read may ring: only what was seen quiet is. */
  async #noise(): Promise<Noise | null> {
    const { control, alarms } = this.#ports;
    try {
      const ringing = (await readAlarms(control, alarms)).filter(({ state }) => state === "ALARM");
      if (ringing.length === 0) return null;
      const names = ringing.map(({ name }) => name).join(", ");
      return {
        waiting: `waiting until these alarms are out of ALARM: ${names}`,
        unmuted: `still in ALARM, and no longer muted: ${names}`,
      };
    } catch (error) {
      const why = messageOf(error);
      const names = alarms.join(", ");
      return {
        waiting: `waiting to see the muted alarms quiet: ${why}`,
        unmuted: `no longer muted, and whether they ring is not known: ${names}: ${why}`,
      };
    }
  }
}

/** Why it is not yet unmuted, and what is said once it is all the same. */
interface Noise {
  readonly waiting: string;
  readonly unmuted: string;
}

/** How often CloudWatch is asked: local AWS evaluates within a second. */
export const unmuteLookUs = (endpoint: string): number =>
  endpoint === "aws" ? 15 * US_PER_S : US_PER_S;
