// The closed loop's supply: the load's own call, over and over, for as long as anybody asks.
import type { Arrival, Driver } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import type { Load } from "../core/scenario.ts";
import { runUs } from "../core/time.ts";
import { callMaker } from "./calls.ts";

/**
 * Endless: never read it to its end. How many are taken, and when, is decided by the replies; all
 * are due when the load begins, and the sender writes down when each was really wanted.
 */
export function saturate(load: Load, rng: Rng, epochMs = 0): Driver {
  if (load.driver.kind !== "saturate")
    throw new GatecrashError("scenario", `load ${load.name} is no closed loop`);
  const newCalls = callMaker(load, rng, epochMs);
  return {
    name: "saturate",
    *arrivals(): Iterable<Arrival> {
      const makeArrival = newCalls();
      for (let index = 0; ; index++) yield makeArrival(index, runUs(load.startUs));
    },
  };
}
