// A scenario after reading: units are numbers, defaults are filled in, references to outputs may be
// open.
// `scenario/` makes it, everything else takes it as it is. Times are integer µs of the run.

import type { KinesisSpec, SqsSpec } from "./batch-spec.ts";
import type { EnvironmentSpec } from "./environment-spec.ts";
import type { HttpSpec, Ref } from "./http-spec.ts";
import type { MuteSpec } from "./mute-spec.ts";
import type { NotifySpec } from "./notice.ts";
import type { SinkSpec } from "./sink-spec.ts";

export type { KinesisSpec, SqsSpec } from "./batch-spec.ts";
export type { EnvironmentSpec, IdentitySpec, LogsSpec, Purpose } from "./environment-spec.ts";
export type { AuthSpec, HttpSpec, Ref } from "./http-spec.ts";
export type { MuteSpec } from "./mute-spec.ts";
export type { SinkInputValue, SinkSpec } from "./sink-spec.ts";

export interface Scenario {
  /** Absolute path of scenario.yaml and of its folder. */
  readonly file: string;
  readonly dir: string;
  readonly title: string;
  readonly seed: number;
  readonly variants: readonly string[];
  readonly variant: string | null;
  readonly expect: Expect | null;
  /** `local`, or a name from `environments:`. */
  readonly environment: string;
  readonly account: EnvironmentSpec | null;
  /** The other environments of the file: where a host may belong that is not the account's. */
  readonly others: readonly EnvironmentSpec[];
  /** Absolute path of the variant's SAM template; null when no local run is possible. */
  readonly template: string | null;
  /** `lose`: ARNs of functions, queues and streams whose data faults may destroy. */
  readonly allow: { readonly [list in "hosts" | "change" | "lose"]: readonly Ref[] };
  readonly limits: Limits;
  readonly generator: { readonly lagP99Us: number; readonly dropped: number; readonly cpu: number };
  /** Already applied to rates, counts, quotas and in-flight limits; kept for the local template. */
  readonly scale: number;
  readonly phases: readonly Phase[];
  readonly loads: readonly Load[];
  readonly faults: readonly FaultSpec[];
  readonly sinks: readonly SinkSpec[];
  readonly observe: ObserveSpec;
  readonly steady: readonly CriterionText[];
  readonly stopWhen: readonly CriterionText[];
  readonly stopAlarms: readonly StopAlarm[];
  readonly accept: readonly CriterionText[];
  readonly local: LocalSpec;
  readonly budgetUs: number | null;
  /** What lies behind the system and is reached by its load: name → what it is in this test. */
  readonly downstreams?: { readonly [name: string]: string };
  /** More of the first answers than this share not ok: the load is stopped. */
  readonly brake?: BrakeSpec | null;
  /** Alarms that call nobody during the run. */
  readonly muteAlarms?: MuteSpec;
  /** Who is told what happens; absent = nobody. */
  readonly notify?: readonly NotifySpec[];
  /** What was assumed where the file is silent, one sentence each. */
  readonly assumed: readonly string[];
}

export type Expect = { readonly verdict: "pass" | "fail"; readonly criterion: string | null };

/** A criterion with the line it stands on, so that every complaint can point there. */
export interface CriterionText {
  readonly text: string;
  readonly line: number;
}

/** An alarm of CloudWatch, by name or ARN: while it is in ALARM no run starts, and none goes on. */
export interface StopAlarm {
  readonly alarm: Ref;
  readonly line: number;
}

export interface BrakeSpec {
  readonly share: number;
  /** From the run's 0; a fault that begins earlier ends it. */
  readonly withinUs: number;
  /** Fewer answers say too little. */
  readonly least: number;
  /** False: edges that refuse are what is judged, so they stop nothing by themselves. */
  readonly edges?: boolean;
}

export interface Limits {
  readonly durationUs: number;
  readonly requests: number;
  readonly inFlight: number;
  readonly undoUs: number;
}

export interface Phase {
  readonly name: string;
  readonly startUs: number;
  readonly endUs: number;
}

export interface Load {
  readonly name: string;
  readonly driver: DriverSpec;
  readonly target: TargetSpec;
  /** Name → `METHOD /path/{param}`. */
  readonly routes: readonly {
    readonly name: string;
    readonly method: string;
    readonly path: string;
  }[];
  /** Mutating routes that may be sent, by route name. Absolute path of the body file. */
  readonly writes: readonly {
    readonly route: string;
    readonly body: string;
    readonly why: string;
  }[];
  /** Body for every arrival of a load that is not a replay. */
  readonly body: { readonly template: string; readonly why: string } | null;
  readonly ok: readonly { readonly from: number; readonly to: number }[];
  readonly degraded: { readonly header: string; readonly value: string | null } | null;
  /** Which id of an answer is kept to find its REPORT line; absent = the front's own. */
  readonly joinBy?: JoinBy;
  readonly resend: Resend | null;
  /** Fields of the body; several fields of a cell are joined by `/`. */
  readonly ledger: { readonly id: string; readonly cell: readonly string[] } | null;
  /** The phase it runs in; null = from 0 to the end of the last phase. */
  readonly during: string | null;
  readonly startUs: number;
  readonly endUs: number;
  readonly inFlightMax: number;
  /** Share of the arrivals that is sent a second time on purpose, as a producer may; default 0. */
  readonly duplicates?: number;
  /** One request for each route before the load starts; absent = in an account only. */
  readonly smoke?: SmokeSpec;
  /** Where its failures end up, if the run is to take its own out again; absent = it leaves all. */
  readonly cleanUp?: CleanUpSpec;
  /** Where it stands in scenario.yaml. */
  readonly line?: number;
}

/** A queue that others may use too: what failed of a load lands there. */
export interface CleanUpSpec {
  /** ARN. */
  readonly queue: Ref;
  readonly quietUs: number;
  readonly atMostUs: number;
}

/**
 * `header`: the handler echoes its request id there. `trace`: a REST front's sampled trace id,
 * tried where neither an access log nor a header leads from an answer to its REPORT line.
 */
export type JoinBy = { readonly header: string } | "trace";

export interface SmokeSpec {
  /** Statuses that match; null = those that are ok for the load. */
  readonly status: readonly { readonly from: number; readonly to: number }[] | null;
  /** Why none is sent; null = they are. */
  readonly off: string | null;
}

export type DriverSpec =
  | {
      readonly kind: "replay";
      /** Absolute path. */
      readonly file: string;
      readonly speed: number;
      readonly amplify: number;
      /** `busiest` of this length, or null for the whole capture. */
      readonly windowUs: number | null;
    }
  | {
      readonly kind: "rate";
      readonly steps: readonly {
        readonly fromPerSecond: number;
        readonly toPerSecond: number;
        readonly overUs: number;
      }[];
      readonly arrivals: "uniform" | "poisson";
      readonly count: number | null;
    }
  | {
      readonly kind: "burst";
      readonly count: number;
      readonly everyUs: number | null;
      readonly times: number;
    }
  | {
      readonly kind: "saturate";
      readonly connections: number;
      readonly with: "gatecrash" | "autocannon";
    };

export type TargetSpec =
  | HttpSpec
  | {
      readonly kind: "lambda";
      readonly function: Ref;
      readonly invocation: "sync" | "async";
      readonly timeoutUs: number;
    }
  | KinesisSpec
  | SqsSpec;

export interface Resend {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  readonly on: readonly ("throttled" | "errored" | "unknown")[];
  readonly backoffUs: number;
  readonly maxUs: number;
  /** full: uniform in [0, backoff × 2^(attempt − 1)], capped at `maxUs`. */
  readonly jitter: "none" | "full";
  /** What a `Retry-After` does: default honour, which waits for it, at most `maxUs`. */
  readonly retryAfter?: "honour" | "ignore";
}

export interface FaultSpec {
  readonly kind: string;
  readonly name: string;
  readonly during: string | null;
  readonly startUs: number;
  readonly endUs: number;
  /** The fault's own keys, checked by the schema of its kind. */
  readonly input: { readonly [key: string]: string | number | boolean };
  readonly line: number;
}

export interface ObserveSpec {
  readonly reports: readonly Ref[];
  readonly accessLog: Ref | null;
  readonly metricFunctions: readonly Ref[];
  readonly metricAccount: boolean;
  /** Counts of the APIs that loads go through; absent = not read. */
  readonly metricFronts?: true;
  /** Queues whose depth is read, by their name in criteria: URL, ARN or name; absent = none. */
  readonly queues?: { readonly [name: string]: Ref };
  readonly waitUs: number;
}

/** Local AWS's account; full-size numbers, `scale` still to be applied by local AWS. */
export interface LocalSpec {
  readonly concurrency: number;
  readonly unreservedMinimum: number;
  /** New environments a function may get at once, refilled at a tenth of it per second. */
  readonly scalingBucket: number;
}
