// Fault: work is done twice, because its doer dies around the commit or its message comes too soon.
import type { Fault } from "../core/change.ts";
import type { FaultSpec } from "../core/scenario.ts";
import { ruleFault } from "./dependency-rule.ts";
import { visibilityTimeout } from "./visibility-timeout.ts";

/** Throws GatecrashError("scenario") for an ARN of the wrong kind. */
export function forceRetries(spec: FaultSpec, seed: number): Fault {
  const { crash } = spec.input;
  if (crash === undefined) return visibilityTimeout(spec);
  // Whoever has crashed makes no retry of its own: all attempts of one call end alike.
  const act = crash === "before-commit" ? "reset" : "drop";
  return ruleFault(spec, seed, { act, per_call: true });
}
