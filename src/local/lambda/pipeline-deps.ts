// What invoking needs from the rest of local AWS.

import type { Rng } from "../../core/rng.ts";
import type { Clock } from "../../core/time.ts";
import type { AdmissionModel } from "../../model/admission.ts";
import type { LogSink } from "../log-sink.ts";
import type { FunctionTable } from "./function-table.ts";
import type { LambdaMetrics } from "./lambda-metrics.ts";

export interface PipelineDeps {
  readonly functions: FunctionTable;
  readonly admission: AdmissionModel;
  readonly logs: LogSink;
  readonly metrics: LambdaMetrics;
  readonly clock: Clock;
  /** Chooses between the two versions of an alias. */
  readonly rng: Rng;
}
