// Fault: work is done twice: its doer is cut off, dies at the commit, or is asked again early.
import type { Fault } from "../core/change.ts";
import type { FaultSpec } from "../core/scenario.ts";
import { US_PER_S } from "../core/time.ts";
import { ruleFault } from "./dependency-rule.ts";
import { functionConfiguration } from "./function-configuration.ts";
import { visibilityTimeout } from "./visibility-timeout.ts";

/** Throws GatecrashError("scenario") for an ARN of the wrong kind. */
export function forceRetries(spec: FaultSpec, seed: number): Fault {
  const { kind, name, input } = spec;
  const { crash, function: fn, timeout } = input;
  if (fn !== undefined) {
    const to = Number(timeout) / US_PER_S;
    return functionConfiguration({ kind, name, function: String(fn), field: "Timeout", to });
  }
  if (crash === undefined) return visibilityTimeout(spec);
  // Whoever has crashed makes no retry of its own: all attempts of one call end alike.
  const act = crash === "before-commit" ? "reset" : "drop";
  return ruleFault(spec, seed, { act, per_call: true });
}
