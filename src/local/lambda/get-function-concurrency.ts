// GetFunctionConcurrency: an unset function answers `{}`, not 404 and not null.
import type { World } from "../world.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";
import { unqualifiedFunction } from "./unqualified.ts";

export function getFunctionConcurrency(world: World, call: RestCall): RestAnswer {
  const { spec } = unqualifiedFunction(world, call);
  const { reserved } = world.admission.limitsOf(spec.name);
  return { status: 200, body: reserved === null ? {} : { ReservedConcurrentExecutions: reserved } };
}
