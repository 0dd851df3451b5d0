// Fault: a share of the requests to a dependency is slow, fails, is cut off, or gets no answer.
import type { Fault } from "../core/change.ts";
import type { FaultSpec } from "../core/scenario.ts";
import { milliseconds, type RuleAct, ruleFault } from "./dependency-rule.ts";

/** Throws GatecrashError("scenario") for a parameter that holds no rule of a dependency. */
export function slowDependency(spec: FaultSpec, seed: number): Fault {
  return ruleFault(spec, seed, actOf(spec.input));
}

function actOf(input: FaultSpec["input"]): RuleAct {
  const { delay, "delay-p99": p99, error, reset } = input;
  if (error !== undefined) return { act: "error", status: Number(error) };
  if (delay === undefined) return { act: reset === undefined ? "hang" : "reset" };
  const tail = p99 === undefined ? {} : { p99_ms: milliseconds(p99) };
  return { act: "delay", delay_ms: milliseconds(delay), ...tail };
}
