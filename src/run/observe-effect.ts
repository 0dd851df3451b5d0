// Watches a fault's effect from outside, until it is in force or no longer is.
import { AwsFailure, type ControlPlane, type Probe, type ProbeAnswer } from "../core/change.ts";
import { type Clock, runUs, US_PER_S } from "../core/time.ts";
import { type Pace, settledBy } from "./pace.ts";

export interface ObservePorts {
  readonly control: ControlPlane;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/** Calls made, and those of them refused for capacity: the report subtracts these. */
export interface Observed {
  readonly probes: number;
  readonly probes_refused: number;
}

/**
 * Probes until `inForce` is what is `wanted`; null when the signal ended it first.
 * No answer, or AWS's own error, shows neither: only an answer of the resource counts.
 */
export async function observe(
  probe: Probe,
  wanted: boolean,
  ports: ObservePorts,
): Promise<Observed | null> {
  const { clock, pace, signal } = ports;
  let probes = 0;
  let refused = 0;
  while (!signal.aborted) {
    probes++;
    const answer = await unlessAborted(ask(probe, ports.control), signal);
    if (answer === "aborted") return null;
    if (answer !== null) {
      if (answer.reason !== "") refused++;
      if (probe.inForce(answer) === wanted) return { probes, probes_refused: refused };
    }
    await clock.sleepUntil(runUs(clock.nowUs() + pace.pollUs), signal).catch(() => {});
  }
  return null;
}

/** Longest look for the clearing once the run was stopped: whoever stopped it is waiting. */
const STOPPED_US = 3 * US_PER_S;

/** Until the effect is gone, at most until `untilUs`; null = it was not seen to go. */
export async function observeCleared(
  probe: Probe,
  { isStopped, ...ports }: Omit<ObservePorts, "signal"> & { readonly isStopped: boolean },
  untilUs: number,
): Promise<Observed | null> {
  const stop = new AbortController();
  const watching = observe(probe, false, { ...ports, signal: stop.signal }).catch(() => null);
  const soonUs = ports.clock.nowUs() + STOPPED_US;
  const lastUs = isStopped ? Math.min(untilUs, soonUs) : untilUs;
  const seen = await settledBy(watching, ports.clock, lastUs);
  stop.abort();
  return seen === "late" ? null : seen;
}

async function ask(probe: Probe, control: ControlPlane): Promise<ProbeAnswer | null> {
  try {
    const output = await control.call(probe.service, probe.action, probe.input);
    return { error: "", reason: "", output };
  } catch (error) {
    if (!(error instanceof AwsFailure)) throw error;
    const { name, reason, status } = error;
    if (status === 0 || status === 500 || status === 503) return null;
    return { error: name, reason, output: {} };
  }
}

/** A probe that hangs must not keep undo waiting. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  return new Promise((resolve, reject) => {
    const abort = (): void => resolve("aborted");
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
