// The events of a run as they are written, one JSON line each: what was done and seen, and when.
import type { Fields } from "./change.ts";
import type { SettleEvent } from "./ledger-facts.ts";
import type { NoticeKind } from "./notice.ts";

/** One line of events/<slice>.jsonl. `t` = µs of the run. */
export type RunEvent = { readonly t: number } & (
  | { readonly kind: "clock"; readonly wall_ms: number }
  /** `on`: the machine in words (system, CPUs, service); absent in older runs. */
  | { readonly kind: "start"; readonly pid: number; readonly on?: string }
  | { readonly kind: "phase"; readonly name: string; readonly edge: "start" | "end" }
  | FaultEvent
  | HealthEvent
  | { readonly kind: "steady"; readonly holds: boolean; readonly detail: string }
  | {
      readonly kind: "stop";
      /** `abort`: from any machine, or because the lease on what is changed was lost. */
      readonly why: "condition" | "limit" | "signal" | "abort" | "error";
      readonly detail: string;
    }
  | { readonly kind: "invalid"; readonly detail: string }
  | AlarmEvent
  | SettleEvent
  | CrossCheckEvent
  | CollectedEvent
  | MeteredEvent
  | CleanUpEvent
  | NotifyEvent
  /** Written last: `rows` = attempt rows handed to the encoder, by worker. */
  | { readonly kind: "end"; readonly rows: readonly number[] }
);

export interface FaultEvent {
  readonly kind: "fault";
  readonly fault: string;
  readonly step:
    | "asked"
    | "answered"
    | "onset"
    | "restore-asked"
    | "restore-answered"
    | "verified"
    | "cleared"
    | "drift"
    | "failed";
  /** Prior and current fields, error text, or the command a person would type. */
  readonly detail?: string;
  readonly fields?: Fields;
  /** What a person would type to put it back, where we did not. */
  readonly command?: string;
  /** Of `restore-answered`: what we had changed was back already, by somebody else's hand. */
  readonly by_others?: boolean;
  /** Probe calls made for this step, and those of them that were refused for capacity. */
  readonly probes?: number;
  readonly probes_refused?: number;
}

/** How the reading of the platform's lines came to its end. */
export interface CollectedEvent {
  readonly kind: "collected";
  /** Answers that should have a line, and those whose REPORT or refusal was found. */
  readonly expected: number;
  readonly joined: number;
  /** `joined`: all were; `quiet`: nothing new came; `waited`: `observe.wait` was over. */
  readonly end: "joined" | "quiet" | "waited";
  /** Lines that began like the platform's and were broken. */
  readonly malformed: number;
}

/** How the reading of the metrics came to its end. */
export interface MeteredEvent {
  readonly kind: "metered";
  /** `quiet`: the points no longer changed; `waited`: `observe.wait` was over. */
  readonly end: "quiet" | "waited";
  /** By load: its own requests of before the load, which a front has counted as well. */
  readonly smoked: { readonly [load: string]: number };
}

/** What a run took out of a queue of failures after its load, and what it left there. */
export interface CleanUpEvent {
  readonly kind: "clean-up";
  /** The load that declares it. */
  readonly load: string;
  /** ARN. */
  readonly queue: string;
  /** Messages received, each once. */
  readonly found: number;
  /** Those proven to be about this run's items alone, and those of them that were deleted. */
  readonly ours: number;
  readonly deleted: number;
  /** Visible again at once; neither deleted nor given back = visible after a while. */
  readonly given_back: number;
  /**
   * `quiet`: nothing came any more; `at-most`: the time was over; `full`: more than is held;
   * `stopped`: by a person, or `budget:` was used up; `skipped`: nothing was received. `begun` is
   * written first, with no counts: where no other line follows, the run died in it.
   */
  readonly end: "begun" | "quiet" | "at-most" | "full" | "stopped" | "failed" | "skipped";
  /** Why it failed or was skipped; else "". */
  readonly detail: string;
}

/** One notice to one sink of `notify:`. Of a delivery the first step after `asked` is judged. */
export interface NotifyEvent {
  readonly kind: "notify";
  /** `webhook 1`. */
  readonly sink: string;
  readonly on: NoticeKind;
  /** One id for all attempts at it. */
  readonly delivery: string;
  /** `open`: no answer yet when the run was judged; it may have come later. */
  readonly step: "asked" | "answered" | "failed" | "open";
  /** Attempts made. */
  readonly tries?: number;
  /** Why it failed. */
  readonly detail?: string;
}

/** The first look at an alarm of `stop-when`, and then each change of its state. */
export interface AlarmEvent {
  readonly kind: "alarm";
  readonly alarm: string;
  readonly state: AlarmState;
  /** CloudWatch's own reason. */
  readonly detail: string;
}

export type AlarmState = "OK" | "ALARM" | "INSUFFICIENT_DATA";

/** A closed loop that another program sent too, after the run's own. */
export interface CrossCheckEvent {
  readonly kind: "cross-check";
  readonly load: string;
  /** Program and version. */
  readonly by: string;
  readonly seconds: number;
  readonly answers: number;
  readonly failures: number;
  /** Share of one core of its sender, 0–1. */
  readonly cpu: number;
  /** Why it was not made; "" = it was. */
  readonly skipped: string;
}

/** Once a second, the generator about itself and its live counters. */
export interface HealthEvent {
  readonly kind: "health";
  readonly lag_p99_us: number;
  readonly loop_us: number;
  /** Share of one core used by the busiest worker, 0–1. */
  readonly cpu: number;
  readonly connect_failures: number;
  readonly loads: readonly {
    readonly name: string;
    readonly sent: number;
    readonly in_flight: number;
    readonly dropped: number;
    readonly ok: number;
    readonly throttled: number;
    readonly errored: number;
    readonly unknown: number;
  }[];
}
