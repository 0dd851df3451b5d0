// What a reservation takes from the concurrency that all other functions of the account share.
import { AwsFailure, type ControlPlane } from "../core/change.ts";
import { formatNumber } from "../core/format.ts";
import type { FaultSpec } from "../core/scenario.ts";
import { poolLeft } from "../model/data-loss.ts";
import type { Hazard } from "./hazard-text.ts";

/** AWS refuses a reservation that leaves less to the others (10 or 50 on new accounts). */
const LEFT_MIN = 100;

/** Empty when the pool does not change, or cannot be read. */
export async function poolHazard(
  spec: FaultSpec,
  arn: string,
  control: ControlPlane,
): Promise<Hazard[]> {
  const read = await poolOf(arn, control);
  if (read === null) return [];
  const { unreserved, functions, prior } = read;
  const to = Number(spec.input.to);
  const left = poolLeft(unreserved, prior, to);
  if (left === unreserved) return [];
  const who = functions === 1 ? "one function has" : `${formatNumber(functions)} functions share`;
  const shared = `the ${formatNumber(unreserved)} unreserved that ${who}`;
  const hazard = { fault: spec.name, line: spec.line, resource: arn, count: null };
  if (left < 0) {
    const text = `to: ${formatNumber(to)} is more than ${shared}: AWS refuses it`;
    return [{ ...hazard, kind: "impossible", text }];
  }
  const takes =
    left < unreserved
      ? `takes ${formatNumber(unreserved - left)} of ${shared}: ${formatNumber(left)} are left` +
        (left < LEFT_MIN ? `; AWS refuses less than ${LEFT_MIN}` : "")
      : `gives ${formatNumber(left - unreserved)} to ${shared}; the undo needs them back, and is ` +
        "refused if somebody reserves them meanwhile";
  return [{ ...hazard, kind: "pool", text: takes }];
}

async function poolOf(arn: string, control: ControlPlane) {
  try {
    const settings = await control.call("lambda", "GetAccountSettings", {});
    const limit = (settings.AccountLimit ?? {}) as { readonly [name: string]: number };
    const usage = (settings.AccountUsage ?? {}) as { readonly [name: string]: number };
    const input = { FunctionName: arn };
    const reserved = await control.call("lambda", "GetFunctionConcurrency", input);
    const prior = reserved.ReservedConcurrentExecutions;
    return {
      unreserved: Number(limit.UnreservedConcurrentExecutions),
      functions: usage.FunctionCount ?? 0,
      prior: typeof prior === "number" ? prior : null,
    };
  } catch (error) {
    if (error instanceof AwsFailure) return null; // whoever injects finds out
    throw error;
  }
}
