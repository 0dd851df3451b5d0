// GetFunctionConcurrency: an unset function answers `{}`, not 404 and not null.
import type { World } from "../world.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";
import { unqualifiedFunction } from "./unqualified.ts";

export function getFunctionConcurrency(world: World, call: RestCall): RestAnswer {
  const { name } = unqualifiedFunction(world, call);
  const { reserved } = world.admission.limitsOf(name);
  return { status: 200, body: reserved === null ? {} : { ReservedConcurrentExecutions: reserved } };
}
