// Reads that are made again: one throttled look is no reason to refuse a run, or to doubt it.
import { setTimeout as sleep } from "node:timers/promises";
import type { AwsFailure, ControlPlane } from "../core/change.ts";
import { mayPass } from "../run/pace.ts";

/** Later than this after its first try, a read is not made again. */
const FOR_MS = 8_000;
const FIRST_MS = 250;
const READS = /^(Get|List|Describe|Filter)/;

/** Once the signal is aborted nothing is made again: whoever stopped a run is waiting. */
export function patient(control: ControlPlane, signal: AbortSignal): ControlPlane {
  return {
    async call(service, action, input) {
      const startMs = performance.now();
      for (let waitMs = FIRST_MS; ; waitMs *= 2) {
        try {
          return await control.call(service, action, input);
        } catch (error) {
          const isLate = performance.now() - startMs + waitMs > FOR_MS;
          if (signal.aborted || isLate || !READS.test(action) || !isPassing(error)) throw error;
          await sleep(waitMs, undefined, { signal }).catch(() => {});
        }
      }
    },
  };
}

/** Where nobody listens, nobody will in a moment. */
const isPassing = (error: unknown): boolean =>
  mayPass(error) && (error as AwsFailure).name !== "ECONNREFUSED";
