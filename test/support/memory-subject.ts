// Local AWS's own operations for a fault under test, in virtual time and without a wire.
import type { ControlPlane, Fields } from "../../src/core/change.ts";
import { runUs } from "../../src/core/time.ts";
import type { World } from "../../src/local/world.ts";
import type { Pace } from "../../src/run/pace.ts";
import { AutoClock } from "./auto-clock.ts";
import type { FaultSubject } from "./fault-life.ts";
import { memoryAws } from "./memory-aws.ts";

export interface MemorySubjectSpec extends Pick<FaultSubject, "fault" | "other" | "foreign"> {
  readonly functions?: readonly string[];
  /** Makes what is to be changed. */
  readonly before?: (world: World) => void | Promise<void>;
  readonly pace?: Pace;
  readonly set: (control: ControlPlane, fields: Fields, other?: "other") => Promise<void>;
}

export async function memorySubject(spec: MemorySubjectSpec): Promise<FaultSubject> {
  const { set, before, functions = [], ...faults } = spec;
  const clock = new AutoClock();
  const { control, world } = memoryAws(clock, ...functions);
  await before?.(world);
  return {
    ...{ control, clock, endpoint: "http://127.0.0.1:1", leased: true, ...faults },
    set: (fields, other) => set(control, fields, other),
    pass: (ms) => clock.sleepUntil(runUs(clock.nowUs() + ms * 1_000)),
    async close() {
      world.schedules[Symbol.dispose]();
      world.mappings[Symbol.dispose]();
      await world.dependencies[Symbol.asyncDispose]();
    },
  };
}
