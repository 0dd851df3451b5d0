// What the main thread and its workers say to each other: little, at the start and the end.
import type { Arrival, BatchTarget, FormBatches, Target } from "../core/arrival.ts";
import type { ErrorCode } from "../core/error.ts";
import type { Resend } from "../core/scenario.ts";
import type { RunClock } from "./clock.ts";
import type { ClosedLoop } from "./fire-load.ts";
import type { LiveShape } from "./live-counters.ts";
import type { PacingMode } from "./pacing.ts";

/** A share: what has index ≡ `index` (mod `of`). */
export interface Share {
  readonly index: number;
  readonly of: number;
}

/** A worker thread's workerData. `data` is the caller's own and must be cloneable. */
export interface WorkerBrief<D> {
  readonly data: D;
  readonly worker: number;
  /** This worker's part of the whole load, over all workers of all slices. */
  readonly share: Share;
  readonly slice: number;
  /** The run directory. */
  readonly dir: string;
  readonly seed: number;
  readonly pacing: PacingMode;
  readonly shape: LiveShape;
  readonly live: SharedArrayBuffer;
}

/** One load made of parts that run/ may not import: the entry of the worker puts them together. */
export interface ComposedLoad {
  readonly name: string;
  readonly code: number;
  readonly arm: number;
  /** All arrivals of the load; this worker's share is picked here. */
  readonly arrivals: Iterable<Arrival>;
  readonly target: Target;
  readonly resend: Resend | null;
  /** Of the whole load; split over the shares here, as are closed-loop connections. */
  readonly inFlightMax: number;
  readonly timeoutUs: number;
  readonly closed: ClosedLoop | null;
  /** Of a batch target: how a worker's arrivals are put into calls. */
  readonly batching?: { readonly target: BatchTarget; readonly form: FormBatches };
}

/**
 * Called once in each worker before the start. `clock` shows the run's time from the start on:
 * hand it (or `() => clock.nowUs()`) to targets, and do not read it before.
 */
export type Compose<D> = (
  data: D,
  context: { readonly clock: RunClock; readonly share: Share },
) => Promise<readonly ComposedLoad[]>;

export type ToWorker =
  | { readonly kind: "go"; readonly epochHrNs: bigint }
  | { readonly kind: "stop" };

export type FromWorker =
  | { readonly kind: "ready" }
  /** Everything is on disk and closed. */
  | { readonly kind: "ended"; readonly rows: number }
  | { readonly kind: "failed"; readonly error: CarriedError };

/** An exception on its way to another thread. */
export interface CarriedError {
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly hint: string | null;
  readonly stack: string | null;
}
