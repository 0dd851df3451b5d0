// A worker thread's life: compose, get ready, fire every load, put the facts on disk, say so.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { GatecrashError, messageOf } from "../core/error.ts";
import type { ItemSegment } from "../core/item-facts.ts";
import { seededRng } from "../core/rng.ts";
import { type RunClock, systemClock } from "./clock.ts";
import { type Encoder, startEncoder, startItemEncoder } from "./encoder.ts";
import { fire } from "./fire.ts";
import { type FireLoad, limitOfShare } from "./fire-load.ts";
import { ItemRecorder } from "./item-segment.ts";
import { loadCounters, stopFlag } from "./live-counters.ts";
import { createPacer } from "./pacing.ts";
import { SegmentRecorder } from "./recorder.ts";
import { startSelfSampler } from "./self-sampler.ts";
import type {
  CarriedError,
  Compose,
  ComposedLoad,
  FromWorker,
  ToWorker,
  WorkerBrief,
} from "./worker-contract.ts";

const FLUSH_LOOK_MS = 250;

/**
 * The whole of a worker's entry file: `await runWorker(compose)`. Ends the thread's work by posting
 * `ended` or `failed`; never rejects.
 */
export async function runWorker<D>(compose: Compose<D>): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error("runWorker is for worker threads");
  const post = (message: FromWorker) => port.postMessage(message);
  try {
    const rows = await work(workerData as WorkerBrief<D>, compose, port);
    post({ kind: "ended", rows });
  } catch (error) {
    post({ kind: "failed", error: carried(error) });
  } finally {
    port.close();
  }
}

async function work<D>(
  brief: WorkerBrief<D>,
  compose: Compose<D>,
  port: MessagePort,
): Promise<number> {
  const clock = systemClock();
  const orders = listen(port);
  const file = `${brief.slice}-${brief.worker}-`;
  const fail = (error: GatecrashError): void => orders.fail(error);
  const encoder = await startEncoder(join(brief.dir, "attempts", file), fail);
  let items: Encoder<ItemSegment> | null = null;
  let loads: readonly ComposedLoad[] = [];
  try {
    loads = await compose(brief.data, { clock, share: brief.share });
    if (loads.some(({ batching }) => batching !== undefined)) {
      mkdirSync(join(brief.dir, "items"), { recursive: true });
      items = await startItemEncoder(join(brief.dir, "items", file), fail);
    }
    port.postMessage({ kind: "ready" } satisfies FromWorker);
    clock.startAt(await orders.go);
    return await fireAll(brief, loads, { clock, encoder, items, orders });
  } finally {
    try {
      await Promise.all(loads.map(({ target }) => target[Symbol.asyncDispose]()));
    } finally {
      await Promise.all([encoder.close(), items?.close()]); // what was sent is kept all the same
    }
  }
}

interface Parts {
  readonly clock: RunClock;
  readonly encoder: Encoder;
  readonly items: Encoder<ItemSegment> | null;
  readonly orders: Orders;
}

async function fireAll<D>(
  brief: WorkerBrief<D>,
  loads: readonly ComposedLoad[],
  { clock, encoder, items, orders }: Parts,
): Promise<number> {
  const itemRecorder = items && new ItemRecorder(brief.worker, items);
  const recorder = new SegmentRecorder(brief.worker, encoder, itemRecorder);
  const counters = loadCounters(brief.shape, brief.live);
  await using pacer = createPacer({ now: () => clock.nowUs(), mode: brief.pacing });
  using _sampler = startSelfSampler(brief.live, () => ({
    rows: recorder.rows,
    encoderPending: encoder.pending + (items?.pending ?? 0),
    ownFailures: loads.reduce((sum, { target }) => sum + (target.ownFailures ?? 0), 0),
  }));
  const flushing = setInterval(() => recorder.flushAged(clock.nowUs()), FLUSH_LOOK_MS);
  const shared = { clock, pacer, recorder, stopped: stopFlag(brief.live) };
  const firings = loads.map((load) => {
    const rng = seededRng(brief.seed).fork(`resend/${load.name}`);
    return fire(fireLoadOf(load, brief), { ...shared, rng, counters: counters[load.code]! });
  });
  orders.onStop(() => {
    for (const firing of firings) firing.stop();
  });
  try {
    await Promise.race([Promise.all(firings.map((firing) => firing.ended)), orders.failed]);
  } finally {
    clearInterval(flushing);
    recorder.flush();
  }
  return recorder.rows;
}

function fireLoadOf<D>(load: ComposedLoad, { share }: WorkerBrief<D>): FireLoad {
  const { code, arm, arrivals, target, resend, closed, batching } = load;
  return {
    ...{ code, arm, arrivals, target, resend, share },
    ...(batching === undefined ? {} : { batching }),
    inFlightMax: limitOfShare(load.inFlightMax, share),
    graceUs: load.timeoutUs,
    closed: closed && { ...closed, connections: limitOfShare(closed.connections, share) },
  };
}

interface Orders {
  readonly go: Promise<bigint>;
  /** Rejects when the facts can no longer be written. */
  readonly failed: Promise<never>;
  fail(error: GatecrashError): void;
  /** Calls `stop` when the main thread says so, at once if it already has. */
  onStop(stop: () => void): void;
}

function listen(port: MessagePort): Orders {
  let stopped = false;
  let stop = (): void => {};
  let fail: (error: GatecrashError) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => {}); // it may fail before or after anybody waits for it
  const go = new Promise<bigint>((resolve) => {
    port.on("message", (message: ToWorker) => {
      if (message.kind === "go") return resolve(message.epochHrNs);
      stopped = true;
      stop();
    });
  });
  const onStop = (call: () => void): void => {
    stop = call;
    if (stopped) call();
  };
  return { go, failed, fail: (error) => fail(error), onStop };
}

function carried(error: unknown): CarriedError {
  const known = error instanceof GatecrashError ? error : null;
  return {
    code: known?.code ?? null,
    message: messageOf(error),
    hint: known?.hint ?? null,
    stack: error instanceof Error ? (error.stack ?? null) : null,
  };
}
