// Schedules that a template's functions ask for, made when everything they call is there.
import { GatecrashError } from "../../core/error.ts";
import { AwsError } from "../aws-error.ts";
import type { ScheduleSpec } from "../template/types.ts";
import { scheduleOf } from "./schedule.ts";
import type { ScheduleTable } from "./schedule-table.ts";

/** Deploying would fail, too: throws a `scenario` error for what Scheduler refuses. */
export function deploySchedules(schedules: ScheduleTable, specs: readonly ScheduleSpec[]): void {
  for (const { name, request, place } of specs)
    try {
      schedules.create(scheduleOf(name, request));
    } catch (thrown) {
      if (!(thrown instanceof AwsError)) throw thrown;
      throw new GatecrashError("scenario", `schedule ${name}: ${thrown.message}`, { place });
    }
}
