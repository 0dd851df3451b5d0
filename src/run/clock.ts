// The system's clock: the only file of run/ that reads the time.
import {
  type Clock,
  type EpochMs,
  epochMs,
  type RunUs,
  runUs,
  US_PER_MS,
  US_PER_S,
} from "../core/time.ts";

/** A clock whose 0 can be moved once the run's start is known; threads of a machine share it. */
export interface RunClock extends Clock {
  /** The monotonic time (`process.hrtime`, ns) of the run's 0. */
  readonly epochHrNs: bigint;
  /** Moves 0; before the epoch `nowUs` is negative. */
  startAt(epochHrNs: bigint): void;
}

const NS_PER_S = 1_000_000_000n;
/** Timers of Node are 32-bit milliseconds; once an hour also survives a suspended machine. */
const TIMER_MS_MAX = 3_600_000;

/**
 * Integer µs of CLOCK_MONOTONIC since `epochHrNs` (default: now). `process.hrtime()` because it is
 * four times as cheap as `performance.now()` and is the same in every thread and process.
 */
export function systemClock(epochHrNs: bigint = process.hrtime.bigint()): RunClock {
  let epochNs = epochHrNs;
  let epochS = 0;
  let epochNsOfS = 0;
  const startAt = (ns: bigint): void => {
    epochNs = ns;
    epochS = Number(ns / NS_PER_S);
    epochNsOfS = Number(ns % NS_PER_S);
  };
  startAt(epochHrNs);
  const nowUs = (): RunUs => {
    const [s, ns] = process.hrtime();
    return runUs((s - epochS) * US_PER_S + Math.floor((ns - epochNsOfS) / 1_000));
  };
  return {
    get epochHrNs() {
      return epochNs;
    },
    startAt,
    nowUs,
    wallMs: (): EpochMs => epochMs(Date.now()),
    sleepUntil: (atUs, signal) => sleepUntil(nowUs, atUs, signal),
  };
}

/** Node's timers may fire early, so every wake-up checks the clock and waits again. */
function sleepUntil(nowUs: () => RunUs, atUs: RunUs, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const check = (): void => {
      const leftUs = atUs - nowUs();
      if (leftUs <= 0) {
        signal?.removeEventListener("abort", abort);
        resolve();
        return;
      }
      timer = setTimeout(check, Math.min(Math.ceil(leftUs / US_PER_MS), TIMER_MS_MAX));
    };
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    check();
  });
}
