// One process of a fault's life, in a test: its undo log, its view of AWS, its events.
import type { ControlPlane, Fault, Fields } from "../../src/core/change.ts";
import type { FaultEvent } from "../../src/core/facts.ts";
import { type Clock, US_PER_S } from "../../src/core/time.ts";
import type { FaultDeps, UndoableFault } from "../../src/run/fault-runner.ts";
import { heal } from "../../src/run/heal.ts";
import { healAccount } from "../../src/run/heal-account.ts";
import type { LeaseTerms } from "../../src/run/lease.ts";
import { listLeases } from "../../src/run/lease-calls.ts";
import type { Pace } from "../../src/run/pace.ts";
import { createFaultRunner } from "../../src/run/undo.ts";
import type { UndoFile } from "../../src/run/undo-file.ts";
import { createUndoLog } from "../../src/run/undo-log.ts";
import { Cut, MemoryFile } from "./cut.ts";

export interface FaultSubject {
  readonly control: ControlPlane;
  readonly clock: Clock;
  readonly endpoint: string;
  /** Has it a scheduler? Then every change is under a lease. */
  readonly leased: boolean;
  /** The fault under test, and the same on another resource. */
  readonly fault: (name: string) => Fault;
  readonly other: (name: string) => Fault;
  /** What somebody else might set: neither a prior nor the fault's own value. */
  readonly foreign: Fields;
  /** Brings the first resource (or the other) to this state, beside all that is tested. */
  readonly set: (fields: Fields, other?: "other") => Promise<void>;
  readonly close: () => Promise<void>;
  /** Lets so much time pass, and whatever falls due in it be done. */
  readonly pass: (ms: number) => Promise<void>;
  /** Milliseconds if absent, so that a suite over real sockets is quick. */
  readonly pace?: Pace;
}

const PACE: Pace = { pollUs: 2_000, settleUs: 2_000, retryUs: 2_000 };
const UNDO_US = 10 * US_PER_S;

/** Lives that share a file and a subject are processes of one user, one after the other. */
export class Life {
  readonly events: FaultEvent[] = [];
  readonly calls: string[] = [];
  readonly subject: FaultSubject;
  readonly control: ControlPlane;
  readonly file: UndoFile;

  readonly run: string;

  constructor(
    subject: FaultSubject,
    file: UndoFile = new MemoryFile(),
    cut = new Cut(Infinity),
    run = "r1",
  ) {
    this.run = run;
    this.subject = subject;
    this.file = cut.file(file);
    const inner = cut.control(subject.control);
    this.control = {
      call: (service, action, input) => {
        this.calls.push(`${action} ${JSON.stringify(input)}`);
        return inner.call(service, action, input);
      },
    };
  }

  get undoLog() {
    return createUndoLog({ file: this.file, clock: this.subject.clock, alive: () => false });
  }

  runner(fault: Fault, control = this.control, undoUs = UNDO_US): UndoableFault {
    return createFaultRunner(fault, this.deps(control, undoUs));
  }

  deps(control = this.control, undoUs = UNDO_US): FaultDeps {
    const { clock, endpoint } = this.subject;
    const owner = { pid: 1, began: null };
    return {
      control,
      undoLog: this.undoLog,
      clock,
      emit: (event) => this.events.push(event),
      place: {
        run: this.run,
        endpoint,
        account: "000000000000",
        region: "eu-west-1",
        owner,
        local: null,
      },
      limits: { undoUs },
      pace: this.subject.pace ?? PACE,
      lease: this.subject.leased ? this.terms : null,
    };
  }

  /** Why the run would have had to stop. */
  readonly ended: string[] = [];
  get terms(): LeaseTerms {
    const roleArn = "arn:aws:iam::000000000000:role/gatecrash-dead-man";
    return { roleArn, by: "test:1", ended: (why) => this.ended.push(why) };
  }

  async heal(control = this.control) {
    return heal({
      undoLog: this.undoLog,
      clock: this.subject.clock,
      connect: async () => control,
      owner: () => "ended",
      localGone: () => false,
      stopLocal: async () => {},
      undoUs: UNDO_US,
      dryRun: false,
    });
  }

  /** From another machine: no undo log, the leases of the account alone. */
  async healAccount() {
    const { clock, endpoint } = this.subject;
    const place = { endpoint, account: "000000000000", region: "eu-west-1" };
    const ports = { control: this.control, clock, pace: PACE, place };
    return healAccount({ ...ports, undoUs: UNDO_US, dryRun: false });
  }

  /** Names of the schedules that are left. */
  async leases(): Promise<string[]> {
    const ports = { control: this.subject.control, clock: this.subject.clock, pace: PACE };
    const { held } = await listLeases(ports, this.subject.clock.nowUs() + UNDO_US);
    return held.map(({ name }) => name);
  }

  steps(fault: string): string[] {
    return this.events.filter((event) => event.fault === fault).map((event) => event.step);
  }
}
