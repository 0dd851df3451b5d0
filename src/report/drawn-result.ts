// What the drawings and detailed tables of a report are made of; none of it is judged.
import type { ColdCauses } from "./cold-causes.ts";
import type { Curve } from "./curves.ts";
import type { FaultEffect } from "./fault-effect.ts";
import type { PhaseCounts } from "./phase-counts.ts";
import type { Ratio } from "./run-ratio.ts";
import type { RunSeries } from "./series.ts";
import type { ShardResult } from "./shards.ts";
import type { TimeParts } from "./time-parts.ts";

/** A most that holds for what runs at once, over the run; at = µs of the run. */
export interface ConcurrencyLimit {
  readonly name: string;
  /** Value from each moment on; null = none holds. */
  readonly points: readonly { readonly atUs: number; readonly value: number | null }[];
}

/** A function as it answered in this run. */
export interface AnsweredBy {
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly invocations: number }[];
}

/** What CloudWatch said about running environments; at = start of its minute, µs of the run. */
export interface PlatformConcurrency {
  /** Function name, or `account`. */
  readonly name: string;
  readonly points: readonly { readonly atUs: number; readonly value: number }[];
}

export interface Drawn {
  readonly series: RunSeries;
  /** Of all loads, in the order of the plan. */
  readonly phases: readonly PhaseCounts[];
  readonly curves: readonly Curve[];
  readonly concurrency: readonly PlatformConcurrency[];
  readonly limits: readonly ConcurrencyLimit[];
  readonly streams: ShardResult;
  /** Of functions that read a stream, ms. */
  readonly iteratorAge: readonly PlatformConcurrency[];
  /** Invocations for which provisioned concurrency did not suffice, by alias or version. */
  readonly spilled: { readonly [name: string]: number };
  /** Functions and versions by their REPORT lines. */
  readonly answeredBy: readonly AnsweredBy[];
  /** Attempts by HTTP status; 0 = no answer. */
  readonly statuses: { readonly [status: string]: number };
  /** New ÷ old by load, in the order of OLD_NEW_QUANTILES. */
  readonly oldNewRatios: { readonly [load: string]: readonly Ratio[] };
  readonly faultEffects: { readonly [fault: string]: FaultEffect };
  readonly timeParts: readonly TimeParts[];
  readonly coldCauses: readonly ColdCauses[];
}
