// A plausible "Max Memory Used": what this process would need if it held one environment only.
import { performance } from "node:perf_hooks";

const BYTES_PER_MB = 1_048_576;
/** Reading the process's size costs a system call; a value this old is as good. */
const MAX_AGE_MS = 250;

let environments = 0;
let firstBytes = 0;
let readAtMs = Number.NEGATIVE_INFINITY;
let lastMb = 0;

/** Tells how many execution environments live in this process. */
export function countEnvironments(now: number): void {
  if (environments === 0 && now === 1) firstBytes = process.memoryUsage.rss();
  environments = now;
}

/** MB: the process with its first environment, plus an equal share of what it has grown since. */
export function perEnvironmentMb(): number {
  const nowMs = performance.now();
  if (nowMs - readAtMs < MAX_AGE_MS) return lastMb;
  readAtMs = nowMs;
  const grownBytes = Math.max(0, process.memoryUsage.rss() - firstBytes);
  lastMb = Math.ceil((firstBytes + grownBytes / Math.max(1, environments)) / BYTES_PER_MB);
  return lastMb;
}
