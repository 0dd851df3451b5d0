// DeleteFunctionConcurrency: back to unset, whether it was set or not.
import { audit, type World } from "../world.ts";
import type { RestAnswer, RestCall } from "./rest-call.ts";
import { unqualifiedFunction } from "./unqualified.ts";

export function deleteFunctionConcurrency(world: World, call: RestCall): RestAnswer {
  const { spec } = unqualifiedFunction(world, call);
  const limits = world.admission.limitsOf(spec.name);
  world.admission.declare(spec.name, { ...limits, reserved: null });
  audit(world, "DeleteFunctionConcurrency", spec.arn);
  return { status: 204 };
}
