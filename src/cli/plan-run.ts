// The plan of one run, and what its criteria cannot decide: before anything is sent.
import { readFile } from "node:fs/promises";
import type { Admitted } from "./admit.ts";
import { complain, complainBriefly, prospectFindings } from "./lint-plan.ts";
import { type MadePlan, makePlan } from "./make-plan.ts";
import { plannedMute } from "./mute-alarms.ts";
import { plannedFronts } from "./planned-fronts.ts";
import type { Session } from "./run-session.ts";
import type { System } from "./system-contract.ts";
import { invokedVersions, versionFindings } from "./versions.ts";

export interface RunPlan extends MadePlan {
  /** The scenario as it is frozen. */
  readonly yaml: string;
  readonly plannedAtMs: number;
}

/** Rejects with GatecrashErrors `scenario` for criteria that this run could never decide. */
export async function planRun(
  { request, context, progress, clock, run, hide }: Session,
  system: System,
  { scenario, proven }: Pick<Admitted, "scenario" | "proven">,
): Promise<RunPlan> {
  const versions = await invokedVersions(scenario, system, proven);
  const fronts = await plannedFronts(scenario, system, proven);
  const { frozen } = request;
  const yaml = request.yaml ?? frozen?.yaml ?? (await readFile(scenario.file, "utf8"));
  progress.step("planning");
  const plannedAtMs = clock.wallMs();
  const { command, workers, slice } = request;
  const made = await makePlan({
    ...{ run, scenario, yaml, command, workers, slices: slice?.of ?? 1, plannedAtMs, hide },
    ...{ outputs: system.outputs, versions, fronts, base: frozen?.base ?? null },
    ...plannedMute(scenario, system, run),
  });
  complain(scenario, versionFindings(scenario, versions), context);
  complainBriefly(scenario, prospectFindings(scenario, made.prospects), context);
  return { ...made, yaml, plannedAtMs };
}
