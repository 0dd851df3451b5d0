// The timer thread: sleeps until the due time that the sender wrote into shared memory, then wakes
// it.
import { readlinkSync, writeFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

/** Int32 cells: the number of the last order (odd or even, it only counts up), and "stop". */
export const ORDER = 0;
export const STOP = 1;
/** BigInt64 cell: when the order is due, in ns of CLOCK_MONOTONIC, which all threads share. */
export const DUE = 1;
/** Bytes of the shared memory: two Int32 cells, then one BigInt64. */
export const SHARED_BYTES = 16;

const NS_PER_MS = 1e6;
/** Waking once a minute also survives a suspended machine. */
const WAIT_MS_MAX = 60_000;

/**
 * Waits for orders and answers each with its number. A newer order replaces the older one. The due
 * time is written before the order's number, so an answer for a number is never early for it: at
 * worst a newer due time is read with an older number, and the newer number is answered next.
 */
function serve(shared: SharedArrayBuffer, answer: (order: number) => void): void {
  const cells = new Int32Array(shared);
  const due = new BigInt64Array(shared);
  let answered = 0;
  while (Atomics.load(cells, STOP) === 0) {
    const order = Atomics.load(cells, ORDER);
    if (order === answered) {
      Atomics.wait(cells, ORDER, order, WAIT_MS_MAX);
      continue;
    }
    const leftMs = Number(Atomics.load(due, DUE) - process.hrtime.bigint()) / NS_PER_MS;
    if (leftMs > 0) {
      Atomics.wait(cells, ORDER, order, Math.min(leftMs, WAIT_MS_MAX));
      continue; // in time, early, or because of a newer order: the loop looks again
    }
    answered = order;
    answer(order);
  }
}

/**
 * Linux lets timers of a thread be up to 50 µs late (timer slack, proc(5)) so that it wakes up less
 * often. For this thread 1 ns: it takes half of the lag away. Where it cannot be set, that lag
 * stays.
 */
function sleepPrecisely(): void {
  try {
    const thread = readlinkSync("/proc/thread-self").split("/").at(-1);
    writeFileSync(`/proc/${thread}/timerslack_ns`, "1");
  } catch {
    // not Linux, or a kernel or container that does not allow it
  }
}

// The sender imports this file for its constants, and may itself run in a worker with other data.
const shared: unknown = workerData?.timer;
if (parentPort !== null && shared instanceof SharedArrayBuffer) {
  const port = parentPort;
  sleepPrecisely();
  serve(shared, (order) => port.postMessage(order));
}
