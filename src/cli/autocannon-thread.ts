// autocannon in a thread of its own: one warm-up, one closed loop, and what came of it.
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { parentPort, workerData } from "node:worker_threads";

export interface AutocannonOrder {
  readonly url: string;
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
  readonly connections: number;
  readonly seconds: number;
  readonly timeoutS: number;
  /** Requests that may still be sent, warm-up included. */
  readonly requestsMax: number;
}

export interface AutocannonFigures {
  /** By autocannon's own clock. */
  readonly seconds: number;
  readonly answers: number;
  /** Connections that failed and requests that had no answer in time. */
  readonly failures: number;
  /** Share of the time that this thread was busy. */
  readonly cpu: number;
}

/** `duration` is in seconds. */
type Result = { readonly [count in "2xx" | "non2xx" | "errors" | "duration"]: number } & {
  readonly requests: { readonly total: number };
};

const WARM_UP_S = 1;

async function measure(order: AutocannonOrder): Promise<AutocannonFigures> {
  const { url, method, headers, connections, seconds, timeoutS, requestsMax } = order;
  const run = createRequire(import.meta.url)("autocannon") as (options: object) => Promise<Result>;
  const options = { url, method, headers, connections, timeout: timeoutS };
  const most = Math.floor(requestsMax / 2);
  const first = await run({ ...options, duration: WARM_UP_S, maxOverallRequests: most });
  const left = requestsMax - first.requests.total;
  const before = performance.eventLoopUtilization();
  const result = await run({ ...options, duration: seconds, maxOverallRequests: left });
  return {
    seconds: result.duration,
    answers: result["2xx"] + result.non2xx,
    failures: result.errors,
    cpu: performance.eventLoopUtilization(before).utilization,
  };
}

parentPort?.postMessage(await measure(workerData as AutocannonOrder));
