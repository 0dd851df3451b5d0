// What became of each arrival, reconstructed from its attempts: one dense row per index of a load's
// arm.
import { grown } from "./growing.ts";

/** Outcome code of an index of which no attempt was recorded. */
export const UNSEEN = 255;
/**
 * Whether the system did what an arrival asked for: it was never asked; it surely did not, and the
 * sender gave up; nobody knows; it said so. The highest of its attempts counts.
 */
export type Acted = 0 | 1 | 2 | 3;
export const NEVER_SENT = 0;
export const GIVEN_UP = 1;
export const MAYBE = 2;
export const ACTED = 3;

/** A response that has no end. */
export const NEVER = -1;

/** Columns by arrival index. 31 bytes an arrival, so ten million fit in 310 MB. */
export class ArrivalTable {
  readonly load: number;
  readonly arm: number;
  /** Highest index seen or planned, + 1. */
  length: number;
  dueUs: Float64Array;
  /** done(last attempt) − due in µs, NEVER for unknown and dropped; saturates at 35 minutes. */
  responseUs: Int32Array;
  /** REPORT row of the last attempt, −1 = unjoined, FRONT_ALONE. */
  report: Int32Array;
  route: Uint16Array;
  /** Of the last attempt; 0 = no answer. */
  status: Uint16Array;
  /** Number of the last attempt; 0 = dropped or unseen. */
  last: Uint16Array;
  /** Attempt rows found; equals `last`, or the facts contradict themselves. */
  rows: Uint16Array;
  outcome: Uint8Array;
  refusedBy: Uint8Array;
  degraded: Uint8Array;
  /** Over all attempts, for the ledger. */
  acted: Uint8Array;

  constructor(load: number, arm: number, planned: number) {
    this.load = load;
    this.arm = arm;
    this.length = planned;
    this.dueUs = new Float64Array(planned);
    this.responseUs = new Int32Array(planned);
    this.report = new Int32Array(planned).fill(-1);
    this.route = new Uint16Array(planned);
    this.status = new Uint16Array(planned);
    this.last = new Uint16Array(planned);
    this.rows = new Uint16Array(planned);
    this.outcome = new Uint8Array(planned).fill(UNSEEN);
    this.refusedBy = new Uint8Array(planned);
    this.degraded = new Uint8Array(planned);
    this.acted = new Uint8Array(planned);
  }

  /**
   * Makes room for an index that the plan does not know (a closed loop, or contradicting facts).
   */
  reach(index: number): void {
    if (index < this.length) return;
    this.length = index + 1;
    if (index < this.outcome.length) return;
    this.dueUs = grown(this.dueUs, index + 1, 0);
    this.responseUs = grown(this.responseUs, index + 1, 0);
    this.report = grown(this.report, index + 1, -1);
    this.route = grown(this.route, index + 1, 0);
    this.status = grown(this.status, index + 1, 0);
    this.last = grown(this.last, index + 1, 0);
    this.rows = grown(this.rows, index + 1, 0);
    this.outcome = grown(this.outcome, index + 1, UNSEEN);
    this.refusedBy = grown(this.refusedBy, index + 1, 0);
    this.degraded = grown(this.degraded, index + 1, 0);
    this.acted = grown(this.acted, index + 1, 0);
  }
  /** Of an index without any record nothing is known: its facts may be what a kill took away. */
  actedOf(index: number): Acted {
    return this.outcome[index] === UNSEEN ? MAYBE : (this.acted[index] as Acted);
  }
}
