// Injects each fault at its time and puts each back at its end, or all of them at once on a stop.
import { GatecrashError } from "../core/error.ts";
import { type Clock, runUs, US_PER_S } from "../core/time.ts";
import type { FaultState, ScheduledFault } from "./fault-runner.ts";
import { settledBy } from "./pace.ts";
import { restoreAll } from "./undo-all.ts";

/** How one fault ended. */
export interface UndoResult {
  readonly name: string;
  /** `idle`: it was never begun, so there was nothing to undo. */
  readonly state: FaultState;
  /** What `restore` rejected with; null = put back and verified, or never begun. */
  readonly failure: unknown;
}

export interface FaultScheduleDeps {
  readonly clock: Clock;
  /** Ends waiting and injecting; restoring never hears it. */
  readonly stopped: AbortSignal;
  /** Asked once, right before the first inject; false = nothing is injected. */
  readonly gate: () => boolean;
  /** A fault that could not be injected ends the run. */
  readonly failed: (name: string, error: unknown) => void;
}

/** Lease, record and proof are some ten calls: the change itself shall come at its time. */
const LEAD_US = 10 * US_PER_S;

export class FaultSchedule {
  readonly #faults: readonly ScheduledFault[];
  readonly #around: readonly ScheduledFault[];
  readonly #deps: FaultScheduleDeps;
  /** In the order of injection. */
  readonly #begun: ScheduledFault[] = [];
  readonly #restores = new Map<ScheduledFault, Promise<void>>();
  #gate: boolean | null = null;

  constructor(faults: readonly ScheduledFault[], deps: FaultScheduleDeps) {
    const inOrder = [...faults].sort((a, b) => a.spec.startUs - b.spec.startUs);
    this.#faults = inOrder.filter(({ isAround }) => isAround !== true);
    this.#around = inOrder.filter(({ isAround }) => isAround === true);
    this.#deps = deps;
  }

  /**
   * Resolves when every fault that was begun is put back (or could not be), but for what is around
   * them. Never rejects.
   */
  async play(): Promise<void> {
    await Promise.all(this.#around.map((fault) => this.#inject(fault)));
    const ends = [...new Set(this.#faults.map((fault) => fault.spec.endUs))];
    await Promise.all([
      ...this.#faults.map((fault) => this.#inject(fault)),
      ...ends.map((endUs) => this.#restoreAt(endUs)),
    ]);
    await this.restoreAll();
  }

  /** Puts back whatever was begun, newest first; a stuck one delays the next and stops nothing. */
  restoreAll(): Promise<void> {
    return this.#restore(this.#begun.filter(({ isAround }) => isAround !== true));
  }

  /** Load and faults are over: what was around them is put back, too. Never rejects. */
  async release(): Promise<void> {
    await this.#restore(this.#begun);
  }

  async results(): Promise<readonly UndoResult[]> {
    return await Promise.all(
      [...this.#faults, ...this.#around].map(async (fault) => {
        const ending = this.#restores.get(fault) ?? Promise.resolve();
        const failure = await ending.then(
          () => null,
          (error: unknown) => error ?? new GatecrashError("undo", `${fault.spec.name}: not undone`),
        );
        return { name: fault.spec.name, state: fault.runner.state, failure };
      }),
    );
  }

  async #inject(fault: ScheduledFault): Promise<void> {
    const { stopped, failed } = this.#deps;
    try {
      if (!(await this.#prepare(fault))) return;
      if (!(await this.#reaches(fault.spec.startUs))) return;
      if (fault.isAround !== true) this.#gate ??= this.#deps.gate();
      if (this.#gate === false || stopped.aborted) return;
      if (!this.#begun.includes(fault)) this.#begun.push(fault);
      await fault.runner.inject(stopped);
    } catch (error) {
      if (!stopped.aborted) failed(fault.spec.name, error);
    }
  }

  /** Ahead of its time, but after whatever ends before it: that may be on the same resource. */
  async #prepare(fault: ScheduledFault): Promise<boolean> {
    const { startUs } = fault.spec;
    const { runner } = fault;
    if (runner.prepare === undefined) return true;
    const earlier = this.#faults.filter(({ spec }) => spec.endUs <= startUs && fault.spec !== spec);
    const ends = earlier.map(({ spec }) => spec.endUs);
    if (!(await this.#reaches(Math.max(0, startUs - LEAD_US, ...ends)))) return false;
    // Over is not yet put back; what it has changed would be read as if it were the prior.
    const { clock } = this.#deps;
    await settledBy(
      this.#restore(earlier.filter((one) => this.#begun.includes(one))),
      clock,
      clock.nowUs() + LEAD_US,
    );
    this.#begun.push(fault); // from now on there is something to give up
    await runner.prepare(this.#deps.stopped);
    return true;
  }

  async #restoreAt(endUs: number): Promise<void> {
    await this.#reaches(endUs); // or the run was stopped: then it is time as well
    const isStopped = this.#deps.stopped.aborted;
    const begun = this.#begun.filter(({ isAround }) => isAround !== true);
    await this.#restore(
      isStopped ? begun : this.#begun.filter((fault) => fault.spec.endUs === endUs),
    );
  }

  async #restore(faults: readonly ScheduledFault[]): Promise<void> {
    const newestFirst = [...faults].reverse().map((fault) => {
      return { name: fault.spec.name, restore: () => this.#restored(fault) };
    });
    await restoreAll(newestFirst, this.#deps.clock);
  }

  #restored(fault: ScheduledFault): Promise<void> {
    const known = this.#restores.get(fault);
    if (known !== undefined) return known;
    const ending = fault.runner.restore();
    this.#restores.set(fault, ending);
    return ending;
  }

  /** True at that time; false when the run was stopped before. */
  async #reaches(atUs: number): Promise<boolean> {
    const { clock, stopped } = this.#deps;
    try {
      await clock.sleepUntil(runUs(atUs), stopped);
      return true;
    } catch {
      return false;
    }
  }
}
