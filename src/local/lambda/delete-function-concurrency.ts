// DeleteFunctionConcurrency: back to unset, whether it was set or not.
import { audit, type World } from "../world.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";
import { unqualifiedFunction } from "./unqualified.ts";

export function deleteFunctionConcurrency(world: World, call: RestCall): RestAnswer {
  const { name, arn } = unqualifiedFunction(world, call);
  world.admission.reserve(name, null);
  audit(world, "DeleteFunctionConcurrency", arn);
  return { status: 204 };
}
