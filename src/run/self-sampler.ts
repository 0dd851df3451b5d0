// A worker's look at itself once a second: is the sender itself the bottleneck?
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { type WorkerSelf, writeSelf } from "./live-counters.ts";

const EVERY_MS = 1_000;
const RESOLUTION_MS = 10;
/** Node 20 knows no CPU time of a thread: how busy its loop was for so many seconds stands in. */
const BUSY_SAMPLES = 5;

/**
 * Writes loop delay, busy share and `more` into the worker's live memory. Busy is a mean of five
 * seconds: a burst that fills one second is what was asked for, five full seconds are saturation.
 */
export function startSelfSampler(
  live: SharedArrayBuffer,
  more: () => Omit<WorkerSelf, "loopUs" | "cpu">,
): Disposable {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const ends: EventLoopUtilization[] = [performance.eventLoopUtilization()];
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, ends[0]);
    ends.push(now);
    if (ends.length > BUSY_SAMPLES) ends.shift();
    const loopUs = Math.max(0, Math.round(delay.max / 1_000 - RESOLUTION_MS * 1_000));
    delay.reset();
    writeSelf(live, { loopUs, cpu: utilization, ...more() });
  };
  const timer = setInterval(look, EVERY_MS);
  timer.unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      delay.disable();
      look();
    },
  };
}
