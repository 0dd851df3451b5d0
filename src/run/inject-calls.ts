// The control-plane calls before and during inject, with their few tries.
import {
  AwsFailure,
  type Change,
  type ControlPlane,
  type Fault,
  type Fields,
} from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import { type Clock, US_PER_S } from "../core/time.ts";
import { mayPass, type Pace, pause, settledBy } from "./pace.ts";
import { readFields } from "./read-fields.ts";

export interface CallPorts {
  readonly control: ControlPlane;
  readonly clock: Clock;
  readonly pace: Pace;
  /** Heard between two calls, never in one: a call that was begun has an answer to wait for. */
  readonly signal: AbortSignal;
}

/** Longest time a prior is tried to be read. */
const READ_US = 10 * US_PER_S;
const INJECT_TRIES = 3;

/** The captured fields as they are. Rejects with GatecrashError("aws") when AWS does not tell. */
export async function readPrior(fault: Fault, ports: CallPorts): Promise<Fields> {
  const { control, clock, pace, signal } = ports;
  const deadlineUs = clock.nowUs() + READ_US;
  for (;;) {
    try {
      const now = await settledBy(readFields(control, fault.read), clock, deadlineUs);
      if (now === "late") throw new AwsFailure("TimeoutError", "no answer in time", "", 0);
      signal.throwIfAborted();
      if (now.transition !== "") throw inTransition(fault, now.transition);
      return now.fields;
    } catch (error) {
      if (!mayPass(error) || clock.nowUs() >= deadlineUs) {
        throw refusal(fault, "could not be read", error);
      }
      await pause(clock, pace.retryUs, deadlineUs);
      signal.throwIfAborted();
    }
  }
}

/** One change of a fault. Rejects with GatecrashError("aws") when AWS refuses it. */
export async function injectCall(fault: Fault, change: Change, ports: CallPorts): Promise<void> {
  const { control, clock, pace, signal } = ports;
  for (let tried = 1; ; tried++) {
    signal.throwIfAborted();
    try {
      await control.call(change.service, change.action, change.input);
      return;
    } catch (error) {
      const again = tried < INJECT_TRIES && mayPass(error);
      if (!again) throw refusal(fault, "could not be changed", error);
      await pause(clock, pace.retryUs, clock.nowUs() + pace.retryUs);
    }
  }
}

function inTransition({ name, resources }: Fault, transition: string): GatecrashError {
  const text = `fault ${name}: ${resources.join(", ")} is being changed: ${transition}`;
  return new GatecrashError("refused", text, {
    hint: "nothing was changed: wait until that is over, then run again",
  });
}

function refusal(fault: Fault, what: string, cause: unknown): unknown {
  if (!(cause instanceof AwsFailure)) return cause;
  const why = `${cause.name}: ${cause.message}`;
  const resource = fault.resources.join(", ");
  return new GatecrashError("aws", `fault ${fault.name}: ${resource} ${what}: ${why}`, { cause });
}
