// A fault as data: one list of changes gives inject, undo, heal, dry run, the command for a person,
// the audit.
import type { RunUs } from "./time.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One control-plane call, and how to read back that it holds. */
export interface Change {
  /** `lambda`, `sqs`, … : which SDK client. */
  readonly service: string;
  /** API operation, e.g. `PutFunctionConcurrency`. */
  readonly action: string;
  readonly input: { readonly [key: string]: Json };
  readonly readBack: ReadBack;
  /** Its values may be secret (an environment map): never in a schedule, log, event or report. */
  readonly secret?: boolean;
}

export interface ReadBack {
  readonly action: string;
  readonly input: { readonly [key: string]: Json };
  /**
   * The captured fields, the only ones that are compared and put back; where the answer nests them,
   * a path with dots: `Attributes.VisibilityTimeout`.
   */
  readonly fields: readonly string[];
  /**
   * Field → values that it has while AWS is at work: nothing is concluded from such a reading, and
   * no fault begins on it.
   */
  readonly unsettled?: { readonly [field: string]: readonly string[] };
  /** Names of errors that say that there is none: then every field is unset. */
  readonly absent?: readonly string[];
}

/** Captured fields by name; a field that is absent on AWS is absent here: *unset* is a value. */
export type Fields = { readonly [field: string]: Json };

/** One fault of a scenario, bound to its resource. Lists calls; never makes one. */
export interface Fault {
  readonly kind: string;
  /** Name of its window in criteria and reports. */
  readonly name: string;
  /** The ARNs it writes: the blast radius. */
  readonly resources: readonly string[];
  /** How to read the fields it will change. */
  readonly read: { readonly service: string } & ReadBack;
  /** The fields while injected. */
  readonly faulted: Fields;
  inject(prior: Fields): Change[];
  /** From the prior alone; an empty list means that there is nothing to write, only to read. */
  undo(prior: Fields): Change[];
  /** How the effect is observed from outside, independent of any judged measure. */
  readonly probe: Probe;
  /** True where writing the prior over itself would change something: then it is not proven. */
  readonly unproven?: boolean;
  /** What undo cannot put back, said in the report. */
  readonly residue?: string;
  /** ARN of the function whose execution environments undo replaces: cold starts of our own. */
  readonly coldWave?: string;
  /** Looked at before anything is changed. */
  readonly looks?: Looks;
  /** What has to be made first, while nobody notices; the fault itself is only known then. */
  readonly stage?: Stage;
}

/** A call of the control plane. */
export type Call = Pick<Change, "service" | "action" | "input">;

export interface Looks {
  readonly calls: readonly Call[];
  /** With the answers, in order. Throws a GatecrashError("refused") that says why not. */
  check(answers: readonly { readonly [key: string]: unknown }[]): void;
}

/** Something is made out of a resource that is changed for a moment, then put back. */
export interface Stage {
  readonly base: Fault;
  /** Made while `base` is in force; may be made twice. */
  readonly make: Call;
  /** The fault itself. Throws a GatecrashError("aws") where nothing usable was made. */
  into(answer: { readonly [key: string]: unknown }): Fault;
}

/** A call that shows whether the fault is in force: present = onset, absent again = cleared. */
export interface Probe {
  readonly service: string;
  readonly action: string;
  readonly input: { readonly [key: string]: Json };
  /** The ARNs it reads, where they are others than those that the fault writes. */
  readonly resources?: readonly string[];
  /** True when this answer (or AWS error) shows the fault in force. */
  inForce(answer: ProbeAnswer): boolean;
}

/**
 * The one port through which every control-plane call of a fault goes; `aws/` makes it, tests cut
 * it.
 */
export interface ControlPlane {
  /** Resolves to the operation's output; rejects with an AwsFailure. SDK retries are off. */
  call(
    service: string,
    action: string,
    input: { readonly [key: string]: Json },
  ): Promise<{ readonly [key: string]: unknown }>;
}

/** An AWS error as data: the error's name, its `Reason` if any, the HTTP status (0 = no answer). */
export class AwsFailure extends Error {
  readonly reason: string;
  readonly status: number;
  /** What the reader can do about it, where that is known: of credentials that are not there. */
  readonly hint: string | undefined;

  constructor(name: string, message: string, reason: string, status: number, hint?: string) {
    super(message);
    this.name = name;
    this.reason = reason;
    this.status = status;
    this.hint = hint;
  }
}

export interface ProbeAnswer {
  /** AWS error name, or "" when the call succeeded. */
  readonly error: string;
  /** `Reason` of a throttle, or "". */
  readonly reason: string;
  readonly output: { readonly [key: string]: unknown };
}

/** The moments of one fault, as read back from events. */
export interface FaultTimes {
  readonly name: string;
  readonly askedUs: RunUs | null;
  readonly onsetUs: RunUs | null;
  readonly restoreAskedUs: RunUs | null;
  readonly clearedUs: RunUs | null;
}
