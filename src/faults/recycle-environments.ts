// Fault: a function's execution environments are replaced, so that every caller meets a cold start.
import type { Fault } from "../core/change.ts";
import type { FaultSpec } from "../core/scenario.ts";
import { functionConfiguration } from "./function-configuration.ts";

/**
 * By a new description: of all that can be changed it is what no handler sees.
 * Throws GatecrashError("scenario") for an ARN of anything but a function or an alias.
 */
export function recycleEnvironments({ kind, name, input }: FaultSpec, seed: number): Fault {
  const to = `gatecrash: recycled by the fault ${name} (${seed})`;
  const spec = { kind, name, function: String(input.function), to };
  return functionConfiguration({ ...spec, field: "Description" });
}
