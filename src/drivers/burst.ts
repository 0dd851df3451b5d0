// Many arrivals at one instant, once or again and again with idle gaps between.
import type { Arrival, Driver } from "../core/arrival.ts";
import { GatecrashError } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import type { Load } from "../core/scenario.ts";
import { runUs } from "../core/time.ts";
import { callMaker } from "./calls.ts";

/** All arrivals of a burst share one due time; bursts due after the load's end do not happen. */
export function burst(load: Load, rng: Rng, epochMs = 0): Driver {
  if (load.driver.kind !== "burst")
    throw new GatecrashError("scenario", `load ${load.name} has no burst`);
  const { count, everyUs } = load.driver;
  const times = everyUs === null ? 1 : load.driver.times;
  const newCalls = callMaker(load, rng, epochMs);
  return {
    name: "burst",
    *arrivals(): Iterable<Arrival> {
      const makeArrival = newCalls();
      for (let burstIndex = 0; burstIndex < times; burstIndex++) {
        const dueUs = load.startUs + burstIndex * (everyUs ?? 0);
        if (dueUs >= load.endUs) return;
        for (let i = 0; i < count; i++) yield makeArrival(burstIndex * count + i, runUs(dueUs));
      }
    },
  };
}
