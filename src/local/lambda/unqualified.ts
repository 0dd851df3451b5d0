// Reserved concurrency belongs to a whole function: how its three operations find it.
import { invalidParameter } from "../aws-error.ts";
import type { World } from "../world.ts";
import type { LocalFunction } from "./local-function.ts";
import type { RestCall } from "./rest-call.ts";

/** The function, or AWS's errors for a version, an alias or an unknown name. */
export function unqualifiedFunction(world: World, call: RestCall, suffix = ""): LocalFunction {
  const ref = world.functions.parse(call.segment, call.query);
  if (ref.qualifier !== null)
    throw invalidParameter(
      "This operation is permitted on Lambda functions only. Aliases and versions do not support " +
        "this operation. Please specify either a function name or an unqualified function ARN.",
      { extra: { Type: "User" } },
    );
  return world.functions.find(ref, suffix);
}
