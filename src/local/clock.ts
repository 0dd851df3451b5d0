// Local AWS's clock: one monotonic epoch, wall time derived from it so that both agree.
import { type Clock, epochMs, type RunUs, runUs, US_PER_MS } from "../core/time.ts";

/** A new clock whose µs start at 0 now. */
export function systemClock(): Clock {
  const startMs = performance.now();
  const wallStartMs = performance.timeOrigin + startMs;
  const nowUs = (): RunUs => runUs(Math.round((performance.now() - startMs) * US_PER_MS));
  return {
    nowUs,
    wallMs: () => epochMs(Math.floor(wallStartMs + performance.now() - startMs)),
    async sleepUntil(atUs, signal) {
      // Timers may fire early, so the clock is asked again until it agrees.
      for (let leftUs = atUs - nowUs(); leftUs > 0; leftUs = atUs - nowUs())
        await timer(Math.ceil(leftUs / US_PER_MS), signal);
    },
  };
}

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timeout);
      reject(signal?.reason);
    };
    const timeout = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
