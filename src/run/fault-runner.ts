// What a run asks of a fault: two calls in time. How undo is guaranteed is run/undo's business.

export type FaultState = "idle" | "injecting" | "injected" | "restoring" | "restored" | "failed";

export interface FaultRunner {
  readonly name: string;
  readonly state: FaultState;
  /**
   * Everything that comes before the change (lease, record, proof), ahead of its time; `inject`
   * does it otherwise. Rejects as `inject` does.
   */
  prepare?(signal: AbortSignal): Promise<void>;
  /**
   * Record first, then change; resolves when the onset was observed. Rejects when the fault could
   * not be injected (refused, failed, aborted); `restore` is still called then.
   */
  inject(signal: AbortSignal): Promise<void>;
  /** Puts back and reads back; again has no effect. Knows no abort. Rejects if not verified. */
  restore(): Promise<void>;
}

/** How the undo ended; `none` = nothing was ever recorded. */
export type UndoOutcome = "none" | "open" | "verified" | "drift" | "failed";

export interface UndoableFault extends FaultRunner {
  readonly undo: UndoOutcome;
  /** What a person would type to undo it; "" before there is something to undo. */
  readonly command: string;
}

/** A fault and its moments on the run's clock. */
export interface ScheduledFault {
  readonly spec: { readonly name: string; readonly startUs: number; readonly endUs: number };
  readonly runner: FaultRunner;
}
