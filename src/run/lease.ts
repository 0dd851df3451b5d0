// The lease on what a fault changes: lock, record and dead-man in one one-time schedule of AWS.
import { AwsFailure, type Json } from "../core/change.ts";
import { GatecrashError } from "../core/error.ts";
import { runUs, US_PER_MS, US_PER_S } from "../core/time.ts";
import {
  busy,
  isNamed,
  isTaken,
  type LeasePorts,
  lookAt,
  makeGroup,
  type Output,
  removeLease,
  tried,
} from "./lease-calls.ts";
import type { LeaseNote } from "./lease-note.ts";
import {
  dueAfter,
  LEASE_GROUP,
  leaseNames,
  noteOf,
  partOf,
  readSchedule,
  scheduleOf,
} from "./lease-record.ts";
import { pause, settledBy } from "./pace.ts";
import type { UndoRecord } from "./undo-record.ts";

export interface LeaseTerms {
  /** The role that Scheduler takes to make the undo call. */
  readonly roleArn: string;
  /** Who holds it: `holderName`. */
  readonly by: string;
  /** Called once: the run has to stop (it was asked to, or the dead-man would act under it). */
  readonly ended: (why: string) => void;
}

type Input = { readonly [key: string]: Json };

/** The dead-man acts this long after the last sign of life, rounded up to a minute. */
const LIFE_MS = 180_000;
const RENEW_US = 60 * US_PER_S;
/** How soon an abort from another machine is seen. */
const LOOK_US = 5 * US_PER_S;
/** Within this time of being due an unrenewed lease is given up: the run stops and undoes. */
const GIVE_UP_MS = 60_000;
/** Longest time for taking a lease. */
const TAKE_US = 20 * US_PER_S;
/** A clock that is wrong by more would let the dead-man act too early or too late. */
const SKEW_MS = 30_000;

/** One lease in force. `keep` moves it forward until it is released or abandoned. */
export class Lease {
  readonly names: readonly string[];
  readonly #record: UndoRecord;
  readonly #terms: LeaseTerms;
  readonly #ports: LeasePorts;
  readonly #over = new AbortController();
  #note: LeaseNote;
  #dueMs: number;
  #isTaken = false;
  #keeping: Promise<void> = Promise.resolve();

  /** Not yet taken. */
  constructor(record: UndoRecord, terms: LeaseTerms, ports: LeasePorts) {
    this.names = leaseNames(record);
    this.#record = record;
    this.#terms = terms;
    this.#ports = ports;
    this.#note = noteOf(record, terms.by);
    this.#dueMs = dueAfter(ports.clock.wallMs(), LIFE_MS);
  }

  /**
   * Rejects with GatecrashError("refused") that names the holder when somebody else has it. What it
   * had taken until then is given up by `release`.
   */
  async take(): Promise<void> {
    const untilUs = this.#ports.clock.nowUs() + TAKE_US;
    for (const at of this.names.keys()) await this.#create(at, untilUs);
    this.#isTaken = true;
    await this.#check(untilUs);
  }

  /** Wall time at which the dead-man acts, unless it is moved forward before. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /** Moves it forward once a minute, and listens for an abort, until it is over. */
  keep(): void {
    this.#keeping = this.#keep().catch(() => {}); // a control plane that is gone ends it
  }

  /**
   * Deletes what is ours of it: meanwhile another run may have it. Rejects when it may still be
   * there: then the dead-man may still act.
   */
  async release(untilUs: number): Promise<void> {
    await this.#end(untilUs);
    await removeLease(this.names, (note) => this.#isOurs(note), this.#ports, untilUs);
  }

  /** Left to the dead-man: for a change that could not be put back. */
  async abandon(untilUs: number): Promise<void> {
    await this.#end(untilUs);
  }

  async #end(untilUs: number): Promise<void> {
    this.#over.abort();
    await settledBy(this.#keeping, this.#ports.clock, untilUs);
  }

  async #create(at: number, untilUs: number): Promise<void> {
    const { roleArn } = this.#terms;
    const input = scheduleOf(this.#record, at, { note: this.#note, dueMs: this.#dueMs, roleArn });
    for (;;) {
      try {
        await tried(() => this.#call("CreateSchedule", input), this.#ports, untilUs, isTaken);
        return;
      } catch (error) {
        const isLate = this.#ports.clock.nowUs() >= untilUs;
        if (isNamed(error, "ResourceNotFoundException")) await makeGroup(this.#ports, untilUs);
        else if (isTaken(error) && (await this.#isMade(at, input, untilUs))) return;
        else if (isLate || !isTaken(error)) throw notTaken(this.#record, error);
      }
    }
  }

  /** A create whose answer was lost has made it; false = whoever had it is gone meanwhile. */
  async #isMade(at: number, input: Input, untilUs: number): Promise<boolean> {
    const held = await lookAt(this.names[at] ?? "", this.#ports, untilUs);
    if (held === "none") return false;
    const { run, by } = this.#note;
    const note = held === "unreadable" ? null : held.note;
    if (at === 0 && this.#isOurs(note)) return true;
    if (at > 0 && held !== "unreadable" && held.input.Description === partOf(this.names)) {
      // Ours, or what was left of a lease that had this name before: with another prior.
      await tried(() => this.#call("UpdateSchedule", input), this.#ports, untilUs);
      return true;
    }
    const { clock, pace } = this.#ports;
    if (note?.run === run && note.by === by && clock.nowUs() < untilUs) {
      await pause(clock, pace.retryUs, untilUs); // our own fault before this one is being undone
      return false;
    }
    throw busy(this.#record.resource, held);
  }

  /** Word for word: another attempt of the same fault may hold another prior. */
  #isOurs(note: LeaseNote | null): boolean {
    if (note === null) return this.#isTaken; // somebody has edited its description
    const word = ({ abort: _, ...rest }: LeaseNote): string => JSON.stringify(rest);
    return word(note) === word(this.#note);
  }

  /** It is really there, and AWS's clock agrees with ours. */
  async #check(untilUs: number): Promise<void> {
    const read = (): Promise<Output> =>
      this.#call("GetSchedule", { Name: this.names[0] ?? "", GroupName: LEASE_GROUP });
    const output = await tried(read, this.#ports, untilUs);
    const created = output.CreationDate;
    if (!(created instanceof Date)) return;
    const skewMs = Math.abs(created.getTime() - this.#ports.clock.wallMs());
    if (skewMs <= SKEW_MS + TAKE_US / US_PER_MS) return;
    throw new GatecrashError(
      "refused",
      `this machine's clock and AWS's differ by ${Math.round(skewMs / 1_000)} s`,
      { hint: "set the clock: the dead-man would act at the wrong time" },
    );
  }

  async #keep(): Promise<void> {
    const { clock } = this.#ports;
    let renewUs = clock.nowUs() + RENEW_US;
    let isTold = false;
    const tell = (why: string): void => {
      if (!isTold) this.#terms.ended(why);
      isTold = true;
    };
    while (!this.#over.signal.aborted) {
      await clock.sleepUntil(runUs(clock.nowUs() + LOOK_US), this.#over.signal);
      const found = await this.#look();
      if (found === "gone") return tell(`its lease on ${this.#record.resource} was taken away`);
      if (this.#note.abort !== undefined) tell(`asked to by ${this.#note.abort}`);
      if (found === "held" && clock.nowUs() >= renewUs && (await this.#renew())) {
        renewUs = clock.nowUs() + RENEW_US;
      }
      if (clock.wallMs() > this.#dueMs - GIVE_UP_MS) {
        tell(`its lease on ${this.#record.resource} could not be renewed`);
      }
    }
  }

  async #look(): Promise<"held" | "gone" | "unknown"> {
    try {
      const name = this.names[0] ?? "";
      const output = await this.#call("GetSchedule", { Name: name, GroupName: LEASE_GROUP });
      const note = readSchedule(output)?.note ?? null;
      if (note?.run !== this.#note.run) return "gone";
      if (note.abort !== undefined) this.#note = { ...this.#note, abort: note.abort };
      return "held";
    } catch (error) {
      if (isNamed(error, "ResourceNotFoundException")) return "gone";
      if (error instanceof AwsFailure) return "unknown";
      throw error;
    }
  }

  /** Also after an abort: undo may take its time, and the dead-man must not act under it. */
  async #renew(): Promise<boolean> {
    const dueMs = dueAfter(this.#ports.clock.wallMs(), LIFE_MS);
    const how = { note: this.#note, dueMs, roleArn: this.#terms.roleArn };
    try {
      for (const at of this.names.keys())
        await this.#call("UpdateSchedule", scheduleOf(this.#record, at, how));
      this.#dueMs = dueMs;
      return true;
    } catch (error) {
      if (error instanceof AwsFailure) return false;
      throw error;
    }
  }

  #call(action: string, input: Input): Promise<Output> {
    return this.#ports.control.call("scheduler", action, input);
  }
}

function notTaken(record: UndoRecord, cause: unknown): unknown {
  if (!(cause instanceof AwsFailure)) return cause;
  const why = `${cause.name}: ${cause.message}`;
  const text = `fault ${record.fault}: no dead-man could be set for ${record.resource}: ${why}`;
  return new GatecrashError("aws", text, { cause, hint: "nothing was changed" });
}
