// Alarms that are muted while a run breaks things.
import type { Ref } from "./http-spec.ts";

export interface MuteSpec {
  /** Names or ARNs. */
  readonly alarms: readonly Ref[];
  /** They stay muted so long after the last change was put back … */
  readonly afterUs: number;
  /** … and then until none of them is in ALARM, so long in all. */
  readonly atMostUs: number;
  readonly line: number;
}
