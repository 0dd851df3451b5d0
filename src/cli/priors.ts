// What a scenario's faults would find: the fields that they change, as they are now.
import type { Fields } from "../core/change.ts";
import type { Scenario } from "../core/scenario.ts";
import { readFields } from "../run/read-fields.ts";
import { makeFault } from "./compose.ts";
import type { System } from "./system-contract.ts";

/** By the fault's name. Reads only. */
export async function readPriors(
  { faults, seed }: Scenario,
  { control }: Pick<System, "control">,
): Promise<ReadonlyMap<string, Fields>> {
  const priors = new Map<string, Fields>();
  for (const spec of faults) {
    priors.set(spec.name, (await readFields(control, makeFault(spec, seed).read)).fields);
  }
  return priors;
}
