// The facts of a run: what is in each file of a run directory, shared by writers and the reader.
import type { PlannedBase } from "./base-facts.ts";
import type { PlannedCapture } from "./capture.ts";
import type { PlannedFront } from "./front-facts.ts";
import type { PlannedSink } from "./ledger-facts.ts";

export type {
  AlarmEvent,
  AlarmState,
  CleanUpEvent,
  CollectedEvent,
  CrossCheckEvent,
  FaultEvent,
  HealthEvent,
  MeteredEvent,
  NotifyEvent,
  RunEvent,
} from "./event-facts.ts";

/**
 * Columns of `attempts/<slice>-<worker>-<seq>.parquet`, in order; one row per attempt, and one with
 * `attempt = 0` for a dropped arrival. Times are chained differences in µs, −1 = never:
 * due = base + due_d, ready = due + ready_d, sent = ready + sent_d, first = sent + first_d,
 * done = first + done_d (done = sent + done_d when there was no first byte).
 * Codes: outcome, refused_by, error index OUTCOMES, REFUSERS, REASONS; load, arm, route index
 * plan.json.
 */
export const ATTEMPT_INTS = [
  "load",
  "arm",
  "route",
  "index",
  "attempt", // 1 = first send; 0 = dropped
  "items", // 1, or how many items its call carried
  "due_d",
  "ready_d",
  "sent_d",
  "first_d",
  "done_d",
  "connect",
  "tls",
  "outcome",
  "refused_by",
  "error",
  "degraded", // 0 or 1
  "status",
  "bytes_out",
  "bytes_in",
  "new_connection", // 0 or 1
  "worker",
  "version", // that the answer itself names; 0 = $LATEST, −1 = it names none
  "retry_after", // ms that the answer asks to wait (Retry-After); −1 = it does not
] as const;
export type AttemptInt = (typeof ATTEMPT_INTS)[number];

/**
 * A segment in memory: `rows` valid rows of each array; what the recorder fills and the encoder
 * writes.
 */
export interface AttemptSegment {
  /** `base` column: µs of the run to which every due_d of this segment refers (INT64). */
  baseUs: number;
  rows: number;
  ints: { readonly [name in AttemptInt]: Int32Array };
  /**
   * 16 bytes per row (core/ids.ts); all zero = none. Column `request_id`, OPTIONAL FIXED_LEN(16).
   */
  requestIds: Uint8Array;
}

export const SEGMENT_ROWS = 65_536;
export const SEGMENT_MAX_AGE_MS = 2_000;

/**
 * One row of `platform/*.parquet`: a REPORT (or INIT_REPORT / RESTORE_REPORT), or an access-log
 * line.
 */
export interface PlatformRow {
  readonly kind: "report" | "init" | "restore" | "access";
  readonly function: string | null;
  readonly version: string | null;
  /** Lambda's request id; on an access row `awsEndpointRequestId`. */
  readonly request_id: string | null;
  /** The front's request id (access rows). */
  readonly front_request_id: string | null;
  readonly trace_id: string | null;
  /** Wall time of the log event, ms since 1970. */
  readonly at: number;
  /** Milliseconds, as printed. */
  readonly duration: number | null;
  readonly billed: number | null;
  /** MB. */
  readonly memory: number | null;
  readonly init: number | null;
  readonly restore: number | null;
  /** `success`, `timeout`, `error`, … or the HTTP status of an access row. */
  readonly status: string | null;
  /** On an access row API Gateway's name of its own answer (`QUOTA_EXCEEDED`), else a message. */
  readonly error_type: string | null;
  /** INIT_REPORT's phase (`init`, `invoke`), null elsewhere. */
  readonly phase: string | null;
  /** Log stream: one per execution environment. */
  readonly stream: string | null;
  readonly integration_status: number | null;
}

/** Columns of `recorded/<load>-<seq>.parquet`, all INT32; −1 = the capture does not say. */
export const RECORDED_COLUMNS = ["index", "status", "latency_us"] as const;

/** One line of metrics.jsonl: a CloudWatch point as it was read. */
export interface MetricPoint {
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: { readonly [name: string]: string };
  readonly stat: "Sum" | "Maximum" | "Average" | "Minimum" | "SampleCount";
  readonly period_s: number;
  /** Start of the period, ms since 1970. */
  readonly at: number;
  readonly value: number;
}

/**
 * plan.json: frozen before the first byte; everything that a reader of the facts needs to name
 * codes.
 */
export interface PlanFile {
  readonly gatecrash: 1;
  readonly run: string;
  readonly title: string;
  readonly scenario: {
    /** File name as given, relative to the working directory. */
    readonly file: string;
    readonly variant: string | null;
    readonly environment: string;
    /** git blob hash of the frozen scenario.yaml. */
    readonly blob: string;
    readonly commit: string | null;
    readonly dirty: boolean | null;
  };
  /** In a pull request: what it changes of its own judgement; absent = it is none. */
  readonly base?: PlannedBase;
  readonly command: readonly string[];
  readonly version: string;
  readonly seed: number;
  /** Wall time of the run's 0, ms since 1970. */
  readonly epoch_ms: number;
  readonly slices: number;
  readonly workers: number;
  readonly phases: readonly { name: string; start_us: number; end_us: number }[];
  /** Index = load code. `routes[0]` is "". `planned` = arrivals of the whole load. */
  readonly loads: readonly PlannedLoad[];
  readonly arms: readonly string[];
  readonly faults: readonly PlannedFault[];
  /** Changes around all faults (muted alarms): put back as they are, and no window of criteria. */
  readonly around?: readonly PlannedFault[];
  /** Sinks to be reconciled with the loads' ledgers; absent = none. */
  readonly sinks?: readonly PlannedSink[];
  /** Function ARN by output name, for `function(<output>)` in criteria. */
  readonly functions: { readonly [output: string]: string };
  readonly criteria: {
    readonly accept: readonly string[];
    readonly steady: readonly string[];
    readonly stop_when: readonly string[];
  };
  readonly generator: { lag_p99_us: number; dropped: number; cpu: number };
  /** What aliases sent where when the run began; absent = no criterion names a version. */
  readonly versions?: readonly PlannedVersions[];
  /** True when the run looks for REPORT lines, so that cold and warm can be told apart. */
  readonly joins: boolean;
  /** Queue by the name that criteria give it; absent = none is observed. */
  readonly queues?: { readonly [name: string]: string };
  /** APIs that loads go through, whose own counts are read; absent = none. */
  readonly fronts?: readonly PlannedFront[];
  /** What a run's invocations are priced at; absent in older plans. */
  readonly prices?: PlannedPrices;
  /** What was declared about the account: criteria with `of quota` need it. */
  readonly quota: { readonly concurrency: number | null };
  readonly expect: string;
  /** Printed as the report's assumptions, one sentence each. */
  readonly notes: readonly string[];
  /** What was foreseen, to be printed beside what was measured; absent = nothing was. */
  readonly predicted?: Predicted;
}

/** One function: its share of invocations by version, as criteria call it (`v42`, `vlatest`). */
export interface PlannedVersions {
  /** Name, without account or region. */
  readonly function: string;
  /** Through which alias; null = it is invoked without any. */
  readonly alias: string | null;
  readonly shares: { readonly [version: string]: number };
}

/** List prices in US dollars, frozen with the plan: the same run costs the same tomorrow. */
export interface PlannedPrices {
  readonly aws_region: string;
  /** Day or year of the price list. */
  readonly date: string;
  readonly lambda_request: number;
  readonly lambda_gb_second: number;
}

/** The plan's own forecast; null = not foreseeable. No fault and no resend is in it. */
export interface Predicted {
  readonly arrivals: number;
  /** Most in service at once. */
  readonly in_flight: number | null;
  readonly cold_starts: number | null;
  readonly throttles: number | null;
  /** Where the service times that it rests on come from. */
  readonly service: "recorded" | "given" | null;
}

export interface PlannedLoad {
  readonly name: string;
  readonly routes: readonly string[];
  readonly planned: number;
  /** Arrivals by whole second of the run, by index: the balance per second. */
  readonly planned_per_s: readonly number[];
  readonly start_us: number;
  readonly end_us: number;
  readonly in_flight_max: number;
  readonly timeout_us: number;
  readonly resend_attempts: number;
  /** Statuses that are ok, from and to; absent = 200–399. */
  readonly ok?: readonly (readonly [number, number])[];
  /** False: a stream or a queue, none of whose answers has a REPORT line. Absent = true. */
  readonly invokes?: boolean;
  /** Header in which its handlers echo their request id; absent = none does. */
  readonly request_id_header?: string;
  /** What it replays; absent = it replays nothing. */
  readonly capture?: PlannedCapture;
  /** A closed loop, which plans no arrivals (`planned` 0, no seconds); absent = the open model. */
  readonly closed?: { readonly connections: number };
}

export interface PlannedFault {
  readonly name: string;
  readonly kind: string;
  /** Phase it is declared `during:`, or null with explicit times. */
  readonly during: string | null;
  readonly start_us: number;
  readonly end_us: number;
  readonly resources: readonly string[];
  /** What its undo cannot put back; absent = nothing is known of. */
  readonly residue?: string;
  /** ARN of the function whose execution environments its undo replaces; absent = of none. */
  readonly cold_wave?: string;
}
