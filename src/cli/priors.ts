// What a scenario's faults would find: the fields that they change, as they are now.
import type { Fields } from "../core/change.ts";
import { captureFields } from "../core/fields.ts";
import type { Scenario } from "../core/scenario.ts";
import { makeFault } from "./compose.ts";
import type { System } from "./system-contract.ts";

/** By the fault's name. Reads only. */
export async function readPriors(
  { faults, seed }: Scenario,
  { control }: Pick<System, "control">,
): Promise<ReadonlyMap<string, Fields>> {
  const priors = new Map<string, Fields>();
  for (const spec of faults) {
    const { service, action, input, fields } = makeFault(spec, seed).read;
    priors.set(spec.name, captureFields(await control.call(service, action, input), fields));
  }
  return priors;
}
