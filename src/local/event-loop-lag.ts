// How late local AWS's own event loop runs, so that nobody blames the system under test for it.
import { monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 10;
const SECONDS_KEPT = 60;

export interface LoopLag {
  /** 99th percentile and maximum in the last whole second. */
  readonly p99_ms: number;
  readonly max_ms: number;
  /** Maximum in the last minute. */
  readonly worst_ms: number;
}

export interface LagWatch extends Disposable {
  read(): LoopLag;
}

/** Watches until disposed; does not keep the process alive. */
export function watchEventLoop(): LagWatch {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const seconds: { p99: number; max: number }[] = [];
  const timer = setInterval(() => {
    seconds.push({ p99: lagMs(delay.percentile(99)), max: lagMs(delay.max) });
    if (seconds.length > SECONDS_KEPT) seconds.shift();
    delay.reset();
  }, 1_000).unref();
  return {
    read() {
      const last = seconds.at(-1) ?? { p99: 0, max: 0 };
      const worst = Math.max(0, ...seconds.map(({ max }) => max));
      return { p99_ms: last.p99, max_ms: last.max, worst_ms: worst };
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      delay.disable();
    },
  };
}

/** The histogram holds whole timer periods in ns; only what is beyond the period is lag. */
function lagMs(ns: number): number {
  const ms = ns / 1_000_000 - RESOLUTION_MS;
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms * 100) / 100) : 0;
}
