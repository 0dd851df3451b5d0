// What a run asks of a fault: two calls in time. How undo is guaranteed is run/undo's business.
import type { ControlPlane } from "../core/change.ts";
import type { FaultEvent } from "../core/facts.ts";
import type { Clock } from "../core/time.ts";
import type { LeaseTerms } from "./lease.ts";
import type { Pace } from "./pace.ts";
import type { RunPlace } from "./undo-entry.ts";
import type { UndoLog } from "./undo-log.ts";

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
  /** When its dead-man acts, ms since 1970, unless it is moved forward; null = it has none. */
  readonly dueMs: number | null;
}

/** A fault and its moments on the run's clock. */
export interface ScheduledFault {
  readonly spec: { readonly name: string; readonly startUs: number; readonly endUs: number };
  readonly runner: FaultRunner;
  /** In force before any other begins, put back when all is over; no gate is asked. */
  readonly isAround?: boolean;
}

/** What a fault is bound to in a run. */
export interface FaultDeps {
  readonly control: ControlPlane;
  readonly undoLog: UndoLog;
  readonly clock: Clock;
  readonly emit: (event: FaultEvent) => void;
  readonly place: RunPlace;
  readonly limits: { readonly undoUs: number };
  readonly pace?: Pace;
  /** With the identity that puts back; absent = `control`. */
  readonly restoring?: ControlPlane;
  /** Absent or null: this system has no scheduler. */
  readonly lease?: LeaseTerms | null;
}
