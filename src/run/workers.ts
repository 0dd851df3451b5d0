// Worker threads from the main thread's side: ready, go, stop, ended.
import { Worker } from "node:worker_threads";
import { GatecrashError } from "../core/error.ts";
import {
  type LiveSample,
  type LiveShape,
  liveBuffer,
  readLive,
  readSelf,
  setStop,
  type WorkerSelf,
} from "./live-counters.ts";
import type { PacingMode } from "./pacing.ts";
import type { CarriedError, FromWorker, Share, ToWorker, WorkerBrief } from "./worker-contract.ts";

export interface WorkerGroup extends AsyncDisposable {
  /** Starts the load at this monotonic time; all workers are ready by now. */
  go(epochHrNs: bigint): void;
  /** Sends nothing more; `ended` follows within the loads' grace. */
  stop(): void;
  sample(atUs: number): LiveSample;
  selves(): readonly WorkerSelf[];
  /** Rows of facts by worker, all on disk. Rejects as soon as one worker fails. */
  readonly ended: Promise<readonly number[]>;
}

export interface WorkerOptions<D> {
  /** Built JavaScript that calls `runWorker(compose)`. */
  readonly entry: URL;
  /** For `compose`; must be cloneable. */
  readonly data: D;
  readonly count: number;
  readonly slice: Share;
  readonly dir: string;
  readonly seed: number;
  readonly pacing: PacingMode;
  /** Number of routes by load code, "" included: `plan.loads.map((load) => load.routes.length)`. */
  readonly shape: LiveShape;
}

/** Starts the threads and resolves when all are ready; rejects, with none left, when one cannot. */
export async function startWorkers<D>(options: WorkerOptions<D>): Promise<WorkerGroup> {
  const { count, slice, shape } = options;
  const members = Array.from({ length: count }, (_, worker) => {
    const share = { index: slice.index * count + worker, of: slice.of * count };
    return startMember(options, worker, share);
  });
  const leave = async (): Promise<void> => {
    await Promise.all(members.map(({ thread }) => thread.terminate()));
  };
  try {
    await Promise.all(members.map((member) => member.ready));
  } catch (error) {
    await leave();
    throw error;
  }
  const buffers = members.map((member) => member.live);
  const tell = (message: ToWorker): void => {
    for (const { thread } of members) thread.postMessage(message);
  };
  const ended = Promise.all(members.map((member) => member.ended));
  ended.catch(() => {}); // a failure is told to whoever waits, also later
  return {
    go: (epochHrNs) => tell({ kind: "go", epochHrNs }),
    stop: () => {
      for (const buffer of buffers) setStop(buffer);
      tell({ kind: "stop" });
    },
    sample: (atUs) => readLive(shape, buffers, atUs),
    selves: () => buffers.map(readSelf),
    ended,
    [Symbol.asyncDispose]: leave,
  };
}

interface Member {
  readonly thread: Worker;
  readonly live: SharedArrayBuffer;
  readonly ready: Promise<void>;
  readonly ended: Promise<number>;
}

function startMember<D>(options: WorkerOptions<D>, worker: number, share: Share): Member {
  const { data, slice, dir, seed, pacing, shape } = options;
  const live = liveBuffer(shape);
  const brief: WorkerBrief<D> = {
    ...{ data, worker, share, dir, seed, pacing, shape, live },
    slice: slice.index,
  };
  const thread = new Worker(options.entry, {
    workerData: brief,
    name: `worker ${worker}`,
    execArgv: [], // flags of the parent, such as --input-type, are not for this file
  });
  const saying = <T>(pick: (message: FromWorker) => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      thread.on("message", (message: FromWorker) => {
        const picked = pick(message);
        if (picked !== undefined) resolve(picked);
        if (message.kind === "failed") reject(arrived(message.error));
      });
      thread.on("error", reject);
      thread.on("exit", () => reject(new Error(`worker ${worker} ended without a word`)));
    });
  const ended = saying((message) => (message.kind === "ended" ? message.rows : undefined));
  ended.catch(() => {}); // told by `ready` when it never got that far
  const ready = saying((message) => (message.kind === "ready" ? true : undefined));
  return { thread, live, ready: ready.then(() => {}), ended };
}

function arrived({ code, message, hint, stack }: CarriedError): Error {
  const error =
    code === null
      ? new Error(message)
      : new GatecrashError(code, message, hint === null ? {} : { hint });
  if (stack !== null) error.stack = stack;
  return error;
}
