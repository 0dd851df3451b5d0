// Where an event was due: the fault in force at that moment, or else the phase.
import type { PlanFile } from "../core/facts.ts";
import type { Window } from "../core/window.ts";
import type { Windows } from "./windows.ts";

export interface WindowNames {
  /** `zero`, `zero ramp-out`, or the phase; two faults at once are joined by ` + `; "" = none. */
  at(dueUs: number): string;
  /** Of loads, by code. */
  readonly loads: readonly string[];
  /** Every name that `at` has given, in order of time. */
  readonly order: readonly string[];
}

export function placesOf(plan: PlanFile, windows: Windows): WindowNames {
  const spans = [...windows.faults.values()].flatMap(({ rampIn, during, rampOut }) => [
    rampIn,
    during,
    rampOut,
  ]);
  const firstUs = new Map<string, number>();
  const nameOf = (dueUs: number): string => {
    const inside = (window: Window): boolean => dueUs >= window.startUs && dueUs < window.endUs;
    const faults = spans.filter(inside).map(({ name }) => name);
    if (faults.length > 0) return faults.join(" + ");
    const phase = plan.phases.find(({ start_us, end_us }) => dueUs >= start_us && dueUs < end_us);
    return phase?.name ?? "";
  };
  return {
    loads: plan.loads.map(({ name }) => name),
    at(dueUs) {
      const name = nameOf(dueUs);
      const known = firstUs.get(name);
      if (known === undefined || dueUs < known) firstUs.set(name, dueUs);
      return name;
    },
    get order() {
      return [...firstUs].sort((a, b) => a[1] - b[1]).map(([name]) => name);
    },
  };
}
