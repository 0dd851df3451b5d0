// The entry of a load worker: composes drivers and targets, which run/ may not know.
import type { Load } from "../core/scenario.ts";
import type { ComposedLoad } from "../run/worker-contract.ts";
import { runWorker } from "../run/worker-loop.ts";
import { batchingOf, makeDriver, makeTarget } from "./compose.ts";
import type { AwsPlace } from "./load-place.ts";

/** What the main thread hands to each worker. */
export interface WorkerData {
  readonly loads: readonly Load[];
  readonly seed: number;
  /** Wall time that the drivers' `{{now}}` counts from: the same for all workers. */
  readonly plannedAtMs: number;
  readonly aws: AwsPlace;
}

function closedLoopOf({ driver, startUs, endUs }: Load): ComposedLoad["closed"] {
  if (driver.kind !== "saturate") return null;
  return { connections: driver.connections, fromUs: startUs, untilUs: endUs };
}

await runWorker<WorkerData>(async ({ loads, seed, plannedAtMs, aws }, { clock }) =>
  Promise.all(
    loads.map(async (load, code) => {
      const driver = await makeDriver(load, seed, plannedAtMs);
      const target = await makeTarget(load, clock, aws);
      const batching = batchingOf(load, target);
      return {
        name: load.name,
        code,
        arm: 0,
        arrivals: driver.arrivals(),
        target,
        ...(batching === null ? {} : { batching }),
        resend: load.resend,
        inFlightMax: load.inFlightMax,
        timeoutUs: load.target.timeoutUs,
        closed: closedLoopOf(load),
      };
    }),
  ),
);
