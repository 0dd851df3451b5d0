// One fault in time: record, inject, onset; put back, read back, clearing. Undo comes before do.
import type { Fault } from "../core/change.ts";
import { GatecrashError, messageOf } from "../core/error.ts";
import type { FaultEvent } from "../core/facts.ts";
import { sameFields } from "../core/fields.ts";
import type { FaultDeps, FaultState, UndoableFault, UndoOutcome } from "./fault-runner.ts";
import { injectCall } from "./inject-calls.ts";
import type { Lease } from "./lease.ts";
import { observe, observeCleared } from "./observe-effect.ts";
import { type Pace, paceOf, settledBy } from "./pace.ts";
import { type Foreign, putBack } from "./put-back.ts";
import { recordFirst } from "./record-first.ts";
import {
  drifted,
  heldBy,
  notUndone,
  showChange,
  showDrift,
  stillArmed,
  takenOver,
} from "./undo-entry.ts";
import type { UndoRecord, UndoState } from "./undo-record.ts";

/** Time that giving up the lease always has. */
const RELEASE_US = 5_000_000;

export function createFaultRunner(fault: Fault, deps: FaultDeps): UndoableFault {
  return new Runner(fault, deps);
}

class Runner implements UndoableFault {
  state: FaultState = "idle";
  undo: UndoOutcome = "none";
  readonly #fault: Fault;
  readonly #deps: FaultDeps;
  readonly #pace: Pace;
  /** Ends the wait for the onset as soon as undo begins. */
  readonly #restoring = new AbortController();
  /** The run's own. */
  #stop: AbortSignal | null = null;
  #record: UndoRecord | null = null;
  #lease: Lease | null = null;
  /** An inject call may have been made. */
  #touched = false;
  /** Every inject call was answered. */
  #answered = false;
  #preparation: Promise<void> | null = null;
  #writing: Promise<void> | null = null;
  /** No inject call is on its way any more. */
  #settled = false;
  #injection: Promise<void> | null = null;
  #restoration: Promise<void> | null = null;

  constructor(fault: Fault, deps: FaultDeps) {
    this.#fault = fault;
    this.#deps = deps;
    this.#pace = deps.pace ?? paceOf(deps.place.endpoint);
  }

  get name(): string {
    return this.#fault.name;
  }

  get command(): string {
    return this.#record?.command ?? "";
  }

  get dueMs(): number | null {
    return this.#lease?.dueMs ?? null;
  }

  prepare(signal: AbortSignal): Promise<void> {
    this.#preparation ??= this.#prepare(AbortSignal.any([signal, this.#restoring.signal]));
    return this.#preparation;
  }

  inject(signal: AbortSignal): Promise<void> {
    this.#injection ??= this.#inject(signal);
    return this.#injection;
  }

  restore(): Promise<void> {
    this.#restoration ??= this.#restore();
    return this.#restoration;
  }

  async #inject(stop: AbortSignal): Promise<void> {
    this.#stop = stop;
    const signal = AbortSignal.any([stop, this.#restoring.signal]);
    signal.throwIfAborted();
    this.state = "injecting";
    this.#writing = this.#write(signal).finally(() => {
      this.#settled = true;
    });
    await this.#writing;
    this.state = "injected";
    const seen = await observe(this.#fault.probe, true, {
      ...this.#deps,
      pace: this.#pace,
      signal,
    });
    if (seen !== null) this.#emit("onset", seen);
    else stop.throwIfAborted(); // undone before its effect was seen: a fact, not an error
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    const { control, lease = null, restoring = control } = this.#deps;
    const ports = { ...this.#deps, pace: this.#pace, signal, lease, restoring };
    const recorded = await recordFirst(this.#fault, ports);
    this.#record = recorded.record;
    this.#lease = recorded.lease;
    this.undo = "open";
  }

  /** Everything up to the answer of the last inject call. A signal is heard between two steps. */
  async #write(signal: AbortSignal): Promise<void> {
    const { undoLog } = this.#deps;
    const ports = { ...this.#deps, pace: this.#pace, signal };
    await this.prepare(signal);
    const record = this.#record;
    if (record === null) throw new Error("no record");
    const { prior } = record;
    signal.throwIfAborted();
    const changes = sameFields(prior, this.#fault.faulted, record.fields)
      ? []
      : this.#fault.inject(prior);
    if (changes.length > 0) {
      await undoLog.mark(record.id, "injecting");
      signal.throwIfAborted();
    }
    this.#touched = true;
    this.#emit("asked", { fields: prior, detail: showChange(record) });
    try {
      for (const change of changes) await injectCall(this.#fault, change, ports);
    } catch (error) {
      this.#emit("answered", { detail: messageOf(error) });
      throw error;
    }
    this.#answered = true;
    this.#emit("answered", changes.length === 0 ? { detail: "nothing to write" } : {});
    if (changes.length > 0) await this.#mark("injected");
  }

  async #restore(): Promise<void> {
    const { clock, limits } = this.#deps;
    const deadlineUs = clock.nowUs() + limits.undoUs;
    // An inject that is still under way ends with this: no bug of ours, so an error of known kind.
    const late = "its time was over before it could be injected";
    this.#restoring.abort(new GatecrashError("aws", late));
    // A write that was begun is let finish (its answer tells what to expect), but not for ever.
    const written = Promise.allSettled([this.#preparation, this.#writing]);
    await settledBy(written, clock, clock.nowUs() + limits.undoUs / 2);
    const record = this.#record;
    if (record === null) {
      this.state = "idle";
      return;
    }
    this.state = "restoring";
    try {
      await (this.#touched ? this.#putBack(record, deadlineUs) : this.#forget(deadlineUs));
    } catch (error) {
      if (error instanceof GatecrashError && this.undo === "drift") throw error;
      if (this.undo === "verified") throw stillArmed(record, messageOf(error));
      this.state = "failed";
      await this.#lease?.abandon(deadlineUs);
      this.undo = "failed";
      await this.#mark("failed", messageOf(error));
      this.#emit("failed", { detail: record.command });
      throw notUndone(record, messageOf(error));
    }
  }

  /** Recorded, never written: there is nothing to put back, so nothing is called. */
  async #forget(deadlineUs: number): Promise<void> {
    this.undo = "verified";
    this.state = "restored";
    await this.#release(deadlineUs);
    await this.#mark("settled", "never injected");
  }

  /** The lease outlives the wait for clearing; a last try has time even when that has none left. */
  async #release(deadlineUs: number): Promise<void> {
    const leastUs = this.#deps.clock.nowUs() + RELEASE_US;
    await this.#lease?.release(Math.max(deadlineUs, leastUs));
  }

  async #putBack(record: UndoRecord, deadlineUs: number): Promise<void> {
    const { clock, control: injecting, restoring: control = injecting } = this.#deps;
    this.#emit("restore-asked");
    await this.#mark("restoring");
    const answered = this.#answered;
    const ports = { control, clock, pace: this.#pace, deadlineUs, answered };
    const result = await putBack(record, ports);
    if (result.kind === "failed") throw new Error(result.detail);
    if (result.kind !== "verified") return await this.#drift(record, result, deadlineUs);
    if (!this.#settled) throw new Error("the inject call has no answer yet: it may still act");
    const more = this.#answered && record.undo.length > 0 ? { by_others: true } : {};
    const back = { detail: "nothing to write", ...more };
    this.#emit("restore-answered", result.wrote ? {} : back);
    await this.#mark("verified");
    this.undo = "verified";
    this.state = "restored";
    this.#emit("verified", { fields: result.fields });
    await this.#observeClearing(record, deadlineUs);
    await this.#release(deadlineUs);
    await this.#mark("settled");
  }

  /** Best effort within the undo limit: the change is already proven to be back. */
  async #observeClearing(record: UndoRecord, deadlineUs: number): Promise<void> {
    if (record.undo.length === 0) {
      this.#emit("cleared", { detail: "nothing was changed" });
      return;
    }
    const isStopped = this.#stop?.aborted === true;
    const ports = { ...this.#deps, pace: this.#pace, isStopped };
    const seen = await observeCleared(this.#fault.probe, ports, deadlineUs);
    if (seen !== null) this.#emit("cleared", seen);
  }

  /** Somebody else's, untouched. */
  async #drift(record: UndoRecord, now: Foreign, deadlineUs: number): Promise<void> {
    const isTaken = now.kind === "taken";
    const detail = isTaken ? heldBy(now.by) : showDrift(record, now.fields);
    this.state = "failed";
    this.undo = "drift";
    await this.#release(deadlineUs).catch(() => {}); // a dead-man would overwrite their change
    // What another run holds, that run puts back: the record stays open, for `heal` to look then.
    await this.#mark(isTaken ? "failed" : "drift", detail);
    const command = isTaken ? "gatecrash heal" : record.command;
    const fields = isTaken ? null : now.fields;
    this.#emit("drift", { detail, command, ...(fields === null ? {} : { fields }) });
    throw isTaken ? takenOver(record, now.by) : drifted(record, detail);
  }

  /** A log that cannot be written never keeps a change from being put back. */
  async #mark(state: UndoState, detail?: string): Promise<void> {
    const id = this.#record?.id ?? "";
    await this.#deps.undoLog.mark(id, state, detail).catch(() => {});
  }

  #emit(step: FaultEvent["step"], more: Partial<FaultEvent> = {}): void {
    try {
      this.#deps.emit({ kind: "fault", fault: this.name, step, ...more });
    } catch {
      // A recorder that fails is the run's business: undo goes on.
    }
  }
}
