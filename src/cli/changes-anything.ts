// Does a run change anything at all?
import type { Scenario } from "../core/scenario.ts";

/** True where a run writes to the control plane, and so has something to put back. */
export const changesAnything = ({
  faults,
  muteAlarms,
}: Pick<Scenario, "faults" | "muteAlarms">): boolean =>
  faults.length > 0 || muteAlarms !== undefined;
